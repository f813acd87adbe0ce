package solana

import (
	"context"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// Commitments of the cluster. `processed` is never used: a single node may revert it.
const (
	confirmed = "confirmed"
	finalized = "finalized"
)

// options are the named parameters of a call.
type options map[string]any

// slot returns the newest slot of the commitment that the node knows.
func (e *endpoint) slot(ctx context.Context, commitment string) (uint64, error) {
	var slot uint64
	err := e.ask(ctx, &slot, "getSlot", options{"commitment": commitment})
	return slot, err
}

// block is the part of a block that is read.
type block struct {
	Blockhash  string   `json:"blockhash"`
	BlockTime  *int64   `json:"blockTime"`
	ParentSlot uint64   `json:"parentSlot"`
	Signatures []string `json:"signatures"`
}

// block reads the block of a slot, with signatures if requested; ok is false if the node has none: the slot
// was skipped, is in the future, or is older than what the node keeps.
func (e *endpoint) block(ctx context.Context, slot uint64, details string) (b block, ok bool, err error) {
	var got *block
	err = e.ask(ctx, &got, "getBlock", slot, options{
		"commitment": confirmed, "transactionDetails": details,
		"rewards": false, "maxSupportedTransactionVersion": maxVersion,
	})
	switch rpc.CodeOf(err) {
	case 0:
	case rpc.CodeSkipped, rpc.CodeLongTermSkipped, rpc.CodeNotAvailable, rpc.CodeCleanedUp, rpc.CodeNoHistory:
		return block{}, false, nil
	}
	if err != nil || got == nil {
		return block{}, false, err
	}
	if got.Blockhash == "" || got.BlockTime == nil {
		return block{}, false, rpc.Malformed("block %d without hash or time", slot)
	}
	return *got, true, nil
}

// gaps are the distances, in slots, within which the newest block at or before a slot is searched: leaders
// that are down skip four slots each, an outage of the cluster thousands.
var gaps = []uint64{32, 1_024, 32_768, 500_000}

// head returns the block at a slot. A skipped slot has the hash and the time of the newest block before it,
// so that every slot up to the newest has a head to compare; ok is false for a future slot and for one older
// than what the node keeps.
func (e *endpoint) head(ctx context.Context, slot uint64) (chain.Head, bool, error) {
	b, ok, err := e.block(ctx, slot, "none")
	if err != nil || ok {
		return b.head(slot), ok, err
	}
	newest, err := e.slot(ctx, confirmed)
	if err != nil || slot > newest {
		return chain.Head{}, false, err
	}
	for _, gap := range gaps {
		first := slot - min(slot, gap)
		var slots []uint64
		if err := e.ask(ctx, &slots, "getBlocks", first, slot, options{"commitment": confirmed}); err != nil {
			return chain.Head{}, false, err
		}
		if len(slots) > 0 {
			b, ok, err := e.block(ctx, slots[len(slots)-1], "none")
			return b.head(slot), ok, err
		}
		if first == 0 {
			break
		}
	}
	return chain.Head{}, false, nil
}

// skipped reports whether the cluster made no block in the slot: the next block, at most in slot `last`, names one
// before it as its parent. A node that started from a snapshot after the slot does not have its block either.
func (e *endpoint) skipped(ctx context.Context, slot, last uint64) (bool, error) {
	for _, gap := range gaps {
		var slots []uint64
		if err := e.ask(
			ctx, &slots, "getBlocks", slot+1, min(slot+gap, max(last, slot+1)), options{"commitment": confirmed},
		); err != nil {
			return false, err
		}
		if len(slots) > 0 {
			b, ok, err := e.block(ctx, slots[0], "none")
			return ok && b.ParentSlot < slot, err
		}
		if slot+gap >= last {
			break
		}
	}
	return false, nil
}

func (b block) head(slot uint64) chain.Head {
	if b.BlockTime == nil {
		return chain.Head{}
	}
	return chain.Head{Number: slot, Hash: b.Blockhash, Time: time.Unix(*b.BlockTime, 0).UTC()}
}

// reached checks that the node has reached the block, and that its chain contains it if it is not final.
func (e *endpoint) reached(ctx context.Context, at chain.Head) error {
	if !e.pool.blocks.has(at) {
		return e.hasBlock(ctx, at)
	}
	newest, err := e.slot(ctx, finalized)
	if err == nil && newest < at.Number {
		err = rpc.Lagging("slot %d is not finalized", at.Number)
	}
	return err
}

// hasBlock checks that the node's chain contains the block.
func (e *endpoint) hasBlock(ctx context.Context, at chain.Head) error {
	got, ok, err := e.head(ctx, at.Number)
	switch {
	case err != nil:
		return err
	case !ok:
		return rpc.Lagging("slot %d is not there", at.Number)
	case got.Hash != at.Hash:
		return chain.ErrReorged
	}
	return nil
}

// blockCache keeps the heads of finalized slots, which never change.
type blockCache struct {
	mu    sync.Mutex
	heads map[uint64]chain.Head
	order []uint64
}

// keptBlocks bounds the cache: some minutes of slots.
const keptBlocks = 2_048

func (m *blockCache) keep(h chain.Head) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.heads == nil {
		m.heads = make(map[uint64]chain.Head)
	}
	if _, known := m.heads[h.Number]; known {
		return
	}
	m.heads[h.Number] = h
	if m.order = append(m.order, h.Number); len(m.order) > keptBlocks {
		delete(m.heads, m.order[0])
		m.order = m.order[1:]
	}
}

func (m *blockCache) at(slot uint64) (chain.Head, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h, ok := m.heads[slot]
	return h, ok
}

func (m *blockCache) has(h chain.Head) bool {
	known, ok := m.at(h.Number)
	return ok && known.Hash == h.Hash
}
