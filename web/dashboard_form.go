package web

import (
	"net/url"
	"strings"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/views/panel"
)

// form is what was typed and what is wrong with it.
type form struct {
	values   url.Values
	problems map[string]string // by name of the input
	problem  string            // about the form as a whole
	posted   string            // path it was posted to, where a page has several; may be empty
}

func newForm(values url.Values) *form {
	return &form{values: values, problems: make(map[string]string)}
}

// bad says what is wrong with an input.
func (f *form) bad(name, text string) { f.problems[name] = text }

func (f *form) ok() bool { return len(f.problems) == 0 && f.problem == "" }

// subject says which input a service means by the name its messages begin with.
type subject struct {
	service string // the name in the interface
	input   string // the name of the input
	label   string // what people call it
}

// refused puts a service's refusal beside the input it is about, or above the
// form; false for what is no refusal of the input.
func (f *form) refused(err error, subjects ...subject) bool {
	x := fault.Of(err)
	if x == nil || x.Kind == fault.Internal || x.Kind == fault.NotFound {
		return false
	}
	for _, s := range subjects {
		rest, ok := strings.CutPrefix(x.Message, s.service)
		if !ok || rest == "" || rest[0] != ' ' && rest[0] != ':' {
			continue
		}
		if said, ok := strings.CutPrefix(rest, ": "); ok {
			f.bad(s.input, sentenceOf(said))
		} else {
			f.bad(s.input, s.label+rest+".")
		}
		return true
	}
	f.problem = sentenceOf(x.Message)
	return true
}

// field completes an input with what was typed and what is wrong with it.
func (f *form) field(x panel.Field) panel.Field {
	if x.Type != "password" {
		if typed, ok := f.values[x.Name]; ok && len(typed) > 0 {
			x.Value = typed[0]
		}
	}
	x.Problem = f.problems[x.Name]
	return x
}

// text is a value without the space around it.
func (f *form) text(name string) string { return strings.TrimSpace(f.values.Get(name)) }
