// Package stringify writes JSON as JavaScript does (ECMA-262, JSON.stringify).
//
// Its one invariant: what it writes is the same text after a program in JavaScript has parsed it and written it again.
// Receivers whose framework has parsed the body of a webhook can verify its signature so.
package stringify

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// JSON returns the value as JSON.stringify writes it: nothing is escaped that need not be.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("write as JSON.stringify does: %w", err)
	}
	return separators(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// separators writes U+2028 and U+2029 as themselves, which encoding/json escapes.
func separators(text []byte) []byte {
	if !bytes.Contains(text, []byte(`\u202`)) {
		return text
	}
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		switch {
		case bytes.HasPrefix(text, []byte(`\u2028`)):
			out, text = append(out, "\u2028"...), text[len(`\u2028`):]
		case bytes.HasPrefix(text, []byte(`\u2029`)):
			out, text = append(out, "\u2029"...), text[len(`\u2029`):]
		case text[0] == '\\': // with what is escaped, which may be a backslash
			out, text = append(out, text[:2]...), text[2:]
		default:
			out, text = append(out, text[0]), text[1:]
		}
	}
	return out
}

// Map is an object whose fields stand in the order in which JavaScript keeps them: those that look like the index of an
// array by their number, and then the others, here by their characters.
type Map map[string]string

// MarshalJSON writes the object.
func (m Map) MarshalJSON() ([]byte, error) {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int {
		i, isIndex := index(a)
		j, alsoIndex := index(b)
		switch {
		case isIndex && alsoIndex:
			return cmp.Compare(i, j)
		case isIndex:
			return -1
		case alsoIndex:
			return 1
		}
		return cmp.Compare(a, b)
	})
	b := []byte{'{'}
	for i, key := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		for j, text := range []string{key, m[key]} {
			if j > 0 {
				b = append(b, ':')
			}
			quoted, err := JSON(text)
			if err != nil {
				return nil, err
			}
			b = append(b, quoted...)
		}
	}
	return append(b, '}'), nil
}

// index returns the number of a key that is the index of an array: 0 to 2³²−2, without a sign or leading zeros.
func index(key string) (n uint64, ok bool) {
	const maxIndex = 1<<32 - 2
	n, err := strconv.ParseUint(key, 10, 64)
	return n, err == nil && n <= maxIndex && strconv.FormatUint(n, 10) == key
}
