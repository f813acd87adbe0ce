package wallet

import (
	"crypto/ecdsa"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/secret"
)

// EVM is a key of the EVM networks. It is safe for concurrent use.
type EVM struct {
	masked
	key     closed[*ecdsa.PrivateKey]
	address common.Address
}

// ParseEVM reads a private key: 32 bytes in hexadecimal, with 0x or without.
// It fails with fault.Invalid; the message does not hold the text.
func ParseEVM(text secret.Text) (*EVM, error) {
	digits := strings.TrimSpace(text.Reveal())
	digits = strings.TrimPrefix(strings.TrimPrefix(digits, "0x"), "0X")
	raw, err := hex.DecodeString(digits)
	if err != nil || len(raw) != 32 {
		return nil, fault.New(fault.Invalid, "a private key is 0x followed by 64 hexadecimal digits")
	}
	key, err := crypto.ToECDSA(raw)
	if err != nil {
		return nil, fault.New(fault.Invalid, "the private key is outside the range of the curve secp256k1; make one with `florin keygen --evm`")
	}
	return newEVM(key), nil
}

// GenerateEVM makes a new key and returns it with its text, which ParseEVM reads.
func GenerateEVM() (*EVM, secret.Text, error) {
	key, err := crypto.GenerateKey()
	if err != nil {
		return nil, secret.Text{}, fmt.Errorf("make an EVM key: %w", err)
	}
	return newEVM(key), secret.New("0x" + hex.EncodeToString(crypto.FromECDSA(key))), nil
}

func newEVM(key *ecdsa.PrivateKey) *EVM {
	return &EVM{key: enclose(key), address: crypto.PubkeyToAddress(key.PublicKey)}
}

// Address returns the account of the key.
func (k *EVM) Address() common.Address { return k.address }

// Wallet returns the account of the key with its checksum (EIP-55).
func (k *EVM) Wallet() chain.Address { return chain.Address(k.address.Hex()) }

// SignTx returns the transaction signed for the chain with that id (EIP-155).
// It refuses a transaction that names another chain, on which the signature
// would be valid.
func (k *EVM) SignTx(tx *types.Transaction, chainID *big.Int) (*types.Transaction, error) {
	if chainID == nil || chainID.Sign() <= 0 {
		return nil, errors.New("sign a transaction: the chain id is missing")
	}
	if tx.Type() != types.LegacyTxType && tx.ChainId().Cmp(chainID) != 0 {
		return nil, fmt.Errorf("sign a transaction: it names chain %s, not %s", tx.ChainId(), chainID)
	}
	signed, err := types.SignTx(tx, types.LatestSignerForChainID(chainID), k.key())
	if err != nil {
		return nil, fmt.Errorf("sign a transaction for chain %s: %w", chainID, err)
	}
	return signed, nil
}
