package table

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

// The data of an event is JSON whose names and ids say the same in every row, and whose bytes must never change: it was
// signed and delivered, and is delivered again. So what is stored is that text with short codes in it, which only this
// file knows. JSON has no character below 0x20 as itself.
const (
	// codeRaw begins data that is stored as it is.
	codeRaw byte = iota
	// codeTime stands for a time as payment.TimeFormat writes it: 6 bytes, milliseconds since 1970.
	codeTime
	// codeHex stands for a hexadecimal text: a byte with the length, then a db.Packed.
	codeHex
	// codeParts is the code of the first part.
	codeParts
)

// idMark is where a part has the id of the payment.
const idMark = "%"

// parts are what events repeat. Rows are read with this list for ever: a part may be added at its end, none may be
// changed, removed or moved. There is room for 29, of which 28 are taken.
var parts = []string{
	`{"txnid":"%","status":"`, `completed","amount":`, `expired","amount":`, `cancelled","amount":`,
	`,"amountInToken":`, `,"network":"`, `","createdAt":"`, `","token":"`, `","hash":"`, `","receivedAmount":`,
	`,"reference":"`, `","metadata":{"`, `"},"eventId":"evt_%_`, `","metadata":{},"eventId":"evt_%_`, `"}`, `{"network":"`, `","address":"`, `","tx":"`,
	`","units":"`, `","asset":"`, `","block":`, `,"source":"`, `,"counted":true`, `USDC`, `USDT`, `{"until":"`,
	`","by":"`, `"reason":"`,
}

// longestFirst are the numbers of the parts, so that of two that fit the longer one is taken.
var longestFirst = func() []int {
	order := make([]int, len(parts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(parts[b]), len(parts[a])) })
	return order
}()

// PackEvent returns the data of an event of the payment as it is stored.
func PackEvent(id payment.ID, data []byte) []byte {
	if bytes.ContainsFunc(data, func(r rune) bool { return r < ' ' }) {
		return append([]byte{codeRaw}, data...)
	}
	out := make([]byte, 0, len(data)/2)
	for text := string(data); text != ""; {
		next, n := packNext(out, string(id), text)
		if out = next; n == 0 {
			out, n = append(out, text[0]), 1
		}
		text = text[n:]
	}
	return out
}

// packNext appends what the text begins with, if there is a code for it, and returns how much of the text that was.
func packNext(out []byte, id, text string) ([]byte, int) {
	switch c := text[0]; {
	case c == '0':
		return packHex(out, text)
	case c > '0' && c <= '9':
		return packTime(out, text)
	}
	for _, i := range longestFirst {
		if n := begins(text, parts[i], id); n > 0 {
			return append(out, codeParts+byte(i)), n
		}
	}
	return out, 0
}

// begins returns how much of the text the part takes, if the text begins with it.
func begins(text, part, id string) int {
	before, after, marked := strings.Cut(part, idMark)
	if !marked {
		id = ""
	}
	if strings.HasPrefix(text, before) && strings.HasPrefix(text[len(before):], id) &&
		strings.HasPrefix(text[len(before)+len(id):], after) {
		return len(before) + len(id) + len(after)
	}
	return 0
}

// leastHex is how many digits a text has that gets shorter.
const leastHex = 12

func packHex(out []byte, text string) ([]byte, int) {
	const prefix = "0x"
	digits, ok := strings.CutPrefix(text, prefix)
	n := strings.IndexFunc(digits, func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF", r) })
	if !ok || n < leastHex {
		return out, 0
	}
	packed := db.Packed(text[:len(prefix)+n]).Bytes()
	if len(packed) >= min(n, math.MaxUint8) {
		return out, 0
	}
	return append(append(out, codeHex, byte(len(packed))), packed...), len(prefix) + n
}

func packTime(out []byte, text string) ([]byte, int) {
	n := len(payment.TimeFormat)
	if len(text) < n {
		return out, 0
	}
	at, err := time.Parse(payment.TimeFormat, text[:n])
	if err != nil || at.UnixMilli() < 0 || at.UnixMilli() >= 1<<48 || at.UTC().Format(payment.TimeFormat) != text[:n] {
		return out, 0
	}
	out = append(out, codeTime)
	for shift := 40; shift >= 0; shift -= 8 {
		out = append(out, byte(at.UnixMilli()>>shift)) //nolint:gosec // the lowest byte of what is left
	}
	return out, n
}

// UnpackEvent returns the data of an event of the payment, byte for byte as it was packed.
func UnpackEvent(id payment.ID, stored []byte) ([]byte, error) {
	if len(stored) > 0 && stored[0] == codeRaw {
		return bytes.Clone(stored[1:]), nil
	}
	out := make([]byte, 0, 3*len(stored))
	for rest := stored; len(rest) > 0; {
		n := 1
		switch c := rest[0]; {
		case c >= ' ':
			out = append(out, c)
		case c == codeTime && len(rest) > 6:
			at := int64(0)
			for _, b := range rest[1:7] {
				at = at<<8 | int64(b)
			}
			out, n = time.UnixMilli(at).UTC().AppendFormat(out, payment.TimeFormat), 7
		case c == codeHex && len(rest) > 1 && len(rest) >= 2+int(rest[1]):
			var text db.Packed
			n = 2 + int(rest[1])
			if err := text.Scan(rest[2:n]); err != nil {
				return nil, fmt.Errorf("event of payment %s: %w", id, err)
			}
			out = append(out, text...)
		case c >= codeParts && int(c-codeParts) < len(parts):
			out = append(out, strings.Replace(parts[c-codeParts], idMark, string(id), 1)...)
		default:
			return nil, fmt.Errorf("event of payment %s: code %d is not known", id, c)
		}
		rest = rest[n:]
	}
	return out, nil
}
