package solana

import (
	"context"
	"sync"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// reached checks that the node has reached the block, and that its chain contains it if it is not final.
func (e *endpoint) reached(ctx context.Context, at chain.Head) error {
	if !e.pool.blocks.has(at) {
		return e.hasBlock(ctx, at)
	}
	newest, err := e.Slot(ctx, rpc.Finalized)
	if err == nil && newest < at.Number {
		err = rpc.Lagging("slot %d is not finalized", at.Number)
	}
	return err
}

// hasBlock checks that the node's chain contains the block.
func (e *endpoint) hasBlock(ctx context.Context, at chain.Head) error {
	got, ok, err := e.Head(ctx, at.Number)
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
