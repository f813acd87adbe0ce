package rpc

import (
	"context"
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
	var got *Block
	err = w.Ask(ctx, &got, "getBlock", slot, Options{
		"commitment": Confirmed, "transactionDetails": details,
		"rewards": false, "maxSupportedTransactionVersion": maxVersion,
	})
	switch CodeOf(err) {
	case 0:
	case CodeSkipped, CodeLongTermSkipped, CodeNotAvailable, CodeCleanedUp, CodeNoHistory:
		return Block{}, false, nil
	}
	if err != nil || got == nil {
		return Block{}, false, err
	}
	if got.Blockhash == "" || got.BlockTime == nil {
		return Block{}, false, Malformed("block %d without hash or time", slot)
	}
	return *got, true, nil
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
		var slots []uint64
		if err := w.Ask(ctx, &slots, "getBlocks", first, slot, Options{"commitment": Confirmed}); err != nil {
			return chain.Head{}, false, err
		}
		if len(slots) > 0 {
			b, ok, err := w.Block(ctx, slots[len(slots)-1], "none")
			return b.Head(slot), ok, err
		}
		if first == 0 {
			break
		}
	}
	return chain.Head{}, false, nil
}

// Skipped reports whether the cluster made no block in the slot: the next block, at most in slot `last`, names one
// before it as its parent. A node that started from a snapshot after the slot does not have its block either.
func (w *Client) Skipped(ctx context.Context, slot, last uint64) (bool, error) {
	for _, gap := range gaps {
		var slots []uint64
		if err := w.Ask(
			ctx, &slots, "getBlocks", slot+1, min(slot+gap, max(last, slot+1)), Options{"commitment": Confirmed},
		); err != nil {
			return false, err
		}
		if len(slots) > 0 {
			b, ok, err := w.Block(ctx, slots[0], "none")
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
