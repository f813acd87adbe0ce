package chain

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

var (
	// evmSpaced is an EVM address, also with spaces or punctuation between its digits; evmBare one without 0x.
	evmSpaced = regexp.MustCompile(`(?i)0[\s\pP\pS]*x(?:[\s\pP\pS]*[0-9a-f]){40}`)
	evmBare   = regexp.MustCompile(`(?i)(?:^|[^0-9a-z])[0-9a-f]{40}(?:[^0-9a-z]|$)`)
	// base58Run is what an address of Solana may be part of.
	base58Run = regexp.MustCompile(`[1-9A-HJ-NP-Za-km-z]{4,}`)
	// gap is what may stand between the parts of an address that was cut.
	gap = regexp.MustCompile(`^[\s\pP\pS]+$`)
)

// HoldsAddress reports whether a text holds the address of a wallet of one of the networks, also where spaces or
// punctuation part it, or compatibility characters write it: whoever reads it might send money there.
func HoldsAddress(text string) bool {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, norm.NFKC.String(text))
	return evmSpaced.MatchString(text) || evmBare.MatchString(text) || holdsSolana(text)
}

// holdsSolana joins neighbouring parts that look random, and reports whether 32 bytes in base58 begin in what results.
func holdsSolana(text string) bool {
	joined, end := "", 0
	for _, at := range base58Run.FindAllStringIndex(text, -1) {
		part := text[at[0]:at[1]]
		if !random(part) {
			joined, end = "", at[1]
			continue
		}
		if joined != "" && !gap.MatchString(text[end:at[0]]) {
			joined = ""
		}
		joined, end = joined+part, at[1]
		for from := max(0, len(joined)-len(part)-solanaLongest); from < len(joined); from++ {
			for length := solanaShortest; length <= solanaLongest && from+length <= len(joined); length++ {
				if _, err := parseSolana(joined[from : from+length]); err == nil {
					return true
				}
			}
		}
	}
	return false
}

// random reports whether a part of a text is no word: it has digits between letters, or capitals after small letters.
func random(part string) bool {
	var digit, letter, inner bool
	for i, r := range part {
		digit = digit || unicode.IsDigit(r)
		letter = letter || unicode.IsLetter(r)
		inner = inner || i > 0 && unicode.IsUpper(r) && unicode.IsLower(rune(part[i-1]))
	}
	return digit && letter || inner
}
