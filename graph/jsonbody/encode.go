package jsonbody

import (
	"bytes"
	"encoding/json"
)

// Encode writes a value as JSON for people and programs alike: an ampersand in
// a payment link stays one. Answers say that they are JSON and must not be
// sniffed, so nothing in them can be taken for markup.
func Encode(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - len("\n"))
	return nil
}
