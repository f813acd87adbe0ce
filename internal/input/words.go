package input

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWord is how many bytes of a word tell it from others: what is longer is no word that anybody types.
const maxWord = 64

// unspaced are the scripts that are written without spaces between words: each of their characters is one.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// Words returns the different words of texts as a search compares them, in their order: runs of letters and digits in
// lower case, without accents.
func Words(texts ...string) []string {
	var all []string
	for _, text := range texts {
		word := 0 // where the current word begins
		text = folded(text) + " "
		for i, r := range text {
			alone := unicode.In(r, unspaced...)
			if !alone && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)) {
				continue
			}
			all = append(all, cutWord(text[word:i]))
			if alone {
				all = append(all, string(r))
			}
			word = i + utf8.RuneLen(r)
		}
	}
	seen := map[string]bool{"": true}
	return slices.DeleteFunc(all, func(word string) bool {
		again := seen[word]
		seen[word] = true
		return again
	})
}

// folded returns a text in lower case and without accents.
func folded(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case r == 'ς': // at the end of a word
			return 'σ'
		}
		return r
	}, norm.NFKD.String(strings.ToLower(text)))
}

func cutWord(word string) string {
	if len(word) <= maxWord {
		return word
	}
	end := maxWord
	for !utf8.RuneStart(word[end]) {
		end--
	}
	return word[:end]
}
