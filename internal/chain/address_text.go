package chain

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

var (
	// evmHash is the hash of a transaction, to which nobody can send.
	evmHash = regexp.MustCompile(`(?i)\b(?:0x)?[0-9a-f]{64}\b`)
	// evmSpaced is an EVM address, also with spaces or punctuation between its digits; evmBare one without 0x.
	evmSpaced = regexp.MustCompile(`(?i)0[\s\pP\pS]*x(?:[\s\pP\pS]*[0-9a-f]){40}(?:[^0-9a-f]|$)`)
	evmBare   = regexp.MustCompile(`(?i)(?:^|[^0-9a-f])[0-9a-f]{40}(?:[^0-9a-f]|$)`)
	// walletName is a name that wallets take for an address; its end is no domain of the web.
	walletName = regexp.MustCompile(`(?i)[0-9a-z-]{3,}\.(?:eth|sol|bnb)(?:[^0-9a-z.-]|\.?$|\.\s)`)
	word       = regexp.MustCompile(`[0-9A-Za-z]+`)
	hexWord    = regexp.MustCompile(`^[0-9A-Fa-f]+$`)
	decimal    = regexp.MustCompile(`[0-9]`)
	// base58Run is what an address of Solana may be part of.
	base58Run = regexp.MustCompile(`[1-9A-HJ-NP-Za-km-z]{4,}`)
	// gap is what may stand between the parts of an address that was cut.
	gap = regexp.MustCompile(`^[\s\pP\pS]+$`)
)

// HoldsAddress reports whether a text holds the address of a wallet of one of the networks, also where spaces or
// punctuation part it, compatibility characters write it, or a name stands for it: whoever reads it might send money
// there.
func HoldsAddress(text string) bool {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, norm.NFKC.String(text))
	text = evmHash.ReplaceAllString(text, " ")
	return evmSpaced.MatchString(text) || evmBare.MatchString(text) || holdsParts(text) || holdsSolana(text) ||
		walletName.MatchString(text)
}

// evmLength is how many hexadecimal digits an EVM address has. That so many of them are letters, and so many are not,
// is true of nearly every address, and of no list of numbers or words.
const (
	evmLength = 40
	ofEach    = 6
)

// holdsParts reports whether neighbouring words are the digits of an EVM address without 0x.
func holdsParts(text string) bool {
	var parts []string
	end := 0
	for _, at := range word.FindAllStringIndex(text, -1) {
		part := text[at[0]:at[1]]
		if len(parts) > 0 && !gap.MatchString(text[end:at[0]]) || !hexWord.MatchString(part) {
			parts = nil
		}
		if !hexWord.MatchString(part) {
			continue
		}
		parts, end = append(parts, part), at[1]
		joined := ""
		for i := len(parts) - 1; i >= 0 && len(joined) < evmLength; i-- {
			joined = parts[i] + joined
		}
		digits := len(decimal.FindAllString(joined, -1))
		if len(joined) == evmLength && digits >= ofEach && evmLength-digits >= ofEach {
			return true
		}
	}
	return false
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
