package lookup

import (
	"encoding/hex"
	"net/url"
	"strings"

	"github.com/mr-tron/base58"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
)

const (
	evmHashLen   = 32
	signatureLen = 64
	// maxLookupText is longer than any explorer's link to a transaction.
	maxLookupText = 512
)

var errNotHash = fault.About(fault.Invalid, "hash",
	"must be the hash of a transaction (0x and 64 letters and digits; on Solana a signature of 87 or 88), "+
		"the address of its page at a block explorer, or the address the money was sent from")

// parseHash reads a transaction hash: bare, without 0x, or as the last part
// of a link to an explorer. It returns the networks it can be on.
func parseHash(text string) (chain.TxHash, []chain.Network, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxLookupText {
		return "", nil, errNotHash
	}
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		parts := strings.Split(strings.Trim(u.Path, "/"), "/")
		text = parts[len(parts)-1]
	}
	digits := strings.TrimPrefix(strings.ToLower(text), "0x")
	if raw, err := hex.DecodeString(digits); err == nil && len(raw) == evmHashLen {
		return chain.TxHash("0x" + digits), []chain.Network{chain.BEP20, chain.Polygon, chain.Base}, nil
	}
	if raw, err := base58.Decode(text); err == nil && len(raw) == signatureLen {
		return chain.TxHash(text), []chain.Network{chain.Solana}, nil
	}
	return "", nil, errNotHash
}
