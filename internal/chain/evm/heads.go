package evm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/florinpay/florin/internal/chain"
)

// headMemory is the newest that was ever told, to know an endpoint that falls
// behind it from a chain that moved.
type headMemory struct {
	mu        sync.Mutex
	latest    uint64
	finalized header
	final     header // by the depth rule: where to begin searching
	known     bool
}

// Heads returns the present of the chain. Finalized blocks never go back: an
// endpoint that has not reached the newest one known, or shows another block
// in its place, is passed over. An endpoint whose newest block is older than
// one already seen is passed over too while another endpoint does better.
func (a *Adapter) Heads(ctx context.Context) (chain.Heads, error) {
	memory := a.heads.recall()
	var best view
	found := false
	err := a.pool.do(ctx, func(ctx context.Context, e *endpoint) error {
		v, err := a.look(ctx, e, memory)
		if err != nil {
			return err
		}
		if !found || v.latest.number > best.latest.number {
			best, found = v, true
		}
		if v.latest.number < memory.latest {
			return fmt.Errorf("%w: newest block is %d after %d", errLagging, v.latest.number, memory.latest)
		}
		return nil
	})
	if !found {
		return chain.Heads{}, err
	}
	if ctx.Err() != nil {
		return chain.Heads{}, ctx.Err()
	}
	a.heads.remember(best)
	return best.heads(), nil
}

// view is the chain as one endpoint shows it.
type view struct{ latest, final, finalized header }

func (v view) heads() chain.Heads {
	return chain.Heads{Latest: v.latest.head(), Final: v.final.head(), Finalized: v.finalized.head()}
}

// memoryView is what recall returns.
type memoryView struct {
	latest           uint64
	finalized, final header
	known            bool
}

func (m *headMemory) recall() memoryView {
	m.mu.Lock()
	defer m.mu.Unlock()
	return memoryView{m.latest, m.finalized, m.final, m.known}
}

// remember takes the newest view. A lower latest block than before is taken
// too: every endpoint was asked, so the chain itself is shorter now.
func (m *headMemory) remember(v view) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.latest, m.final = v.latest.number, v.final
	if !m.known || v.finalized.number > m.finalized.number {
		m.finalized, m.known = v.finalized, true
	}
}

// look asks one endpoint for the heads. The tags come from the oldest to the
// newest block, so that a block arriving between them keeps their order.
func (a *Adapter) look(ctx context.Context, e *endpoint, m memoryView) (view, error) {
	tags := []string{string(chain.TagFinalized)}
	if a.profile.Finality.Tag == chain.TagSafe {
		tags = append(tags, string(chain.TagSafe))
	}
	tags = append(tags, "latest", quantity(m.finalized.number))
	calls := make([]call, len(tags))
	for i, tag := range tags {
		calls[i] = blockCall(tag)
	}
	replies, err := e.ask(ctx, calls...)
	if err != nil {
		return view{}, err
	}
	blocks := make([]header, len(tags))
	for i, r := range replies {
		if blocks[i], err = tagged(r, tags[i]); err != nil {
			return view{}, err
		}
	}
	n := len(blocks)
	here := blocks[n-1]
	v := view{finalized: blocks[0], final: blocks[n-3], latest: blocks[n-2]}
	if !m.known {
		v.fill(here)
	}
	e.sawHead(v.latest.number)
	if err := m.contradicts(v, here); err != nil {
		return view{}, err
	}
	if a.profile.Finality.Depth > 0 {
		if v.final, err = a.buried(ctx, e, v.latest, m.final); err != nil {
			return view{}, err
		}
	}
	return v.ordered(), nil
}

// fill puts the chain's first block, which holds no transaction, where a young
// chain has no safe or finalized block yet.
func (v *view) fill(first header) {
	if v.finalized == (header{}) {
		v.finalized = first
	}
	if v.final == (header{}) {
		v.final = first
	}
}

// tagged reads the answer for a tag, empty where the chain has no such block
// yet: nodes say that with null or with an error.
func tagged(r reply, tag string) (header, error) {
	if r.err != nil && tag != "latest" && strings.Contains(strings.ToLower(r.err.Message), "not found") {
		return header{}, nil
	}
	if r.err != nil {
		return header{}, fmt.Errorf("block %s: %w", tag, callFailure(r.err))
	}
	h, ok, err := parseHeader(r.result)
	if err == nil && !ok && (tag == "latest" || tag == quantity(0)) {
		return header{}, malformed("no block %s", tag)
	}
	return h, err
}

// errFinality: an endpoint shows another block where the chain had
// finalized one. Either it lies or the chain broke its promise.
var errFinality = errors.New("shows another block in place of a finalized one")

// contradicts compares a view with what is final for ever: here is the block
// the endpoint has at the number of the newest finalized block known.
func (m memoryView) contradicts(v view, here header) error {
	switch {
	case !m.known:
		return nil
	case v.latest.number < m.finalized.number || v.finalized.number < m.finalized.number:
		return fmt.Errorf("%w: finalized block %d is not there yet", errLagging, m.finalized.number)
	case here.hash != m.finalized.hash:
		return fmt.Errorf("%w: number %d", errFinality, m.finalized.number)
	}
	return nil
}

// ordered makes Finalized ≤ Final ≤ Latest hold, as between answers of
// different nodes behind one address it may not.
func (v view) ordered() view {
	if v.final.number > v.latest.number {
		v.latest = v.final
	}
	if v.finalized.number > v.final.number {
		v.finalized = v.final
	}
	return v
}
