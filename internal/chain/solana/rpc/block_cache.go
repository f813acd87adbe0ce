package rpc

import (
	"sync"

	"github.com/florinpay/florin/internal/chain"
)

// BlockCache keeps the heads of finalized slots, which never change unless an endpoint was wrong about one. It is safe
// for concurrent use.
type BlockCache struct {
	mu    sync.Mutex
	heads map[uint64]chain.Head
	order []uint64
}

// keptBlocks bounds the cache: some minutes of slots.
const keptBlocks = 2_048

// Keep adds a finalized block.
func (m *BlockCache) Keep(h chain.Head) {
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

// Drop forgets the block of a slot, which an endpoint denies.
func (m *BlockCache) Drop(slot uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.heads, slot)
}

// At returns the block of a slot, if it is known.
func (m *BlockCache) At(slot uint64) (chain.Head, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h, ok := m.heads[slot]
	return h, ok
}

// Has reports whether the block is known to be final.
func (m *BlockCache) Has(h chain.Head) bool {
	known, ok := m.At(h.Number)
	return ok && known.Same(h)
}
