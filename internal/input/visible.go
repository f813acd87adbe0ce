package input

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Characters that join or choose a variant of their neighbours. They print nothing
// by themselves.
const (
	nonJoiner   = '\u200c' // keeps two letters of a script from joining
	joiner      = '\u200d' // joins emoji, and letters of some scripts
	textStyle   = '\ufe0e'
	emojiStyle  = '\ufe0f'
	keycap      = '\u20e3'
	blackFlag   = '\U0001f3f4' // begins the flag of a region, whose code follows in tags
	firstTag    = '\U000e0020'
	endOfTags   = '\U000e007f'
	blank       = '\u2800' // a Braille cell without a dot
	maxFlagTags = 6        // such as gbeng of England
	vowelSign   = '\u180e' // parts a final vowel in Mongolian
)

// Hidden reports whether a character by itself does not print, is the end of a line, or is what a loop over a text that
// is not UTF-8 shows.
func Hidden(r rune) bool { return r == '\n' || r == utf8.RuneError || hiddenAt([]rune{r}, 0) }

// Visible returns the text without the characters that Problem names, for texts that are shown although a stranger
// wrote them, such as a User-Agent header.
func Visible(text string) string {
	return without(strings.ToValidUTF8(text, ""), func(rune) bool { return true })
}

// Name returns a name that somebody else gave, as a message calls it: what prints of it, up to maxShownName characters.
func Name(text string) string {
	runes := []rune(Visible(text[:min(len(text), maxShownName*utf8.UTFMax)]))
	return string(runes[:min(len(runes), maxShownName)])
}

const maxShownName = 64

// without returns the valid text without its hidden characters that are to be left out.
func without(text string, out func(rune) bool) string {
	for !plain(text) {
		runes := []rune(text)
		var b strings.Builder
		for i, r := range runes {
			if !hiddenAt(runes, i) || !out(r) {
				b.WriteRune(r)
			}
		}
		// A character may have had its place only because of one that is gone.
		if b.Len() == len(text) {
			break
		}
		text = b.String()
	}
	return text
}

// firstHidden returns the first character of a valid text that does not print but
// changes the text around it; ok is false if there is none.
func firstHidden(text string) (hidden rune, ok bool) {
	if plain(text) {
		return 0, false
	}
	runes := []rune(text)
	for i, r := range runes {
		if hiddenAt(runes, i) {
			return r, true
		}
	}
	return 0, false
}

// plain reports whether the text is printable ASCII and line feeds, as most are.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf || c < ' ' && c != '\n' || c == 0x7f {
			return false
		}
	}
	return true
}

// hiddenAt reports whether the character at i has no place there: controls but the
// line feed, what turns the direction of writing, what has no width, letters
// without a shape, and noncharacters. Those that join letters and emoji have a
// place between them.
func hiddenAt(text []rune, i int) bool {
	switch r := text[i]; {
	case r == '\n':
		return false
	case r == joiner, r == nonJoiner:
		return !joins(text, i)
	case r >= firstTag && r <= endOfTags:
		return !inFlag(text, i)
	case r == vowelSign:
		return !unicode.Is(unicode.Mongolian, at(text, i-1)) || !unicode.Is(unicode.Mongolian, at(text, i+1))
	case unicode.Is(unicode.Variation_Selector, r):
		return !selects(text, i)
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false // signs that enclose a number, which print
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Noncharacter_Code_Point):
		return true
	default:
		return r == blank
	}
}

// at returns the character at i, or 0 outside the text.
func at(text []rune, i int) rune {
	if i < 0 || i >= len(text) {
		return 0
	}
	return text[i]
}

// joins reports whether the joiner or non-joiner at i stands between two emoji
// (Unicode Technical Standard 51) or in a word of a script that uses it (Unicode
// Standard, section 23.2). A joiner may end a word after a virama.
func joins(text []rune, i int) bool {
	before, after := at(text, i-1), at(text, i+1)
	if text[i] == joiner && symbol(after) && (symbol(before) || before == emojiStyle && symbol(at(text, i-2))) {
		return true
	}
	base := i - 1
	for unicode.Is(unicode.Inherited, at(text, base)) {
		base-- // an accent of the letter before it
	}
	if !joining(at(text, base)) {
		return false
	}
	return joining(after) ||
		text[i] == joiner && unicode.Is(unicode.M, before) && !unicode.In(after, unicode.L, unicode.Cf)
}

// symbol reports whether a character may be a part of an emoji.
func symbol(r rune) bool {
	return unicode.In(r, unicode.So, unicode.Sm, unicode.Sk) && r > unicode.MaxASCII
}

// joining reports whether a character belongs to a script whose letters join.
func joining(r rune) bool {
	if !unicode.In(r, unicode.L, unicode.M) {
		return false
	}
	return unicode.In(r, unicode.Arabic, unicode.Bengali, unicode.Devanagari, unicode.Gujarati, unicode.Gurmukhi,
		unicode.Kannada, unicode.Khmer, unicode.Malayalam, unicode.Mongolian, unicode.Myanmar, unicode.Nko,
		unicode.Oriya, unicode.Sinhala, unicode.Syriac, unicode.Tamil, unicode.Telugu, unicode.Tibetan)
}

// selects reports whether the variation selector at i follows a character that has
// variants.
func selects(text []rune, i int) bool {
	r, before := text[i], at(text, i-1)
	switch {
	case r == emojiStyle || r == textStyle:
		if before <= unicode.MaxASCII {
			return at(text, i+1) == keycap && (before == '#' || before == '*' || before >= '0' && before <= '9')
		}
		return unicode.In(before, unicode.S, unicode.P)
	case r < textStyle && r >= '\ufe00':
		return unicode.In(before, unicode.Han, unicode.Myanmar, unicode.Phags_Pa) || symbol(before)
	case r < '\ufe00':
		return unicode.Is(unicode.Mongolian, before)
	}
	return unicode.Is(unicode.Han, before)
}

// inFlag reports whether the tag at i is part of the flag of a region: a black
// flag, the region's code in tags, and the end of tags.
func inFlag(text []rune, i int) bool {
	tag := func(r rune) bool { return r >= firstTag && r < endOfTags }
	first, last := i, i
	for tag(at(text, first-1)) {
		first--
	}
	for tag(at(text, last)) {
		last++
	}
	codes := last - first
	return at(text, first-1) == blackFlag && at(text, last) == endOfTags && codes >= 1 && codes <= maxFlagTags
}
