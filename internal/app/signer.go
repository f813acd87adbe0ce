package app

import (
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/wallet"
)

// SignerOf returns who signed the message (EIP-191), or fault.Invalid for what
// is no signature.
func (wallets) SignerOf(message, signature string) (chain.Address, error) {
	return wallet.SignerOf(message, signature)
}
