package jsonbody

import (
	"bytes"
	"encoding/json"
)

// Encode writes a value as JSON without HTML escapes, so that an ampersand in a
// payment link stays readable. Answers are declared as JSON with nosniff, so no
// browser takes them for markup.
func Encode(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - len("\n"))
	return nil
}
