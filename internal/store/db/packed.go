package db

import (
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/uptrace/bun/schema"
)

// Packed is a text that is stored as bytes, in half the space where it is hexadecimal: hashes and addresses of
// transactions are most of what a payment takes on disk. Two texts are equal if and only if their bytes are, and the
// bytes of a text never change.
//
//	empty                no bytes
//	0x and lower case    packedLower, the bytes that the digits write
//	0x and 40 digits     packedMixed, the 20 bytes, a bit for each letter: whether it is a capital (EIP-55)
//	anything else        packedText, the text
type Packed string

// The first byte of what is stored.
const (
	packedText byte = iota
	packedLower
	packedMixed
)

const (
	hexPrefix = "0x"
	// usualHex is how long most texts are at most: a hash.
	usualHex = len(hexPrefix) + 64
	// mixedBytes are how many bytes a text with capitals has: an EVM address.
	mixedBytes = 20
)

// Bytes returns what is stored.
func (p Packed) Bytes() []byte {
	if p == "" {
		return []byte{}
	}
	digits, ok := strings.CutPrefix(string(p), hexPrefix)
	raw, err := hex.DecodeString(digits)
	capitals := strings.ContainsAny(digits, "ABCDEF")
	switch {
	case !ok || err != nil || len(raw) == 0, capitals && len(raw) != mixedBytes:
		return append([]byte{packedText}, p...)
	case !capitals:
		return append([]byte{packedLower}, raw...)
	}
	b := append([]byte{packedMixed}, raw...)
	letters := 0
	for _, c := range []byte(digits) {
		if c <= '9' {
			continue
		}
		if letters%8 == 0 {
			b = append(b, 0)
		}
		if c <= 'F' {
			b[len(b)-1] |= 1 << (letters % 8)
		}
		letters++
	}
	return b
}

func unpack(b []byte) (Packed, error) {
	if len(b) == 0 {
		return "", nil
	}
	form, b := b[0], b[1:]
	switch form {
	case packedText:
		return Packed(b), nil
	case packedLower:
		return Packed(hex.AppendEncode(append(make([]byte, 0, usualHex), hexPrefix...), b)), nil
	case packedMixed:
		if len(b) >= mixedBytes {
			return mixed(hex.AppendEncode([]byte(hexPrefix), b[:mixedBytes]), b[mixedBytes:])
		}
	}
	return "", fmt.Errorf("a packed text of %d bytes has form %d", len(b), form)
}

// mixed writes those letters of the text as capitals that the bits name.
func mixed(text, capitals []byte) (Packed, error) {
	letters := 0
	for i, c := range text[len(hexPrefix):] {
		if c <= '9' {
			continue
		}
		if letters/8 >= len(capitals) {
			return "", fmt.Errorf("%s was packed without its capitals", text)
		}
		if capitals[letters/8]&(1<<(letters%8)) != 0 {
			text[len(hexPrefix)+i] -= 'a' - 'A'
		}
		letters++
	}
	return Packed(text), nil
}

// Scan reads what either database returns.
func (p *Packed) Scan(src any) (err error) {
	switch v := src.(type) {
	case nil:
		*p = ""
	case []byte:
		*p, err = unpack(v)
	default:
		err = fmt.Errorf("a packed text is stored as %T", src)
	}
	return err
}

// ScanBytes reads what PostgreSQL sends, without the copies of Scan.
func (p *Packed) ScanBytes(b []byte) (err error) {
	*p, err = unpack(b)
	return err
}

// AppendQuery writes the literal that the database of gen stores.
func (p Packed) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	return gen.Dialect().AppendBytes(b, p.Bytes()), nil
}

// Value returns what both databases store.
func (p Packed) Value() (driver.Value, error) { return p.Bytes(), nil }

func (p Packed) stored(bool) any { return p.Bytes() }

// PackedList is the argument of IN for a packed column.
func PackedList[T ~string](texts []T) []Packed {
	list := make([]Packed, len(texts))
	for i, text := range texts {
		list[i] = Packed(text)
	}
	return list
}

// PackedRange has the packed texts from Low on that are before High.
type PackedRange struct{ Low, High []byte }

// PackedBeginnings returns the ranges of the packed texts that begin with the text; hexadecimal letters in any case.
// The text must be longer than the 0 that hexadecimal texts begin with.
func PackedBeginnings(text string) []PackedRange {
	all := []PackedRange{{append([]byte{packedText}, text...), after(append([]byte{packedText}, text...), 0)}}
	digits, ok := strings.CutPrefix(strings.ToLower(text), hexPrefix)
	odd := len(digits) % 2
	raw, err := hex.DecodeString(digits + strings.Repeat("0", odd))
	if !ok || err != nil {
		return all
	}
	for _, form := range []byte{packedLower, packedMixed} {
		if form == packedMixed && len(raw) > mixedBytes {
			break
		}
		low := append([]byte{form}, raw...)
		all = append(all, PackedRange{low, after(low, 4*odd)})
	}
	return all
}

// after returns the first bytes after all that begin with b, whose last free bits may be anything.
func after(b []byte, free int) []byte {
	next := slices.Clone(b)
	for i := len(next) - 1; i > 0; i-- {
		sum := int(next[i]) + 1<<free
		if next[i] = byte(sum); sum <= math.MaxUint8 {
			return next[:i+1]
		}
		free = 0
	}
	return []byte{b[0] + 1} // the next form
}

var (
	_ schema.QueryAppender = Packed("")
	_ pgtype.BytesScanner  = (*Packed)(nil)
)
