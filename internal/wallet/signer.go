package wallet

import (
	"encoding/hex"
	"strings"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
)

var errSignature = fault.New(fault.Invalid,
	"a signature is 0x followed by 130 hexadecimal digits, as personal_sign returns it")

// SignerOf returns the EVM wallet that signed the message with personal_sign
// (EIP-191, version 0x45). It fails with fault.Invalid for a malformed
// signature.
func SignerOf(message, signature string) (chain.Address, error) {
	raw, err := hex.DecodeString(strings.TrimPrefix(strings.TrimSpace(signature), "0x"))
	if err != nil || len(raw) != crypto.SignatureLength {
		return "", errSignature
	}
	// Wallets write the recovery id as 27 or 28; the library wants 0 or 1.
	if v := &raw[crypto.RecoveryIDOffset]; *v >= 27 {
		*v -= 27
	}
	public, err := crypto.SigToPub(accounts.TextHash([]byte(message)), raw)
	if err != nil {
		return "", errSignature
	}
	return chain.Address(crypto.PubkeyToAddress(*public).Hex()), nil
}
