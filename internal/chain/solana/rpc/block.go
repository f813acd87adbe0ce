package rpc

import (
	"context"
	"math"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// Commitments of the cluster. `processed` is never used: a single node may revert it.
const (
	Confirmed = "confirmed"
	Finalized = "finalized"
)

// Options are the named parameters of a call.
type Options map[string]any

// Slot returns the newest slot of the commitment that the node knows.
func (w *Client) Slot(ctx context.Context, commitment string) (uint64, error) {
	var slot uint64
	err := w.Ask(ctx, &slot, "getSlot", Options{"commitment": commitment})
	if err == nil && slot > maxHeight {
		err = Malformed("slot %d", slot)
	}
	return slot, err
}

// maxHeight is the largest slot or height that a database can hold; no chain reaches it.
const maxHeight = math.MaxInt64

// FirstSlot returns the first slot that the node has not forgotten; 0 if it does not say.
func (w *Client) FirstSlot(ctx context.Context) (uint64, error) {
	var slot uint64
	err := w.Ask(ctx, &slot, "getFirstAvailableBlock")
	if CodeOf(err) != 0 {
		return 0, nil // it does not offer the method
	}
	return slot, err
}

// Block is the part of a block that is read.
type Block struct {
	Blockhash  string   `json:"blockhash"`
	BlockTime  *int64   `json:"blockTime"`
	ParentSlot uint64   `json:"parentSlot"`
	Signatures []string `json:"signatures"`
}

// Block reads the block of a slot, with signatures if requested; ok is false if the node has none: the slot
// was skipped, is in the future, or is older than what the node keeps.
func (w *Client) Block(ctx context.Context, slot uint64, details string) (b Block, ok bool, err error) {
	b, ok, _, err = w.look(ctx, slot, details)
	return b, ok, err
}

// look is Block; skipped: the node says that the slot has no block.
func (w *Client) look(ctx context.Context, slot uint64, details string) (b Block, ok, skipped bool, err error) {
	var got *Block
	err = w.Ask(ctx, &got, "getBlock", slot, Options{
		"commitment": Confirmed, "transactionDetails": details,
		"rewards": false, "maxSupportedTransactionVersion": maxVersion,
	})
	switch CodeOf(err) {
	case 0:
	case CodeCleanedUp:
		w.cleanedUp(err)
		return Block{}, false, false, nil
	case CodeSkipped, CodeLongTermSkipped:
		return Block{}, false, true, nil
	case CodeNotAvailable, CodeNoHistory:
		return Block{}, false, false, nil
	}
	if err != nil || got == nil {
		return Block{}, false, false, err
	}
	if got.Blockhash == "" || got.BlockTime == nil {
		return Block{}, false, false, Malformed("block %d without hash or time", slot)
	}
	return *got, true, false, nil
}

// gaps are the distances, in slots, within which the newest block at or before a slot is searched: leaders
// that are down skip four slots each, an outage of the cluster thousands.
var gaps = []uint64{32, 1_024, 32_768, 500_000}

// Head returns the block at a slot. A skipped slot has the hash and the time of the newest block before it,
// so that every slot up to the newest has a head to compare; ok is false for a future slot and for one older
// than what the node keeps.
func (w *Client) Head(ctx context.Context, slot uint64) (chain.Head, bool, error) {
	b, ok, err := w.Block(ctx, slot, "none")
	if err != nil || ok {
		return b.Head(slot), ok, err
	}
	newest, err := w.Slot(ctx, Confirmed)
	if err != nil || slot > newest {
		return chain.Head{}, false, err
	}
	for _, gap := range gaps {
		first := slot - min(slot, gap)
		last, found, err := w.lastBlock(ctx, first, slot)
		if err != nil {
			return chain.Head{}, false, err
		}
		if found {
			b, ok, err := w.Block(ctx, last, "none")
			return b.Head(slot), ok, err
		}
		if first == 0 {
			break
		}
	}
	return chain.Head{}, false, nil
}

// maxRanges bounds how many ranges of slots are asked for where a node takes short ones only: QuickNode's trial plan
// takes 5 slots, which is more than a leader that is down skips.
const maxRanges = 64

// lastBlock returns the newest slot with a block of those from first to last.
func (w *Client) lastBlock(ctx context.Context, first, last uint64) (slot uint64, found bool, err error) {
	for range maxRanges {
		begin, slots, err := w.slots(ctx, first, last, false)
		if err != nil || len(slots) > 0 {
			return newest(slots), len(slots) > 0, err
		}
		if begin <= first {
			return 0, false, nil
		}
		last = begin - 1
	}
	return 0, false, nil
}

// firstBlock returns the oldest slot with a block of those from first to last.
func (w *Client) firstBlock(ctx context.Context, first, last uint64) (slot uint64, found bool, err error) {
	for range maxRanges {
		end, slots, err := w.slots(ctx, first, last, true)
		if err != nil || len(slots) > 0 {
			return oldest(slots), len(slots) > 0, err
		}
		if end >= last {
			return 0, false, nil
		}
		first = end + 1
	}
	return 0, false, nil
}

// slots lists the slots with blocks in as much of a range as the node takes at once: from its first slot on, or up to
// its last one. edge is where that ends.
func (w *Client) slots(ctx context.Context, first, last uint64, forward bool) (edge uint64, slots []uint64, err error) {
	for restore := w.known(&w.limits.slots); ; {
		n := w.size(&w.limits.slots, int(min(last-first+1, slotsPerCall)))
		begin, end := last-uint64(n)+1, last
		edge = begin
		if forward {
			begin, end = first, first+uint64(n)-1
			edge = end
		}
		err = w.Ask(ctx, &slots, "getBlocks", begin, end, Options{"commitment": Confirmed})
		switch {
		case err == nil:
			w.accept(&w.limits.slots, n)
			return edge, slots, nil
		case !w.refuse(&w.limits.slots, n, err):
			restore() // less does not help
			slot, found := w.nearest(ctx, first, last, forward)
			if !found {
				return 0, nil, err
			}
			return slot, []uint64{slot}, nil
		}
	}
}

// nearestSlots is how many slots are asked for one by one where a node does not list them: three leaders that are down
// skip twelve.
const nearestSlots = 16

// nearest returns the slot with a block that is the first in a range, or the last one, if it is among the nearest.
func (w *Client) nearest(ctx context.Context, first, last uint64, forward bool) (slot uint64, found bool) {
	for i := range min(last-first+1, nearestSlots) {
		slot = last - i
		if forward {
			slot = first + i
		}
		if _, ok, skipped, _ := w.look(ctx, slot, "none"); !skipped {
			return slot, ok
		}
	}
	return 0, false
}

func newest(slots []uint64) uint64 {
	if len(slots) == 0 {
		return 0
	}
	return slots[len(slots)-1]
}

func oldest(slots []uint64) uint64 {
	if len(slots) == 0 {
		return 0
	}
	return slots[0]
}

// Skipped reports whether the cluster made no block in the slot: the next block, at most in slot `last`, names one
// before it as its parent. A node that started from a snapshot after the slot does not have its block either.
func (w *Client) Skipped(ctx context.Context, slot, last uint64) (bool, error) {
	for _, gap := range gaps {
		next, found, err := w.firstBlock(ctx, slot+1, min(slot+gap, max(last, slot+1)))
		if err != nil {
			return false, err
		}
		if found {
			b, ok, err := w.Block(ctx, next, "none")
			return ok && b.ParentSlot < slot, err
		}
		if slot+gap >= last {
			break
		}
	}
	return false, nil
}

// Head returns the block as the head of a chain, at the slot; the zero Head for a block without a time.
func (b Block) Head(slot uint64) chain.Head {
	if b.BlockTime == nil {
		return chain.Head{}
	}
	return chain.Head{Number: slot, Hash: b.Blockhash, Time: time.Unix(*b.BlockTime, 0).UTC()}
}
