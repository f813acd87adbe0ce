package input

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/florinpay/florin/internal/fault"
)

// mends are texts as programs send them, and as they are stored.
var mends = map[string]string{
	"": "", "Two tickets": "Two tickets", "  kept  ": "  kept  ", "a\nb": "a\nb",
	"Please ring\r\nat the door": "Please ring\nat the door", "a\rb": "a\nb", "a\r\r\nb": "a\n\nb", "a\n\rb": "a\n\nb",
	"\r\n": "\n", "a\r\n": "a\n", "a\tb": "a b", "\t": " ", "a\t\tb": "a  b", "a\vb": "a\nb", "a\fb": "a\nb",
	"a\u0085b": "a\nb", "a\u2028b": "a\nb", "a\u2029b": "a\nb", "a\r\u2028b": "a\n\nb",
	"so\u00adlar": "solar", "a\u200bb": "ab", "\ufeffOrder 7": "Order 7", "a\u2060b": "ab", "caf\u200fe": "cafe",
	"a\u200eb": "ab", "a\u061cb": "ab", "\u200b": "", "\u200b\u200b x": " x", "a\u180eb": "ab", "a\u034fb": "ab",
	"a\u2061b\u2062c\u2063d\u2064e": "abcde", "a\u206ab\u206fc": "abc", "a\ufff9b\ufffac\ufffb": "abc",
	"a\u115fb\u1160c\u3164d\uffa0e": "abcde", "a\u2800b": "ab", "a\U000e0041b": "ab", "a\U000e0001b": "ab",
	"a\x1bb": "ab", "a\x07b": "ab", "a\x7fb": "ab", "a\u009bb": "ab", "a\x08b": "ab", "a\uffffb": "ab",
	"a\u200db": "ab", "a\u200cb": "ab", "1\ufe0f2": "12", "a\ufe0e": "a", "👩\u200d\u200d🚀": "👩🚀",
	"می\u200cخواهم": "می\u200cخواهم", "👩🏽\u200d🚀": "👩🏽\u200d🚀", "क्\u200dष": "क्\u200dष", "❤\ufe0f": "❤\ufe0f",
	"12\u202f500\u00a0€": "12\u202f500\u00a0€", "e\u0301": "e\u0301", "caf\ufffd": "caf\ufffd", "\ufffc": "\ufffc",
	"\ue000": "\ue000", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f": "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
	"支付\u3000🧾": "支付\u3000🧾", "متجر\u200f": "متجر", "a\u200b\r\n\u200b\tb": "a\n b", "<b>&\"'\\": "<b>&\"'\\",
}

func TestMended(t *testing.T) {
	t.Parallel()
	for text, want := range mends {
		got, err := Lines("description", text, 100)
		if err != nil || got != want {
			t.Errorf("%+q is stored as %+q (%v), want %+q", text, got, err, want)
		}
		if again := Mended(got); again != got {
			t.Errorf("%+q is mended twice: %+q", got, again)
		}
	}
}

// TestMended_Table: each line of testdata/texts.txt has a text as it is sent and as it is stored, in quotes as Go has
// them.
func TestMended_Table(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("testdata/texts.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(table)) {
		var sent, want string
		if _, err := fmt.Sscanf(line, "%q %q", &sent, &want); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		n++
		if got, err := Lines("description", sent, 100); err != nil || got != want {
			t.Errorf("%+q is stored as %+q (%v), want %+q", sent, got, err, want)
		}
	}
	if n < 180 {
		t.Errorf("%d texts", n)
	}
}

// A text of one line has no line breaks and no space around it.
func TestText_OneLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Corner Shop": "Corner Shop", " \u200bCorner\r\nShop\u200b\t ": "Corner Shop", "\ufeff": "", "a\u2028b": "a b",
		"\nShop\n": "Shop", "So\u00adlar\tShop": "Solar Shop",
	} {
		if got, err := Text("name", text, MaxName); err != nil || got != want {
			t.Errorf("%+q is stored as %+q (%v), want %+q", text, got, err, want)
		}
	}
}

// What would make a text read as another one is refused, and shown in words: nobody can see it.
func TestText_Refused(t *testing.T) {
	t.Parallel()
	for r, words := range map[rune]string{
		0: "control character NUL (U+0000)", LoneSurrogate: "lone surrogate",
		'\u202a': "left-to-right embedding (U+202A)", '\u202b': "right-to-left embedding (U+202B)",
		'\u202c': "pop directional formatting (U+202C)", '\u202d': "left-to-right override (U+202D)",
		'\u202e': "right-to-left override (U+202E)", '\u2066': "left-to-right isolate (U+2066)",
		'\u2067': "right-to-left isolate (U+2067)", '\u2068': "first strong isolate (U+2068)",
		'\u2069': "pop directional isolate (U+2069)",
	} {
		for _, text := range []string{"a" + string(r) + "b", string(r), "متجر" + string(r), "a\r\n\u200b" + string(r)} {
			for kind, read := range map[string]func(string, string, int) (string, error){"text": Text, "lines": Lines} {
				_, err := read("reference", text, 100)
				if f := fault.Of(err); f == nil || f.Field != "reference" || !strings.Contains(f.Message, words) {
					t.Errorf("%+q as %s: %v, want %q", text, kind, err, words)
				}
			}
		}
	}
	for _, text := range []string{"\xff", "a\xc3", "\xed\xa0\x80", strings.Repeat("x", 101), strings.Repeat("ü", 101)} {
		if _, err := Lines("message", text, 100); !fault.Is(err, fault.Invalid) {
			t.Errorf("%+q passes: %v", text, err)
		}
	}
	if _, err := Lines("message", strings.Repeat("x\u200b", 100), 100); err != nil {
		t.Errorf("characters that are left out count: %v", err)
	}
}

// No format character of Unicode is stored beside Latin letters, unless it prints.
func TestMended_EveryFormatCharacter(t *testing.T) {
	t.Parallel()
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if !unicode.In(r, unicode.Cf, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point) ||
			unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
			continue
		}
		got, err := Text("name", fmt.Sprintf("a%cb", r), MaxName)
		if (err != nil) != (refused[r] != "") || err == nil && got != "ab" && got != "a b" {
			t.Errorf("%U: %+q, %v", r, got, err)
		}
	}
}
