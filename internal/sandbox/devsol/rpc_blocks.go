package devsol

import "fmt"

func getLatestBlockhash(l *Ledger, p *params) any {
	var o options
	p.into(0, &o)
	slot := p.at(l, o)
	hash, last := l.blockhash(slot).String(), l.height(slot)+blockhashAge
	return inContext(slot, map[string]any{"blockhash": hash, "lastValidBlockHeight": last})
}

// getPriorityFees reports that nothing is paid for priority.
func getPriorityFees(l *Ledger, _ *params) any {
	return []any{map[string]uint64{"slot": l.head, "prioritizationFee": 0}}
}

// lacks reports whether there is no block in the slot, which fails the call.
func (p *params) lacks(l *Ledger, slot uint64) bool {
	switch {
	case slot > l.head:
		p.fail(rpcFailure{Code: codeNotAvailable, Message: fmt.Sprintf("Block not available for slot %d", slot)})
	case l.isSkipped(slot):
		p.fail(rpcFailure{Code: codeSkippedSlot, Message: fmt.Sprintf("Slot %d was skipped, or missing due to ledger jump to recent snapshot", slot)})
	}
	return p.failed != nil
}

func getBlockTime(l *Ledger, p *params) any {
	var slot uint64
	p.into(0, &slot)
	if p.lacks(l, slot) {
		return nil
	}
	return l.timeOf(slot).Unix()
}

// maxBlocks is the limit of slots for getBlocks, as on real nodes.
const maxBlocks = 500_000

func getBlocks(l *Ledger, p *params) any {
	var first uint64
	last := l.head
	p.into(0, &first)
	p.into(1, &last)
	if last < first || last-first > maxBlocks {
		return p.badParams("Slot range too large; max %d", maxBlocks)
	}
	list := []uint64{}
	for slot := first; slot <= min(last, l.head); slot++ {
		if !l.isSkipped(slot) {
			list = append(list, slot)
		}
	}
	return list
}

func getBlock(l *Ledger, p *params) any {
	var slot uint64
	var o options
	p.into(0, &slot)
	p.into(1, &o)
	if p.lacks(l, slot) {
		return nil
	}
	parent := slot - 1
	for l.isSkipped(parent) {
		parent--
	}
	b := map[string]any{
		"blockhash":         l.blockhash(slot).String(),
		"previousBlockhash": l.blockhash(parent).String(), "parentSlot": parent,
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
	return b
}

// slotsPerEpoch is the length of an epoch, as on mainnet.
const slotsPerEpoch = 432_000

// getEpochInfo names a slot and the height of its block in one answer.
func getEpochInfo(l *Ledger, p *params) any {
	var o options
	p.into(0, &o)
	slot := p.at(l, o)
	return map[string]any{
		"absoluteSlot": slot, "blockHeight": l.height(slot), "epoch": slot / slotsPerEpoch,
		"slotIndex": slot % slotsPerEpoch, "slotsInEpoch": slotsPerEpoch, "transactionCount": nil,
	}
}
