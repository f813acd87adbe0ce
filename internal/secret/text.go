// Package secret holds what must never be shown: texts that print as a mask, and the encryption of stored secrets.
//
// Its one invariant: the only ways from a secret to its text are Reveal and
// Open, so every use can be found by searching for them.
package secret

import (
	"crypto/hmac"
	"fmt"
	"log/slog"
)

// mask is what a secret prints as, wherever it is printed.
const mask = "***"

// Text is a text that must never be shown. It prints as *** with every verb, in JSON, in slog and in errors. Compare
// texts with Equal: == compares pointers.
type Text struct {
	// A pointer, because fmt reads unexported fields of a surrounding struct without calling their methods, but does
	// not follow pointers there.
	text *string
}

// New wraps the text.
func New(text string) Text {
	if text == "" {
		return Text{}
	}
	return Text{&text}
}

// Reveal returns the text.
func (s Text) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Empty reports whether there is no secret.
func (s Text) Empty() bool { return s.text == nil }

// Equal compares in constant time.
func (s Text) Equal(o Text) bool { return hmac.Equal([]byte(s.Reveal()), []byte(o.Reveal())) }

// String returns the mask.
func (s Text) String() string { return mask }

// GoString returns the mask.
func (s Text) GoString() string { return mask }

// Format writes the mask for every verb.
func (s Text) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(mask)) }

// MarshalJSON writes the mask.
func (s Text) MarshalJSON() ([]byte, error) { return []byte(`"` + mask + `"`), nil }

// MarshalText writes the mask.
func (s Text) MarshalText() ([]byte, error) { return []byte(mask), nil }

// LogValue returns the mask.
func (s Text) LogValue() slog.Value { return slog.StringValue(mask) }
