package rpc

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
)

// RebuildReceipt assembles the receipt of a successful transaction from all
// logs of its block, for nodes that have dropped the transaction from their
// index. ok is false when the block has neither the transaction nor a log of
// it.
func RebuildReceipt(ctx context.Context, e *Endpoint, tx Hash, block Header) (r Receipt, ok bool, err error) {
	replies, err := e.Ask(ctx, BlockByNumber(block.Number),
		NewCall("eth_getLogs", map[string]any{"blockHash": block.Hash.String()}))
	if err != nil {
		return Receipt{}, false, err
	}
	if replies[0].Err != nil {
		return Receipt{}, false, CallError(replies[0].Err)
	}
	if replies[1].Err != nil {
		return Receipt{}, false, LogsError(replies[1].Err)
	}
	if ok, err := blockHolds(replies[0].Result, block, tx); !ok || err != nil {
		return Receipt{}, false, err
	}
	g := receiptBuilder{Receipt: Receipt{Tx: tx, Block: block.Number, BlockHash: block.Hash}}
	if err := ReadLogs(replies[1].Result, g.add); err != nil {
		return Receipt{}, false, err
	}
	slices.SortFunc(g.logs, func(a, b indexedLog) int { return cmp.Compare(a.index, b.index) })
	for i, f := range g.logs {
		if i > 0 && f.index == g.logs[i-1].index {
			continue // the node has shown it twice
		}
		g.Logs = append(g.Logs, f.ReceiptLog)
	}
	return g.Receipt, len(g.Logs) > 0, nil
}

// blockHolds reads the answer to BlockByNumber(block.Number): whether the chain
// has the block, and the block the transaction.
func blockHolds(raw []byte, block Header, tx Hash) (bool, error) {
	h, ok, err := ParseNumberedHeader(raw, block.Number)
	if err != nil || !ok || h.Hash != block.Hash {
		return false, err
	}
	var text struct{ Transactions []string }
	if json.Unmarshal(raw, &text) != nil {
		return false, Malformed("block")
	}
	return slices.ContainsFunc(text.Transactions, func(t string) bool { return SameHex([]byte(t), tx.String()) }), nil
}

// receiptBuilder collects the logs of one transaction from those of its block.
type receiptBuilder struct {
	Receipt
	logs []indexedLog
}

type indexedLog struct {
	ReceiptLog
	index uint64
}

func (g *receiptBuilder) add(l *RawLog) error {
	var owner, block Hash
	index, okIndex := ParseQuantity(l.index)
	if !ParseBytes(owner[:], l.tx) || !ParseBytes(block[:], l.hash) || !okIndex || block != g.BlockHash {
		return Malformed("logs of a block")
	}
	if owner == g.Tx && !l.Removed {
		entry, ok := l.Decode()
		g.logs = append(g.logs, indexedLog{ReceiptLog{ok, entry}, index})
	}
	return nil
}
