package solana

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
	node "github.com/florinpay/florin/internal/chain/endpoint"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// headCache is the newest heads that Heads has returned, and when to request newer ones.
type headCache struct {
	mu       sync.Mutex
	heads    chain.Heads
	agreed   chain.Head // what as many as must have called final
	moved    time.Time  // when the newest slot last changed
	asked    time.Time
	requests int64     // the pool's count at the last request for heads
	next     time.Time // no request before this time
}

const (
	// standstill is how long an endpoint may report the same newest slot before another one is tried: the
	// cluster makes several slots a second.
	standstill = 5 * time.Second
	// maxPace bounds how long new blocks are held back to stay within the rate.
	maxPace = 10 * time.Second
)

// Heads returns the newest confirmed slot and the newest finalized one: what a quorum of
// voices has finalized. It advances only as fast as the configured rate allows the requests that follow. An endpoint
// that is behind an earlier answer, or has stopped, is skipped while another one is ahead of it.
func (a *Adapter) Heads(ctx context.Context) (chain.Heads, error) {
	if gaveUp(ctx) {
		return chain.Heads{}, ctx.Err()
	}
	heads, known, fresh := a.heads.recall(a.pool.now())
	if fresh {
		return heads, nil
	}
	a.heads.begin(a.pool.now(), a.pool.requests.Load(), a.rate)
	var best chain.Heads
	var by *endpoint
	err := a.pool.do(ctx, func(ctx context.Context, e *endpoint) error {
		v, err := e.heads(ctx)
		if err != nil {
			return err
		}
		if a.pool.lone() && !a.pool.moves(e.Voice()) {
			return rpc.Lagging("slot %d has been the newest for too long", v.Latest.Number)
		}
		if err := v.Final.After(known, a.pool.now()); err != nil && a.pool.size() == 1 {
			return node.OfItem(err, true)
		}
		if v.Latest.Number < known.Number && (a.pool.size() > 1 || e.Reached(known.Number)) {
			return rpc.Lagging("newest slot is %d, and %d is final", v.Latest.Number, known.Number)
		}
		if by == nil || v.Latest.Number > best.Latest.Number {
			best, by = v, e
		}
		return a.heads.behind(v, a.pool.now())
	})
	if gaveUp(ctx) {
		return chain.Heads{}, ctx.Err()
	}
	if by == nil {
		return chain.Heads{}, fmt.Errorf("heads of %s: %w", a.profile.Network, err)
	}
	if a.pool.size() == 1 && best.Final.Number < known.Number && best.Latest.Number >= known.Number {
		best.Final = known
	}
	agreed := best.Final
	if a.pool.size() > 1 {
		agreed = a.agree(ctx, finalView{by, best.Final}, known)
		if gaveUp(ctx) {
			return chain.Heads{}, ctx.Err()
		}
		best.Final, best.Alone = a.onOneWord(best.Final, agreed)
		if best.Latest.Time.Before(best.Final.Time) {
			best.Latest = best.Final // one endpoint names another time for the newest block
		}
	}
	if best.Final.Number < heads.Final.Number {
		a.pool.blocks.Drop(heads.Final.Number)
	}
	if agreed.Hash != "" {
		a.pool.blocks.Keep(agreed)
	}
	return a.heads.remember(best, agreed, a.pool.now()), nil
}

// onOneWord returns what the endpoint that is left has called final for long enough (chain.Alone), in place of an older
// block that endpoints agree on.
func (a *Adapter) onOneWord(one, agreed chain.Head) (final chain.Head, alone bool) {
	if !a.pool.lone() {
		a.aged.Forget()
		return agreed, false
	}
	if one.After(agreed, a.pool.now()) == nil {
		a.aged.Keep(one, one.Number, a.pool.now())
	}
	old, ok := a.aged.Old(a.pool.now())
	if ok && old.Number > agreed.Number {
		return old, true
	}
	return agreed, ok
}

