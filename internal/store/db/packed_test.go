package db

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// packedTexts are texts of each form, and some that are nearly of one.
var packedTexts = []string{
	"", "x", "0x", "0x1", "0xab", "0xAB", "0xab\x01", "0X" + strings.Repeat("ab", 20), "0x" + strings.Repeat("0f", 32),
	"0x" + strings.Repeat("0", 40), "0x" + strings.Repeat("aB", 20),
	"0x" + strings.Repeat("Fa", 20), "0x" + strings.Repeat("AB", 32),
	"0x52908400098527886E0F7030069857D2E4169EE7", "0x52908400098527886e0f7030069857d2e4169ee7",
	"0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
}

func TestPacked_KeepsEachText(t *testing.T) {
	t.Parallel()
	seen := make(map[string]string)
	for _, text := range packedTexts {
		b := Packed(text).Bytes()
		var back Packed
		if err := back.Scan(b); err != nil || string(back) != text {
			t.Errorf("%q is read as %q, %v", text, back, err)
		}
		if err := back.ScanBytes(b); err != nil || string(back) != text {
			t.Errorf("%q is read from PostgreSQL as %q, %v", text, back, err)
		}
		if other, known := seen[string(b)]; known {
			t.Errorf("%q and %q are stored alike", text, other)
		}
		seen[string(b)] = text
	}
	for _, wrong := range []any{
		"text", []byte{9}, []byte{packedMixed, 1}, append([]byte{packedMixed}, bytes.Repeat([]byte{0xaa}, 20)...),
	} {
		if err := new(Packed).Scan(wrong); err == nil {
			t.Errorf("%v is read", wrong)
		}
	}
}

func TestPacked_HalfTheSpace(t *testing.T) {
	t.Parallel()
	for text, most := range map[string]int{
		"0x" + strings.Repeat("0f", 32): 33, "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359": 24, "": 0,
	} {
		if n := len(Packed(text).Bytes()); n > most {
			t.Errorf("%q takes %d bytes, at most %d are right", text, n, most)
		}
	}
}

// A text is in a range if and only if it begins with what is looked for; digits in any case.
func TestPackedBeginnings(t *testing.T) {
	t.Parallel()
	beginnings := []string{"0x", "0x0", "0x0f", "0xf", "0xff", "0xfB6", "0xFB69", "0x529", "x", "EPjF", "epjf", "0xzz"}
	for _, text := range packedTexts[1:] {
		for i := range len(text) {
			beginnings = append(beginnings, text[:i+1])
		}
	}
	for _, beginning := range beginnings {
		if beginning == "0" {
			continue
		}
		for _, text := range packedTexts[1:] {
			b := Packed(text).Bytes()
			found := false
			for _, r := range PackedBeginnings(beginning) {
				found = found || bytes.Compare(b, r.Low) >= 0 && bytes.Compare(b, r.High) < 0
			}
			want := strings.HasPrefix(text, beginning)
			if b[0] != packedText && strings.HasPrefix(strings.ToLower(beginning), hexPrefix) {
				want = strings.HasPrefix(strings.ToLower(text), strings.ToLower(beginning))
			}
			if found != want {
				t.Errorf("%q begins with %q: %v", text, beginning, found)
			}
		}
	}
}

func FuzzPacked(f *testing.F) {
	for _, text := range packedTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var back Packed
		if err := back.Scan(Packed(text).Bytes()); err != nil || string(back) != text {
			t.Fatal(fmt.Sprintf("%q is read as %q", text, back), err)
		}
	})
}
