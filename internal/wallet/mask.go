package wallet

import (
	"fmt"
	"log/slog"
)

// mask is what a holder of a key prints as.
const mask = "***"

// closed holds a value inside a function, which no printer looks into: fmt
// calls no methods of a field that is not exported, and would follow a pointer.
type closed[T any] func() T

func enclose[T any](v T) closed[T] { return func() T { return v } }

// masked is embedded by every holder of a key, so that it prints as a mask.
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
