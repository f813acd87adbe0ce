package rpc

import (
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
)

// ParseBig reads a quantity of up to 256 bits.
func ParseBig(text string) (*big.Int, bool) {
	if len(text) < 3 || len(text) > 66 || text[:2] != "0x" {
		return nil, false
	}
	for _, c := range []byte(text[2:]) {
		if nibbles[c] > 0xf {
			return nil, false
		}
	}
	return new(big.Int).SetString(text[2:], 16)
}

// nibbles maps a hexadecimal digit to its value and every other byte to 0xff.
var nibbles = func() (t [256]byte) {
	for i := range t {
		t[i] = 0xff
	}
	for i := range byte(10) {
		t['0'+i] = i
	}
	for i := range byte(6) {
		t['a'+i], t['A'+i] = 10+i, 10+i
	}
	return t
}()

// ParseBytes reads 0x and exactly two digits for each byte of dst.
func ParseBytes(dst, text []byte) bool {
	if len(text) != 2+2*len(dst) || text[0] != '0' || text[1] != 'x' {
		return false
	}
	return parseDigits(dst, text[2:])
}

// parseDigits reads exactly two digits for each byte of dst.
func parseDigits(dst, text []byte) bool {
	if len(text) != 2*len(dst) {
		return false
	}
	var bad byte
	for i := range dst {
		hi, lo := nibbles[text[2*i]], nibbles[text[2*i+1]]
		bad |= hi | lo
		dst[i] = hi<<4 | lo
	}
	return bad < 0x10
}

// ParseQuantity reads a height, a time or an index of JSON-RPC: 0x and 1 to 16 digits. One that a database cannot hold
// is none.
func ParseQuantity(text []byte) (uint64, bool) {
	v, ok := parseUint(text)
	return v, ok && v <= math.MaxInt64
}

func parseUint(text []byte) (uint64, bool) {
	if len(text) < 3 || len(text) > 18 || text[0] != '0' || text[1] != 'x' {
		return 0, false
	}
	var v uint64
	for _, c := range text[2:] {
		n := nibbles[c]
		if n > 0xf {
			return 0, false
		}
		v = v<<4 | uint64(n)
	}
	return v, true
}

// Quantity writes a number as JSON-RPC expects it.
func Quantity(v uint64) string { return "0x" + strconv.FormatUint(v, 16) }

// Hex writes bytes as 0x and lower-case digits.
func Hex(b []byte) string { return "0x" + hex.EncodeToString(b) }
