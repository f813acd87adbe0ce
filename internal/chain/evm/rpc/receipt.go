package rpc

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/endpoint"
)

// BlockOf returns the head of the block that the receipt names. It fails with
// chain.ErrReorged if that block is not in the node's chain.
func BlockOf(ctx context.Context, e *Endpoint, r Receipt) (chain.Head, error) {
	results, err := e.Results(ctx, BlockByNumber(r.Block))
	if err != nil {
		return chain.Head{}, err
	}
	h, ok, err := ParseNumberedHeader(results[0], r.Block)
	if err != nil {
		return chain.Head{}, err
	}
	if !ok || h.Hash != r.BlockHash {
		return chain.Head{}, chain.ErrReorged
	}
	return h.Head(), nil
}

// Receipt is the part of a transaction's receipt that Florin reads.
type Receipt struct {
	Tx        Hash
	Block     uint64
	BlockHash Hash
	Failed    bool
	Logs      []ReceiptLog
}

// ReceiptLog is a log of a transaction. Transfer is set for ERC-20 transfers
// only. A failed transaction has no logs.
type ReceiptLog struct {
	IsTransfer bool
	Transfer   TransferLog
}

// ReceiptCall asks for the receipt of a transaction.
func ReceiptCall(tx Hash) Call { return NewCall("eth_getTransactionReceipt", tx.String()) }

// ParseReceipt reads the receipt of tx; ok is false for null: the node knows no
// block with the transaction.
func ParseReceipt(raw []byte, tx Hash) (r Receipt, ok bool, err error) {
	if IsNull(raw) {
		return Receipt{}, false, nil
	}
	defer func() { err = endpoint.OfItem(err, true) }()
	var text struct {
		TransactionHash, BlockNumber, BlockHash, Status string
		Logs                                            json.RawMessage
	}
	if json.Unmarshal(raw, &text) != nil {
		return Receipt{}, false, Malformed("receipt")
	}
	var okTx, okNumber, okHash bool
	r.Tx, okTx = ParseHash(text.TransactionHash)
	r.Block, okNumber = ParseQuantity([]byte(text.BlockNumber))
	r.BlockHash, okHash = ParseHash(text.BlockHash)
	if !okTx || !okNumber || !okHash || r.Tx != tx || text.Status != "0x1" && text.Status != "0x0" {
		return Receipt{}, false, Malformed("receipt")
	}
	r.Failed = text.Status == "0x0"
	err = ReadLogs(text.Logs, r.add)
	return r, err == nil, err
}

// add appends the next log of the receipt.
func (r *Receipt) add(l *RawLog) error {
	if !l.IsTransfer() {
		r.Logs = append(r.Logs, ReceiptLog{})
		return nil
	}
	e, ok := l.Decode()
	if !ok {
		// Any contract may log this topic with other data.
		r.Logs = append(r.Logs, ReceiptLog{})
		return nil
	}
	if e.Tx != r.Tx || e.BlockHash != r.BlockHash || r.Failed {
		return Malformed("receipt with logs of another transaction")
	}
	r.Logs = append(r.Logs, ReceiptLog{IsTransfer: true, Transfer: e})
	return nil
}

// HasAll reports whether the receipt has the logs, each as often as it was found at another index within the block. The
// index itself does not count: some nodes number the logs of a receipt anew.
func (r Receipt) HasAll(found []TransferLog) bool {
	for _, e := range found {
		want, has := 0, 0
		counted := make(map[uint64]bool)
		for _, o := range found {
			if o.same(e) && !counted[o.Index] {
				counted[o.Index] = true
				want++
			}
		}
		for _, l := range r.Logs {
			if l.IsTransfer && l.Transfer.same(e) {
				has++
			}
		}
		if has < want {
			return false
		}
	}
	return true
}

// Unnumbered returns the receipt without the indexes of its logs within the block, of which endpoints need not say the
// same.
func (r Receipt) Unnumbered() Receipt {
	r.Logs = slices.Clone(r.Logs)
	for i := range r.Logs {
		r.Logs[i].Transfer.Index = 0
	}
	return r
}

// HasAt reports whether the receipt has a transfer at the index within the block.
func (r Receipt) HasAt(index uint64) bool {
	return slices.ContainsFunc(r.Logs, func(l ReceiptLog) bool { return l.IsTransfer && l.Transfer.Index == index })
}
