package devsol

import (
	"fmt"

	solana "github.com/gagliardetto/solana-go"
)

func getLatestBlockhash(l *Ledger, p params) (any, *rpcFailure) {
	var o options
	if failed := p.into(0, &o); failed != nil {
		return nil, failed
	}
	slot, failed := l.at(o)
	if failed != nil {
		return nil, failed
	}
	hash, last := l.blockhash(slot).String(), l.height(slot)+blockhashAge
	return inContext(slot, map[string]any{"blockhash": hash, "lastValidBlockHeight": last}), nil
}

func isBlockhashValid(l *Ledger, p params) (any, *rpcFailure) {
	var text string
	if failed := p.into(0, &text); failed != nil {
		return nil, failed
	}
	hash, err := solana.HashFromBase58(text)
	if err != nil {
		return nil, badParams("Invalid param: Invalid")
	}
	return l.reading(p, func(uint64, options) (any, *rpcFailure) { return l.recent(hash), nil })
}

// getPriorityFees reports that nothing is paid for priority.
func getPriorityFees(l *Ledger, _ params) (any, *rpcFailure) {
	return []any{map[string]uint64{"slot": l.head, "prioritizationFee": 0}}, nil
}

func (l *Ledger) noBlock(slot uint64) *rpcFailure {
	switch {
	case slot > l.head:
		return &rpcFailure{Code: codeNotAvailable, Message: fmt.Sprintf("Block not available for slot %d", slot)}
	case l.isSkipped(slot):
		return &rpcFailure{Code: codeSkippedSlot, Message: fmt.Sprintf("Slot %d was skipped, or missing due to ledger jump to recent snapshot", slot)}
	}
	return nil
}

func getBlockTime(l *Ledger, p params) (any, *rpcFailure) {
	var slot uint64
	if failed := p.into(0, &slot); failed != nil {
		return nil, failed
	}
	if failed := l.noBlock(slot); failed != nil {
		return nil, failed
	}
	return l.timeOf(slot).Unix(), nil
}

// maxBlocks is the limit of slots for getBlocks, as on real nodes.
const maxBlocks = 500_000

func getBlocks(l *Ledger, p params) (any, *rpcFailure) {
	var first uint64
	last := l.head
	if failed := p.into(0, &first); failed != nil {
		return nil, failed
	}
	if failed := p.into(1, &last); failed != nil {
		return nil, failed
	}
	if last < first || last-first > maxBlocks {
		return nil, badParams("Slot range too large; max %d", maxBlocks)
	}
	list := []uint64{}
	for slot := first; slot <= min(last, l.head); slot++ {
		if !l.isSkipped(slot) {
			list = append(list, slot)
		}
	}
	return list, nil
}

func getBlock(l *Ledger, p params) (any, *rpcFailure) {
	var slot uint64
	var o options
	if failed := p.into(0, &slot); failed != nil {
		return nil, failed
	}
	if failed := p.into(1, &o); failed != nil {
		return nil, failed
	}
	if failed := l.noBlock(slot); failed != nil {
		return nil, failed
	}
	parent := slot - 1
	for l.isSkipped(parent) {
		parent--
	}
	b := map[string]any{
		"blockhash": l.blockhash(
			slot,
		).String(), "previousBlockhash": l.blockhash(parent).String(), "parentSlot": parent,
		"blockHeight": l.height(slot), "blockTime": l.timeOf(slot).Unix(),
	}
	var results []*result
	if s, ok := l.slots[slot]; ok {
		results = s.results
	}
	switch o.Details {
	case "none":
	case "signatures":
		list := []string{}
		for _, r := range results {
			list = append(list, r.signature.String())
		}
		b["signatures"] = list
	default:
		list := []any{}
		for _, r := range results {
			list = append(list, l.shownTransaction(r))
		}
		b["transactions"] = list
	}
	return b, nil
}

// slotsPerEpoch is the length of an epoch, as on mainnet.
const slotsPerEpoch = 432_000

// getEpochInfo names a slot and the height of its block in one answer.
func getEpochInfo(l *Ledger, p params) (any, *rpcFailure) {
	var o options
	if failed := p.into(0, &o); failed != nil {
		return nil, failed
	}
	slot, failed := l.at(o)
	if failed != nil {
		return nil, failed
	}
	return map[string]any{
		"absoluteSlot": slot, "blockHeight": l.height(slot), "epoch": slot / slotsPerEpoch,
		"slotIndex": slot % slotsPerEpoch, "slotsInEpoch": slotsPerEpoch, "transactionCount": nil,
	}, nil
}
