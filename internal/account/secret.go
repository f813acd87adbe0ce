package account

import (
	"crypto/hmac"
	"encoding/json"
	"fmt"
	"log/slog"
)

// mask is what a secret prints as, wherever it is printed.
const mask = "***"

// Secret is a text that must never be shown. It prints as *** with every verb,
// in JSON, in slog and in errors; Reveal is the one way to its text, so that
// every use can be found by searching for it.
type Secret struct{ text string }

// NewSecret wraps the text.
func NewSecret(text string) Secret { return Secret{text} }

// Reveal returns the text.
func (s Secret) Reveal() string { return s.text }

// Empty reports whether there is no secret.
func (s Secret) Empty() bool { return s.text == "" }

// Equal compares in constant time.
func (s Secret) Equal(o Secret) bool { return hmac.Equal([]byte(s.text), []byte(o.text)) }

// String returns the mask.
func (s Secret) String() string { return mask }

// GoString returns the mask.
func (s Secret) GoString() string { return mask }

// Format writes the mask for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(mask)) }

// MarshalJSON writes the mask.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(mask) }

// MarshalText writes the mask.
func (s Secret) MarshalText() ([]byte, error) { return []byte(mask), nil }

// LogValue returns the mask.
func (s Secret) LogValue() slog.Value { return slog.StringValue(mask) }
