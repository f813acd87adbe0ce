package lookup

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/mr-tron/base58"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
)

const (
	signatureLen = 64
	// maxSignature is the most digits of a signature, and maxLines in how many lines a hash may be broken.
	maxSignature, maxLines = 88, 4
	// maxLookupText is longer than any explorer's link to a transaction.
	maxLookupText = 512
)

var errNotHash = fault.About(fault.Invalid, "hash",
	"must be the hash of a transaction (0x and 64 letters and digits; on Solana a signature of 87 or 88), "+
		"the address of its page at a block explorer, or the address the money was sent from")

// hexHash is a hash with 0x; in lower case, the next label may follow at once ("Block"), since a field of one line
// leaves out the ends of lines. bareHash is one without 0x. word is what a signature may stand in.
var (
	hexHash  = regexp.MustCompile(`0x([0-9a-f]{64})(?:[^0-9a-f]|$)|0[xX]([0-9a-fA-F]{64})(?:[^0-9a-fA-F]|$)`)
	bareHash = regexp.MustCompile(`^[0-9a-fA-F]{64}$`)
	word     = regexp.MustCompile(`[0-9A-Za-z]+`)
)

// ParseHash finds a transaction hash in what a payer pasted: bare, without 0x, in a link to an explorer, behind a
// label, in quotes, or broken into lines. It returns the networks it can be on.
func ParseHash(text string) (chain.TxHash, []chain.Network, error) {
	if len(text) > maxLookupText {
		return "", nil, errNotHash
	}
	text = plain(text)
	fields := strings.Fields(text)
	for from := range fields {
		for to := from + 1; to <= min(from+maxLines, len(fields)); to++ {
			if hash, networks, ok := hashIn(strings.Join(fields[from:to], "")); ok {
				return hash, networks, nil
			}
		}
	}
	return "", nil, errNotHash
}

// plain is text without characters that have no width.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text)
}

// hashIn finds a hash in text without spaces.
func hashIn(text string) (chain.TxHash, []chain.Network, bool) {
	evm := []chain.Network{chain.BEP20, chain.Polygon, chain.Base}
	if found := hexHash.FindStringSubmatch(text); found != nil {
		return chain.TxHash("0x" + strings.ToLower(found[1]+found[2])), evm, true
	}
	for _, part := range word.FindAllString(text, -1) {
		if bareHash.MatchString(part) {
			return chain.TxHash("0x" + strings.ToLower(part)), evm, true
		}
		if len(part) > maxSignature {
			continue
		}
		if raw, err := base58.Decode(part); err == nil && len(raw) == signatureLen {
			return chain.TxHash(part), []chain.Network{chain.Solana}, true
		}
	}
	return "", nil, false
}