// heads reads both heads from one endpoint, the finalized one first, so that a block that arrives in between
// keeps their order.
func (e *endpoint) heads(ctx context.Context) (chain.Heads, error) {
	final, err := e.newest(ctx, rpc.Finalized)
	if err != nil {
		return chain.Heads{}, err
	}
	latest, err := e.newest(ctx, rpc.Confirmed)
	if err != nil {
		return chain.Heads{}, err
	}
	e.RecordHead(latest.Number)
	if latest.Number < final.Number {
		latest = final // answers of two nodes behind one address
	}
	return chain.Heads{Latest: latest, Final: final}, nil
}

func (e *endpoint) newest(ctx context.Context, commitment string) (chain.Head, error) {
	slot, err := e.Slot(ctx, commitment)
	if err != nil {
		return chain.Head{}, err
	}
	if h, ok := e.pool.blocks.At(slot); ok {
		return h, nil
	}
	h, ok, err := e.Head(ctx, slot)
	if err == nil && !ok {
		err = rpc.Lagging("block of slot %d is not there", slot)
	}
	return h, err
}

// recall returns the last heads, which of them is agreed to be final, and whether they are still current.
func (m *headCache) recall(now time.Time) (heads chain.Heads, agreed chain.Head, fresh bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.heads, m.agreed, m.heads.Latest.Hash != "" && now.Before(m.next)
}

// begin sets the time of the next request: the requests since the last one, divided by the rate, later.
func (m *headCache) begin(now time.Time, requests int64, rate float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	cost := float64(requests - m.requests)
	pace := min(time.Duration(cost/rate*float64(time.Second)), maxPace)
	m.next, m.asked, m.requests = now.Add(max(pace-now.Sub(m.asked), 0)), now, requests
}

// behind returns an error if a view is older than what was returned before, or has not moved for long.
func (m *headCache) behind(v chain.Heads, now time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case v.Latest.Number < m.heads.Latest.Number:
		return rpc.Lagging("newest slot is %d after %d", v.Latest.Number, m.heads.Latest.Number)
	case v.Latest.Number == m.heads.Latest.Number && now.Sub(m.moved) > standstill:
		return errors.Join(rpc.ErrLagging, errors.New("stands still"))
	}
	return nil
}

// remember stores the newest view. What was agreed to be final never goes back; what one endpoint has said does when it
// takes that back.
func (m *headCache) remember(v chain.Heads, agreed chain.Head, now time.Time) chain.Heads {
	m.mu.Lock()
	defer m.mu.Unlock()
	v.Finalized = v.Final
	if v.Latest.Number < v.Final.Number {
		v.Latest = v.Final
	}
	if v.Latest != m.heads.Latest {
		m.moved = now
	}
	m.heads, m.agreed = v, agreed
	return v
}

// finalNumber is the newest slot known to be final.
func (m *headCache) finalNumber() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.heads.Final.Number
}

// BlockAt returns the head of a slot; of one that is final, what a quorum says. A skipped slot has the hash and the
// time of the block before it.
func (a *Adapter) BlockAt(ctx context.Context, number uint64) (head chain.Head, ok bool, err error) {
	if gaveUp(ctx) {
		return chain.Head{}, false, ctx.Err()
	}
	if h, known := a.pool.blocks.At(number); known {
		return h, true, nil
	}
	if h, _, fresh := a.heads.recall(a.pool.now()); fresh && h.Latest.Number == number {
		return h.Latest, true, nil
	}
	read := func(ctx context.Context, e *endpoint) (err error) {
		head, ok, err = e.Head(ctx, number)
		if err == nil && !ok {
			return errLacking
		}
		return err
	}
	if number <= a.heads.finalNumber() && !a.oneWord(nil) {
		head, err = chain.Agree(a.pool.voices(), a.pool.size(), chain.Head.Same, func(e *endpoint) (chain.Head, error) {
			err := a.pool.try(ctx, e, read)
			return head, err
		})
		ok = err == nil
	} else {
		err = a.pool.do(ctx, read)
	}
	if errors.Is(err, errLacking) {
		return chain.Head{}, false, nil
	}
	return head, ok, err
}
