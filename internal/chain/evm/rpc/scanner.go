package rpc

import (
	"encoding/binary"
	"encoding/json"
	"math/bits"
)

// maxDepth bounds the nesting of values: answers need about five levels, and a
// hostile one must not exhaust the stack.
const maxDepth = 64

// Scanner reads JSON text (RFC 8259) without building values: it finds where
// they begin and end. Its methods return false at the first byte that
// encoding/json would refuse.
type Scanner struct {
	b []byte
	i int
}

// NewScanner returns a scanner at the beginning of the text.
func NewScanner(text []byte) *Scanner { return &Scanner{b: text} }

func (s *Scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\n', '\t', '\r':
			s.i++
		default:
			return
		}
	}
}

// pos returns the position of the next byte that is not space.
func (s *Scanner) pos() int {
	s.space()
	return s.i
}

// since returns the text from a position to the current one.
func (s *Scanner) since(start int) []byte { return s.b[start:s.i] }

// peek returns the next byte that is not space, or 0 at the end.
func (s *Scanner) peek() byte {
	s.space()
	if s.i == len(s.b) {
		return 0
	}
	return s.b[s.i]
}

// take skips space and the byte, if it comes next.
func (s *Scanner) take(c byte) bool {
	if s.peek() != c || s.i == len(s.b) {
		return false
	}
	s.i++
	return true
}

// end reports whether only space is left.
func (s *Scanner) end() bool {
	s.space()
	return s.i == len(s.b)
}

// Masks for eight bytes at a time.
const (
	lows   = 0x0101010101010101
	highs  = 0x8080808080808080
	quotes = lows * '"'
	slants = lows * '\\'
	blanks = lows * 0x20
)

// text reads a string and returns its content. Without escapes, which hex text
// never has, the result refers to the scanned bytes.
func (s *Scanner) text() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	start := s.i
	s.plain()
	if s.i < len(s.b) && s.b[s.i] == '"' {
		s.i++
		return s.b[start : s.i-1], true
	}
	return s.escaped(start)
}

// place is text for what tells where a log is: nodes leave it null.
func (s *Scanner) place() ([]byte, bool) {
	if s.peek() != 'n' {
		return s.text()
	}
	raw, ok := s.skip()
	return nil, ok && IsNull(raw)
}

// plain advances to the first quote, backslash or control character. The
// lowest marked byte of the word is exact; borrows only mark bytes above it.
func (s *Scanner) plain() {
	for s.i+8 <= len(s.b) {
		x := binary.LittleEndian.Uint64(s.b[s.i:])
		q, e := x^quotes, x^slants
		hit := ((x - blanks) &^ x) | ((q - lows) &^ q) | ((e - lows) &^ e)
		if hit &= highs; hit != 0 {
			s.i += bits.TrailingZeros64(hit) / 8
			return
		}
		s.i += 8
	}
	for s.i < len(s.b) {
		if c := s.b[s.i]; c == '"' || c == '\\' || c < 0x20 {
			return
		}
		s.i++
	}
}

// escaped finishes a string that began at start and has an escape.
func (s *Scanner) escaped(start int) ([]byte, bool) {
	for {
		s.plain()
		if s.i == len(s.b) || s.b[s.i] < 0x20 {
			return nil, false
		}
		if s.b[s.i] == '"' {
			break
		}
		s.i = min(s.i+2, len(s.b)) // a backslash and the escaped byte; unquote validates it
	}
	text := s.unquote(start)
	s.i++
	return text, text != nil
}

// unquote returns the text of the string from start to the quote at s.i, nil
// if its escapes are wrong.
func (s *Scanner) unquote(start int) []byte {
	var text string
	if json.Unmarshal(s.b[start-1:s.i+1], &text) != nil {
		return nil
	}
	return append([]byte{}, text...)
}

// skip skips one value of any kind and returns its text.
func (s *Scanner) skip() ([]byte, bool) {
	s.space()
	start := s.i
	ok := s.value(maxDepth)
	return s.b[start:s.i], ok
}

func (s *Scanner) value(depth int) bool {
	switch c := s.peek(); {
	case c == '"':
		_, ok := s.text()
		return ok
	case c == '{':
		return depth > 0 && s.object(func([]byte) bool { return s.value(depth - 1) })
	case c == '[':
		return depth > 0 && s.array(func() bool { return s.value(depth - 1) })
	case c == 't':
		return s.word("true")
	case c == 'f':
		return s.word("false")
	case c == 'n':
		return s.word("null")
	default:
		return s.number()
	}
}

func (s *Scanner) word(w string) bool {
	if len(s.b)-s.i < len(w) || string(s.b[s.i:s.i+len(w)]) != w {
		return false
	}
	s.i += len(w)
	return true
}

func (s *Scanner) number() bool {
	start := s.i
	for s.i < len(s.b) {
		switch c := s.b[s.i]; {
		case c >= '0' && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
			s.i++
			continue
		}
		break
	}
	return s.i > start && json.Valid(s.b[start:s.i])
}

// object reads an object and calls member for each key with the scanner at the
// value, which member must skip.
func (s *Scanner) object(member func(key []byte) bool) bool {
	if !s.take('{') {
		return false
	}
	if s.take('}') {
		return true
	}
	for {
		key, ok := s.text()
		if !ok || !s.take(':') || !member(key) {
			return false
		}
		if s.take('}') {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

// array reads an array and calls element with the scanner at each element,
// which element must skip.
func (s *Scanner) array(element func() bool) bool {
	if !s.take('[') {
		return false
	}
	if s.take(']') {
		return true
	}
	for {
		if !element() {
			return false
		}
		if s.take(']') {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

// IsNull reports whether the JSON text is null.
func IsNull(raw []byte) bool { return string(raw) == "null" }
