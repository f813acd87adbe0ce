package wallet

import (
	"fmt"
	"log/slog"
)

// mask is the text that a type with a key prints as.
const mask = "***"

// closed holds a value inside a function, so that no printer reaches it: fmt
// calls no methods of unexported fields, and follows pointers.
type closed[T any] func() T

func enclose[T any](v T) closed[T] { return func() T { return v } }

// masked is embedded by every type with a key, so that it prints as a mask.
type masked struct{}

// String returns the mask.
func (masked) String() string { return mask }

// GoString returns the mask.
func (masked) GoString() string { return mask }

// Format writes the mask for every verb.
func (masked) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(mask)) }

// MarshalText writes the mask; encoding/json uses it too.
func (masked) MarshalText() ([]byte, error) { return []byte(mask), nil }

// LogValue returns the mask.
func (masked) LogValue() slog.Value { return slog.StringValue(mask) }
