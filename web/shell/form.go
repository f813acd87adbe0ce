package shell

import (
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
)

// ReadForm reads the form that was posted, of at most so many bytes.
func ReadForm(c echo.Context, most int64) (url.Values, error) {
	r := c.Request()
	r.Body = http.MaxBytesReader(c.Response(), r.Body, most)
	if err := r.ParseForm(); err != nil {
		return nil, fault.New(fault.Invalid, "the form cannot be read, or is too large")
	}
	return r.PostForm, nil
}

// Form is the posted values and their problems.
type Form struct {
	Values   url.Values
	Problems map[string]string // by name of the input
	Problem  string            // about the form as a whole
	Posted   string            // path it was posted to, if a page has several forms; may be empty
	Locale   *views.Locale     // of its texts, and how its amounts are read

	// Stale: a touched input was changed by somebody else after the page was made (Since).
	Stale     bool
	untouched map[string]bool // inputs that hold what the page showed
}

// NewForm returns a form without problems.
func NewForm(values url.Values) *Form {
	return &Form{Values: values, Problems: make(map[string]string), Locale: views.LocaleFor("en")}
}

// EmptyForm is a form that nobody filled in, in the language of the request: its inputs hold what is stored.
func EmptyForm(c echo.Context) *Form {
	f := NewForm(url.Values{})
	f.Locale = views.LocaleFor(Language(c))
	return f
}

// Bad reports a problem of an input.
func (f *Form) Bad(name, text string) { f.Problems[name] = text }

// OK reports whether the form has no problem.
func (f *Form) OK() bool { return len(f.Problems) == 0 && f.Problem == "" }

// Status is that of a form with a problem.
func (f *Form) Status() int {
	if f.Stale {
		return fault.Conflict.Code()
	}
	return fault.Invalid.Code()
}

// Subject says which input a service means by the name its messages begin with.
type Subject struct {
	Service string // the name in the interface
	Input   string // the name of the input
	Label   string // the words beside the input
}

// Refused puts each refusal of a service beside the input it names, or above the form;
// it returns false if the error is not a refusal.
func (f *Form) Refused(err error, subjects ...Subject) bool {
	all := fault.All(err)
	for _, x := range all {
		if x.Kind == fault.Internal || x.Kind == fault.NotFound {
			return false
		}
	}
	for _, x := range all {
		f.refuse(x, subjects)
	}
	return len(all) > 0
}

// refuse puts a refusal beside its input, which keeps the first that it got.
func (f *Form) refuse(x *fault.Error, subjects []Subject) {
	for _, s := range subjects {
		if x.Field != s.Service {
			continue
		}
		if f.Problems[s.Input] == "" {
			f.Bad(s.Input, Refusal(f.Locale, x, s.Label))
		}
		return
	}
	if f.Problem == "" {
		f.Problem = Refusal(f.Locale, x, x.Field)
	}
}

// Refusal is a refusal of what the label names, in the language of a page.
func Refusal(l *views.Locale, x *fault.Error, label string) string {
	words, follow := x.Sentence()
	text := words.In(l.F)
	if follow {
		text = l.T("{{.What}} {{.Must}}.", "What", l.T(label), "Must", text)
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// Sentences adds more of them to one that is said already.
func Sentences(l *views.Locale, said string, more []fault.Words) string {
	all := []string{said}
	for _, x := range more {
		all = append(all, x.In(l.F))
	}
	return strings.Join(all, " ")
}

// Field completes an input with its posted value and problem.
// Passwords are not written back.
func (f *Form) Field(x panel.Field) panel.Field {
	x.Was = x.Value
	if x.Type != "password" {
		if typed, ok := f.Values[x.Name]; ok && len(typed) > 0 {
			x.Value = typed[0]
		}
	}
	x.Problem = f.Problems[x.Name]
	return x
}

// Text is a value without the space around it.
func (f *Form) Text(name string) string { return strings.TrimSpace(f.Values.Get(name)) }

// Sentence makes a sentence of a message that is written for programs.
func Sentence(message string) string {
	if message == "" {
		return ""
	}
	return strings.ToUpper(message[:1]) + message[1:] + "."
}
