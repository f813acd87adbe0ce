package input

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/florinpay/florin/internal/fault"
)

// LoneSurrogate stands for half of a character in a text that was read from JSON, whose escapes can write one while
// UTF-8 cannot. It is no character, so nobody else sends it.
const LoneSurrogate = '\ufdd0'

// Mended returns a text for people as it is stored: what programs and keyboards add to it unseen is taken for what it
// means, or left out. The end of a line is a line feed, a tab a space, and characters that do not print are gone. What
// would make the text read as another one stays, for Problem to name: it is refused, not mended.
func Mended(text string) string {
	if plain(text) || !utf8.ValidString(text) {
		return text
	}
	text = strings.Map(func(r rune) rune {
		switch r {
		case '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
			return '\n'
		case '\t':
			return ' '
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n"))
	return without(text, func(r rune) bool { return refused[r] == "" })
}

// refused are the characters that are not mended, in words: what ends a text in other programs, is half of a character,
// or turns the direction of what follows.
var refused = map[rune]string{
	0:             "the control character NUL",
	LoneSurrogate: "half of a character, a lone surrogate",
	'\u202a':      "the invisible character left-to-right embedding",
	'\u202b':      "the invisible character right-to-left embedding",
	'\u202c':      "the invisible character pop directional formatting",
	'\u202d':      "the invisible character left-to-right override",
	'\u202e':      "the invisible character right-to-left override",
	'\u2066':      "the invisible character left-to-right isolate",
	'\u2067':      "the invisible character right-to-left isolate",
	'\u2068':      "the invisible character first strong isolate",
	'\u2069':      "the invisible character pop directional isolate",
}

// Problem returns, in words, the first thing in a text that a reader cannot see but that changes the text around it;
// empty if there is none. What it returns completes "it must not hold".
func Problem(text string) (problem fault.Words, found bool) {
	if !utf8.ValidString(text) {
		return fault.Text("bytes that are not UTF-8"), true
	}
	r, ok := firstHidden(text)
	words := refused[r]
	switch {
	case !ok:
		return problem, false
	case r == LoneSurrogate:
		return fault.Text(words), true
	case words == "" && unicode.IsControl(r):
		words = "a control character"
	case words == "":
		words = "an invisible character"
	}
	if name, named := strings.CutPrefix(words, "the invisible character "); named {
		return fault.Text("the invisible character %s (%U)", name, r), true
	}
	return fault.Text("%s (%U)", fault.Text(words), r), true
}
