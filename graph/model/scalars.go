package model

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/input"
)

// timeFormat is RFC 3339 in UTC with milliseconds.
const timeFormat = "2006-01-02T15:04:05.000Z"

// DateTime is a moment, written as RFC 3339 in UTC with milliseconds.
type DateTime struct{ time time.Time }

// At returns the moment.
func At(t time.Time) DateTime { return DateTime{t.UTC()} }

// String returns the moment as it is written.
func (t DateTime) String() string { return t.time.Format(timeFormat) }

// MarshalGQL writes the moment as a JSON string.
func (t DateTime) MarshalGQL(w io.Writer) { _, _ = io.WriteString(w, `"`+t.String()+`"`) }

var errNotDateTime = errors.New("a DateTime is a text such as 2026-11-21T08:30:00.000Z")

// UnmarshalGQL reads a moment; no argument of the interface is one.
func (t *DateTime) UnmarshalGQL(v any) error {
	s, ok := v.(string)
	if !ok {
		return errNotDateTime
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return errNotDateTime
	}
	*t = At(at)
	return nil
}

// MarshalJSON writes the moment as a JSON string.
func (t DateTime) MarshalJSON() ([]byte, error) { return []byte(`"` + t.String() + `"`), nil }

// UnmarshalJSON reads what MarshalJSON writes.
func (t *DateTime) UnmarshalJSON(b []byte) error {
	var at time.Time
	if err := json.Unmarshal(b, &at); err != nil {
		return err
	}
	*t = At(at)
	return nil
}

// StringMap is a JSON object whose values are strings. What is none is left out, since the request can do without it,
// and Left names it.
type StringMap struct {
	entries map[string]string
	left    []string // the keys whose values are no text and were left out
	broken  bool     // it is no object
}

// Strings returns the map.
func Strings(m map[string]string) StringMap { return StringMap{entries: m} }

// StringsOf takes over a JSON value that was read into any. Numbers and booleans are taken as their texts, what is null
// or a part of its own is left out; an empty list is an empty object, which PHP does not tell apart, and
// an empty text none.
func StringsOf(v any) StringMap {
	object, ok := v.(map[string]any)
	if !ok {
		list, isList := v.([]any)
		return StringMap{broken: v != nil && v != "" && (!isList || len(list) > 0)}
	}
	m := StringMap{entries: make(map[string]string, len(object))}
	for k, x := range object {
		if s, ok := textOf(x); ok {
			m.entries[k] = s
		} else if x != nil {
			m.left = append(m.left, k)
		}
	}
	slices.Sort(m.left)
	return m
}

// textOf returns a value as a text; ok is false if it has none, or one that may not be that which was sent.
func textOf(v any) (text string, ok bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64: // a larger one may have lost digits
		return strconv.FormatFloat(v, 'f', -1, 64), math.Abs(v) < maxExact
	}
	return "", false
}

// maxExact is the largest whole number up to which a float64 holds every one.
const maxExact = 1 << 53

// Left returns a warning for each value that was left out.
func (m StringMap) Left(name string) (list []fault.Warning) {
	if m.broken {
		return append(list, fault.Warn(name, `is no object whose values are texts, such as {"order": "1042"}, so it was left out`))
	}
	for _, key := range m.left[:min(len(m.left), maxLeft)] {
		list = append(list, fault.Warn(name+"."+input.Name(key), "its value is no text, number or boolean, so it was left out"))
	}
	return list
}

// maxLeft bounds what is said of values.
const maxLeft = 20

// Entries returns the map.
func (m StringMap) Entries() map[string]string { return m.entries }

// UnmarshalGQL takes an argument over.
func (m *StringMap) UnmarshalGQL(v any) error {
	*m = StringsOf(v)
	return nil
}

// MarshalGQL writes the map as a JSON object.
func (m StringMap) MarshalGQL(w io.Writer) {
	b, _ := m.MarshalJSON() // strings can always be written
	_, _ = w.Write(b)
}

// MarshalJSON writes the map as a JSON object, empty if there is nothing in it.
func (m StringMap) MarshalJSON() ([]byte, error) {
	if m.entries == nil {
		return []byte("{}"), nil
	}
	return json.Marshal(m.entries)
}

// UnmarshalJSON reads a JSON object.
func (m *StringMap) UnmarshalJSON(b []byte) error {
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	*m = StringsOf(v)
	return nil
}
