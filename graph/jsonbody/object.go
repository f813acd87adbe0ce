package jsonbody

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"strconv"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/secret"
)

// Object is a JSON object. Its methods read one field each; a field that is
// missing or null reads as the zero value. The first field of a wrong type is
// kept for Err.
type Object struct {
	fields map[string]json.RawMessage
	known  map[string]bool // the names that were asked for
	left   []fault.Warning // what was read and left out
	err    error
}

// Parse reads a body that must be one JSON object and nothing else.
func Parse(body []byte) (*Object, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, fault.New(fault.Invalid, "the body is empty; it must be a JSON object")
	}
	o := &Object{known: make(map[string]bool)}
	if err := json.Unmarshal(body, &o.fields); err != nil || o.fields == nil {
		return nil, malformed(body)
	}
	return o, nil
}

// openField finds the name of the field whose value a text breaks off in.
var openField = regexp.MustCompile(`"([A-Za-z]{1,40})"\s*:\s*[^",{}\[\]\s]*$`)

// malformed describes what is wrong with a body, by the field's name if that can
// be determined: NaN, for example, is not JSON.
func malformed(body []byte) error {
	var v any
	err := json.Unmarshal(body, &v)
	if err == nil {
		return fault.New(fault.Invalid, "the body must be a JSON object")
	}
	at := len(body)
	if s, ok := err.(*json.SyntaxError); ok { //nolint:errorlint // Unmarshal returns the type itself
		at = min(int(s.Offset), len(body))
	}
	if m := openField.FindSubmatch(body[:at]); m != nil {
		return fault.New(fault.Invalid, "the value of %s is no JSON value (byte %d)", m[1], at)
	}
	return fault.New(fault.Invalid, "the body must be one valid JSON object; it is not at byte %d", at)
}

// Err returns the first field that has a wrong type, or nil.
func (o *Object) Err() error { return o.err }

// field returns the value of a field; nil if there is none.
func (o *Object) field(name string) json.RawMessage {
	o.known[name] = true
	return o.fields[name]
}

func (o *Object) read(name string, into any, want string) {
	raw := o.field(name)
	if raw == nil {
		return
	}
	if err := json.Unmarshal(raw, into); err != nil && o.err == nil {
		o.err = fault.New(fault.Invalid, "%s must be %s", name, want)
	}
}

// Text reads a string.
func (o *Object) Text(name string) string {
	var s string
	o.read(name, &s, "a text")
	return s
}

// Words reads a text for people, which the request can do without: an order's number is its digits. What is neither a
// text nor a number is left out, and Unread names it.
func (o *Object) Words(name string) string {
	raw := o.field(name)
	var s *string
	var n json.Number
	switch {
	case raw == nil:
	case json.Unmarshal(raw, &s) == nil:
		if s != nil {
			return *s
		}
	case json.Unmarshal(raw, &n) == nil:
		return n.String()
	default:
		o.left = append(o.left, fault.Warn(name, "is no text, so it was left out"))
	}
	return ""
}

// Loose reads a string, or the JSON of another value: for a field that the request can do without.
func (o *Object) Loose(name string) string {
	raw := o.field(name)
	var s *string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	if s == nil {
		return ""
	}
	return *s
}

// Secret reads a string that must never be shown.
func (o *Object) Secret(name string) secret.Text { return secret.New(o.Text(name)) }

// Decimal reads a number by its digits, or a text that is one. The operation refuses
// a value that is not a number.
func (o *Object) Decimal(name string) model.Decimal {
	raw := o.field(name)
	if len(raw) > 0 && raw[0] == '"' {
		return model.NumberIn(o.Text(name))
	}
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return model.NotNumber()
	}
	return model.Number(string(raw))
}

// Has reports whether the field is given, and not null.
func (o *Object) Has(name string) bool {
	raw := o.field(name)
	return raw != nil && string(raw) != "null"
}

// Int reads a whole number of 32 bits, or a text that is one, nil if there is none.
func (o *Object) Int(name string) *int {
	if !o.Has(name) {
		return nil
	}
	raw := o.field(name)
	if string(raw) == `""` {
		return nil // a setting that nobody has filled in
	}
	if digits := wholeInText.FindSubmatch(raw); digits != nil {
		raw = digits[1]
	}
	if f, err := strconv.ParseFloat(string(raw), 64); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		raw = strconv.AppendInt(nil, int64(f), 10) // however it is written, such as 30.0
	}
	n, err := strconv.ParseInt(string(raw), 10, 32)
	if err != nil {
		wrong := "must be a whole number"
		if errors.Is(err, strconv.ErrRange) && raw[0] == '-' {
			wrong = "is too small"
		} else if errors.Is(err, strconv.ErrRange) {
			wrong = "is too large"
		}
		if o.err == nil {
			o.err = fault.About(fault.Invalid, name, "%s", wrong)
		}
		return nil
	}
	i := int(n)
	return &i
}

// wholeInText is a text that everybody reads as the same whole number, as settings of shops are kept.
var wholeInText = regexp.MustCompile(`^"\s*(0|[1-9][0-9]{0,9})\s*"$`)

// Strings reads an object whose values are strings. Numbers keep their digits.
func (o *Object) Strings(name string) model.StringMap {
	raw := o.field(name)
	if raw == nil {
		return model.StringMap{}
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	_ = d.Decode(&v) // it is a part of a body that was read
	return model.StringsOf(v)
}
