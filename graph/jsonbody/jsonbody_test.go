package jsonbody

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/testkit"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		contentType, body string
		kind              fault.Kind // Internal: it is read
	}{
		"JSON":                   {"application/json", `{}`, fault.Internal},
		"with a charset":         {`application/json; charset="UTF-8"`, `{}`, fault.Internal},
		"as large as allowed":    {"application/json", strings.Repeat(" ", Max), fault.Internal},
		"one byte more":          {"application/json", strings.Repeat(" ", Max+1), fault.TooLarge},
		"another charset":        {"application/json; charset=utf-16", `{}`, fault.Unsupported},
		"no type":                {"", `{}`, fault.Unsupported},
		"a form":                 {"application/x-www-form-urlencoded", `{}`, fault.Unsupported},
		"text, as no-cors sends": {"text/plain;charset=UTF-8", `{}`, fault.Unsupported},
		"not UTF-8":              {"application/json", "{\"a\":\"\xff\"}", fault.Invalid},
	} {
		for _, known := range []bool{true, false} {
			// Without a known length the limit must hold while reading.
			var body io.Reader = strings.NewReader(row.body)
			if !known {
				body = struct{ io.Reader }{body}
			}
			r := httptest.NewRequest(http.MethodPost, "/", body)
			r.Header.Set("Content-Type", row.contentType)
			got, err := Read(r, Max)
			if row.kind == fault.Internal {
				if err != nil || string(got) != row.body {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			if !fault.Is(err, row.kind) {
				t.Errorf("%s: %v, want %s", name, err, row.kind)
			}
		}
	}
}

func TestObject(t *testing.T) {
	t.Parallel()
	o, err := Parse(
		[]byte(
			`{"text":"a","none":null,"number":7,"big":99999999999,"half":1.5,"amount":1e400,"map":{"a":"b"},"mixed":{"a":1.50,"b":true,"c":null,"d":[1]},"none of all":[],"empty":"","list":[1],"twice":"x","twice":"y"}`,
		),
	)
	testkit.Must(t, err)
	if o.Text("text") != "a" || o.Text("none") != "" || o.Text("missing") != "" || o.Text("twice") != "y" ||
		*o.Int("number") != 7 ||
		o.Int("none") != nil || o.Int("empty") != nil ||
		o.Int("missing") != nil {
		t.Error("good fields are misread")
	}
	if digits, err := o.Decimal("amount").Text("amount"); err != nil || digits != "1e400" {
		t.Errorf("amount: %q, %v", digits, err)
	}
	if m := o.Strings("map").Entries(); m["a"] != "b" {
		t.Errorf("map: %v", m)
	}
	mixed := o.Strings("mixed")
	if m := mixed.Entries(); len(m) != 2 || m["a"] != "1.50" || m["b"] != "true" ||
		len(mixed.Left("mixed")) != 1 || mixed.Left("mixed")[0].Field != "mixed.d" {
		t.Errorf("a map of numbers: %v, without %v", m, mixed.Left("mixed"))
	}
	for name, left := range map[string]int{
		"none of all": 0, "empty": 0, "none": 0, "list": 1, "text": 1, "number": 1,
	} {
		if m := o.Strings(name); len(m.Entries()) > 0 || len(m.Left(name)) != left {
			t.Errorf("%s as a map: %v, without %v", name, m.Entries(), m.Left(name))
		}
	}
	if o.Err() != nil {
		t.Errorf("good fields: %v", o.Err())
	}
	for name, read := range map[string]func(*Object){
		"number": func(o *Object) { o.Text("number") }, "text": func(o *Object) { o.Int("text") },
		"big": func(o *Object) { o.Int("big") }, "half": func(o *Object) { o.Int("half") },
	} {
		wrong, err := Parse([]byte(`{"text":"a","number":7,"big":99999999999,"half":1.5}`))
		testkit.Must(t, err)
		read(wrong)
		wrong.Text("missing")
		if err := wrong.Err(); !fault.Is(err, fault.Invalid) || !strings.Contains(fault.Of(err).Message, name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What a request can do without costs it nothing: an order's number is its digits, a number may stand in a text, and
// what is no text is left out and named.
func TestObject_Mends(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		`1042`: "1042", `-7`: "-7", `12.50`: "12.50", `123456789012345678901`: "123456789012345678901", `0`: "0",
		`"1042"`: "1042", `""`: "", `null`: "", `true`: "", `false`: "", `[]`: "", `{}`: "", `["a"]`: "",
	} {
		o, err := Parse([]byte(`{"reference":` + sent + `}`))
		testkit.Must(t, err)
		left := strings.ContainsAny(sent[:1], "tf[{")
		if got := o.Words("reference"); got != want || o.Err() != nil || (len(o.Unread()) == 1) != left {
			t.Errorf("%s is read as %q (%v), without %v", sent, got, o.Err(), o.Unread())
		}
	}
	for sent, want := range map[string]int{
		`"30"`: 30, `" 5\n"`: -1, `"5 "`: 5, `"0"`: 0, `"05"`: -1, `"1.5"`: -1, `" "`: -1, `"-3"`: -1,
	} {
		o, err := Parse([]byte(`{"minutes":` + sent + `}`))
		testkit.Must(t, err)
		n := o.Int("minutes")
		if (n == nil) != (want < 0) || n != nil && *n != want || (o.Err() == nil) != (want >= 0) {
			t.Errorf("%s is read as %v (%v)", sent, n, o.Err())
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"a":1}`, `[]`, `null`, `{"amount": NaN}`, `{"a":{"a":{"a"`, "\x00", `{"a":"\ud800"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		o, err := Parse(body)
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("%v", err)
			}
			return
		}
		o.Text("a")
		o.Int("a")
		o.Strings("a")
		_, _ = o.Decimal("a").Text("a")
		if err := o.Err(); err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("%v", err)
		}
	})
}

func TestEncode(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	err := Encode(&b, map[string]string{"uri": "ethereum:0x1@137/transfer?address=0x2&uint256=3"})
	if want := `{"uri":"ethereum:0x1@137/transfer?address=0x2&uint256=3"}`; err != nil || b.String() != want {
		t.Errorf("%q, %v", &b, err)
	}
}
