package store

import (
	"strconv"
	"testing"

	"github.com/florinpay/florin/internal/fault"
)

// FuzzParsePosition: a cursor of the feed that is taken names the position that
// was given out, which no event was before.
func FuzzParsePosition(f *testing.F) {
	for _, text := range []string{
		"", "0", "1", "42", "-1", "-0", "+1", "007", "9223372036854775807",
		"9223372036854775808", "1e3", "0x1", "1_000", " 1", "٣", "1\x00",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := parsePosition(text)
		switch {
		case err != nil && (!fault.Is(err, fault.Invalid) || n != 0):
			t.Fatalf("%q is read as %d, %v", text, n, err)
		case err == nil && text != "" && strconv.FormatInt(n, 10) != text, err == nil && n < 0:
			t.Fatalf("%q is read as %d, which was never given out so", text, n)
		}
	})
}
