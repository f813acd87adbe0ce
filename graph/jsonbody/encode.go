package jsonbody

import (
	"bytes"
	"encoding/json"
)

// Encode writes a value as JSON for people and programs alike: an ampersand in
// a payment link stays one. Answers say that they are JSON and must not be
// sniffed, so nothing in them can be taken for markup.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
