package rpc

import (
	"encoding/json"
	"math/big"

	"github.com/florinpay/florin/internal/chain/endpoint"
)

// Transaction is the part of a transaction that Florin reads.
type Transaction struct {
	hash     Hash
	From, To Address
	Value    *big.Int
	Block    Header // number and hash of the block that holds it; zero: none does
}

// TransactionCall asks for a transaction, in a block or pending.
func TransactionCall(tx Hash) Call { return NewCall("eth_getTransactionByHash", tx.String()) }

// ParseTransaction reads the answer to TransactionCall; ok is false for null, a
// transaction the node does not have.
func ParseTransaction(raw []byte, tx Hash) (t Transaction, ok bool, err error) {
	if IsNull(raw) {
		return Transaction{}, false, nil
	}
	defer func() { err = endpoint.OfItem(err, true) }()
	var text struct{ Hash, From, To, Value, BlockNumber, BlockHash string }
	if json.Unmarshal(raw, &text) != nil {
		return Transaction{}, false, Malformed("transaction")
	}
	var okHash bool
	t.hash, okHash = ParseHash(text.Hash)
	value, okValue := ParseBig(text.Value)
	okTo := text.To == "" || ParseBytes(t.To[:], []byte(text.To)) // none when it creates a contract
	if !okHash || t.hash != tx || !okValue || !okTo || !ParseBytes(t.From[:], []byte(text.From)) {
		return Transaction{}, false, Malformed("transaction")
	}
	t.Value = value
	if number, ok := ParseQuantity([]byte(text.BlockNumber)); ok {
		t.Block.Number = number
		t.Block.Hash, _ = ParseHash(text.BlockHash)
	}
	return t, true, nil
}
