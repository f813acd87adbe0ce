package jsonbody

import (
	"bytes"
	"encoding/json"
)

// usual is what most answers fit into, in bytes.
const usual = 1 << 10

// Encode writes a value as JSON for people and programs alike: an ampersand in
// a payment link stays one. Answers say that they are JSON and must not be
// sniffed, so nothing in them can be taken for markup.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(usual)
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
