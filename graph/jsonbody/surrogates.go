package jsonbody

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/florinpay/florin/internal/input"
)

// JoinSurrogates returns a text, of JSON or GraphQL, in which a character that is written as two escapes stands for
// itself, and an escape of half a character is that of input.LoneSurrogate. The decoder of JSON would take one for
// U+FFFD, a character that a text may hold, and that of GraphQL both of them.
func JoinSurrogates(text []byte) []byte {
	if !bytes.Contains(text, []byte(`\u`)) {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		unit, ok := escaped(text[i:])
		next, paired := escaped(text[min(i+escapeLen, len(text)):])
		switch pair := utf16.DecodeRune(unit, next); {
		case text[i] != '\\' || i+1 == len(text):
			out = append(out, text[i])
			i++
		case ok && paired && pair != utf8.RuneError:
			out = utf8.AppendRune(out, pair)
			i += 2 * escapeLen
		case ok && utf16.IsSurrogate(unit):
			out = append(out, `\u`+strconv.FormatInt(input.LoneSurrogate, 16)...)
			i += escapeLen
		default: // with what is escaped, which may be a backslash
			out = append(out, text[i], text[i+1])
			i += 2
		}
	}
	return out
}

const escapeLen = len(`\uffff`)

// escaped returns the code unit of the escape that a text begins with.
func escaped(text []byte) (unit rune, ok bool) {
	if len(text) < escapeLen || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:escapeLen]), 16, 16)
	return rune(n), err == nil
}
