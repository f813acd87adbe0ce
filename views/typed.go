package views

import (
	"regexp"
	"strings"
	"unicode"
)

// Plain reads an amount as payers type it: with the digits and separators of their script and the sign of the
// currency. It returns a plain decimal ("1234.5"), or an empty text if it is not a number. Separators are read as in
// the language ("1.234" is more than a thousand in German), and if that fails, the other way round ("12,50" in
// English). The payer sees the result before they send anything.
func (l *Locale) Plain(typed string) string {
	if len(typed) > maxTyped {
		return ""
	}
	text := strings.TrimSpace(strings.Map(plainRune, typed))
	text = strings.TrimSpace(currency.ReplaceAllString(text, ""))
	text = noCents.ReplaceAllString(text, "")
	own, other := l.separators, separators{decimal: ".", group: ","}
	if own.decimal == "." {
		other = separators{decimal: ",", group: "."}
	}
	if plain, ok := own.read(text); ok {
		return plain
	}
	plain, _ := other.read(text)
	return plain
}

// Readings reads an amount as Plain does, for one that acts before it is seen again. other is the second reading of
// what ends in three decimals here and in a group of thousands elsewhere ("1.500" in English): amounts have two
// decimals, so whoever typed it may have meant either. It is empty where there is one reading.
func (l *Locale) Readings(typed string) (plain, other string) {
	const group = 3
	if plain = l.Plain(typed); plain == "" {
		return "", ""
	}
	_, decimals, _ := strings.Cut(plain, ".")
	whole := strings.ReplaceAll(plain, ".", "")
	if len(decimals) == group && whole[0] != '0' && len(whole) <= 2*group {
		return plain, whole
	}
	return plain, ""
}

// maxTyped is more than any amount takes, in bytes.
const maxTyped = 100

// currency is what may stand before or after an amount: one dollar is one token.
var currency = regexp.MustCompile(`(?i)^(usd[tc]?|us\$|\$)|(usd[tc]?|us\$|\$)$`)

// noCents stands for the cents of a whole amount in German ("12,-").
var noCents = regexp.MustCompile(`[.,][-–—]{1,2}$`)

// zeros are the digits 0 of the scripts our languages are written in, besides our own: Arabic-Indic, its eastern
// form, Devanagari, and full width. The other nine follow each.
var zeros = []rune{'\u0660', '\u06f0', '\u0966', '\uff10'}

// anyDecimal is the decimal separator of Arabic, which means nothing else in any language.
const anyDecimal = '\u066b'

// plainRune writes a digit of any script as ours, and a separator as the one it stands for: one that only ever
// separates groups of digits becomes a space. Marks of direction, which come with what is pasted, are left out.
func plainRune(r rune) rune {
	for _, zero := range zeros {
		if r >= zero && r <= zero+9 {
			return '0' + r - zero
		}
	}
	switch {
	case r == '\uff0c':
		return ','
	case r == '\uff0e':
		return '.'
	case r == '\'' || r == '’' || r == '\u066c' || unicode.IsSpace(r):
		return ' '
	case unicode.Is(unicode.Cf, r):
		return -1
	}
	return r
}

// read reads a number whose separators stand where they belong, or are not there.
func (s separators) read(text string) (plain string, ok bool) {
	text = strings.ReplaceAll(text, string(anyDecimal), s.decimal)
	whole, fraction, _ := strings.Cut(text, s.decimal)
	if whole+fraction == "" || !digits(fraction) {
		return "", false
	}
	if !digits(whole) {
		between := " "
		if strings.Contains(whole, s.group) {
			between = s.group
		}
		groups := strings.Split(whole, between)
		if !s.areGroups(groups) {
			return "", false
		}
		whole = strings.Join(groups, "")
	}
	if whole == "" {
		whole = "0"
	}
	if fraction == "" {
		return whole, true
	}
	return whole + "." + fraction, true
}

// areGroups reports whether digits are grouped as in numbers: one to three, then three each, or two where the
// language counts in lakhs.
func (s separators) areGroups(groups []string) bool {
	last := len(groups) - 1
	for i, g := range groups {
		fits := len(g) == 3 || s.lakh && i < last && len(g) == 2
		if i == 0 {
			fits = len(g) >= 1 && len(g) <= 3 && g[0] != '0'
		}
		if !fits || !digits(g) {
			return false
		}
	}
	return true
}
