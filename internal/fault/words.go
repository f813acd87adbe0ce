package fault

import (
	"fmt"
	"slices"
	"time"
)

// In is an argument of words: how long from now something may be done.
type In time.Duration

// FromNow returns how long.
func (i In) FromNow() time.Duration { return time.Duration(i) }

// String returns it in English, in whole seconds.
func (i In) String() string { return "in " + time.Duration(i).Round(time.Second).String() }

// Words are a text of ours: a format of package fmt and its arguments, of which some may be Words.
type Words struct {
	format string
	args   []any
}

// Text returns the words of a format, for the arguments of a message that are texts themselves.
func Text(format string, args ...any) Words { return Words{format, args} }

// String returns the words in English.
func (w Words) String() string { return fmt.Sprintf(w.format, w.args...) }

// In returns the words in another language: say translates a format and fills it in.
func (w Words) In(say func(format string, args ...any) string) string {
	args := slices.Clone(w.args)
	for i, a := range args {
		if inner, ok := a.(Words); ok {
			args[i] = inner.In(say)
		}
	}
	return say(w.format, args...)
}
