package solana

import (
	"context"
	"sync"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// cache keeps what one endpoint answered during one call of the adapter, so that a transaction that pays
// several accounts is read once.
type cache struct {
	e *endpoint

	mu           sync.Mutex
	transactions map[string]*rpc.Transaction
	heads        map[uint64]chain.Head
	slow         map[any]error // what took too long: a signature, or a slot
}

func newCache(e *endpoint) *cache {
	return &cache{
		e: e, transactions: make(map[string]*rpc.Transaction), heads: make(map[uint64]chain.Head),
		slow: make(map[any]error),
	}
}

// once calls patiently, unless the item took too long in this call of the adapter: whoever else needs it would wait for
// it, too. A caller that gave up itself says nothing of the item.
func (r *cache) once(ctx context.Context, item any, slot uint64, f func() error) error {
	r.mu.Lock()
	err := r.slow[item]
	r.mu.Unlock()
	if err != nil {
		return err
	}
	err = r.e.patiently(ctx, slot, f)
	if tookTooLong(err) && !gaveUp(ctx) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.slow[item] = err
	}
	return err
}

// transaction reads a transaction that the endpoint's index has listed. If it is missing all the same, a node
// behind the endpoint lags.
func (r *cache) transaction(ctx context.Context, signature string) (*rpc.Transaction, error) {
	r.mu.Lock()
	t, ok := r.transactions[signature]
	r.mu.Unlock()
	if ok {
		return t, nil
	}
	err := r.once(ctx, signature, 0, func() (err error) {
		if t, err = r.e.Transaction(ctx, signature); err == nil && t == nil {
			err = rpc.Lagging("transaction %s is not there", signature)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.transactions[signature] = t
	return t, nil
}

// head returns the block of a slot that holds a transaction.
func (r *cache) head(ctx context.Context, slot uint64) (chain.Head, error) {
	if h, ok := r.e.pool.blocks.At(slot); ok {
		return h, nil
	}
	r.mu.Lock()
	h, ok := r.heads[slot]
	r.mu.Unlock()
	if ok {
		return h, nil
	}
	var b rpc.Block
	err := r.once(ctx, slot, slot, func() (err error) {
		if b, ok, err = r.e.Block(ctx, slot, "none"); err == nil && !ok {
			err = rpc.Lagging("block of slot %d is not there", slot)
		}
		return err
	})
	if err != nil {
		return chain.Head{}, err
	}
	h = b.Head(slot)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heads[slot] = h
	return h, nil
}
