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
	mu sync.Mutex
	knowledge
}

// Heads returns the present of the chain. An endpoint that has fallen behind
// what was told before is passed over while another does better. Finalized
// blocks never go back: where all endpoints are behind, the newest one known
// still stands, and an endpoint that shows another block in its place is not
// believed.
func (a *Adapter) Heads(ctx context.Context) (chain.Heads, error) {
	a.pool.beat(ctx)
	known := a.heads.recall()
	var best view
	views := 0
	err := a.pool.do(ctx, func(ctx context.Context, e *endpoint) error {
		v, err := a.look(ctx, e, known)
		if err != nil {
			return err
		}
		if views++; views == 1 || v.latest.number > best.latest.number {
			best = v
		}
		return v.behind
	})
	if ctx.Err() != nil {
		return chain.Heads{}, ctx.Err()
	}
	if views == 0 {
		return chain.Heads{}, fmt.Errorf("heads of %s: %w", a.profile.Network, err)
	}
	a.heads.remember(best, views == a.pool.size())
	return best.heads(), nil
}

// view is the chain as one endpoint shows it.
type view struct {
	latest, final, finalized header
	behind                   error // how it falls short of what is known
}

func (v view) heads() chain.Heads {
	return chain.Heads{Latest: v.latest.head(), Final: v.final.head(), Finalized: v.finalized.head()}
}

// knowledge is what a headMemory held at one moment.
type knowledge struct {
	latest           uint64
	finalized, final header
	any              bool
}

func (m *headMemory) recall() knowledge {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.knowledge
}

// remember takes the newest view. When every endpoint shows a chain shorter
// than before, it is shorter.
func (m *headMemory) remember(v view, everybody bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.final = v.final
	if everybody || v.latest.number > m.latest {
		m.latest = v.latest.number
	}
	if !m.any || v.finalized.number > m.finalized.number {
		m.finalized, m.any = v.finalized, true
	}
}

// look asks one endpoint for the heads. The tags come from the oldest to the
// newest block, so that a block arriving between them keeps their order.
func (a *Adapter) look(ctx context.Context, e *endpoint, known knowledge) (view, error) {
	tags := []string{string(chain.TagFinalized)}
	if a.profile.Finality.Tag == chain.TagSafe {
		tags = append(tags, string(chain.TagSafe))
	}
	tags = append(tags, "latest", quantity(known.finalized.number))
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
	if known.any {
		v.fill(known.finalized)
	} else {
		v.fill(here)
	}
	e.sawHead(v.latest.number)
	if err := known.compare(&v, here); err != nil {
		return view{}, err
	}
	if a.profile.Finality.Depth > 0 {
		if v.final, err = a.buried(ctx, e, v.latest, known.final); err != nil {
			return view{}, err
		}
	}
	return v.ordered(a.profile.Finality), nil
}

// fill puts a block that is final in any case where the endpoint has no safe
// or finalized one: the newest known, or the chain's first, which holds no
// transaction.
func (v *view) fill(sure header) {
	if v.finalized == (header{}) {
		v.finalized = sure
	}
	if v.final == (header{}) {
		v.final = sure
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

// compare holds a view against what is known: here is the block the endpoint
// has at the number of the newest finalized block.
func (k knowledge) compare(v *view, here header) error {
	switch {
	case !k.any:
		return nil
	case here == header{}:
		return fmt.Errorf("%w: finalized block %d is not there", errLagging, k.finalized.number)
	case here.hash != k.finalized.hash:
		return fmt.Errorf("%w: number %d", errFinality, k.finalized.number)
	case v.latest.number < k.latest:
		v.behind = fmt.Errorf("%w: newest block is %d after %d", errLagging, v.latest.number, k.latest)
	case v.finalized.number < k.finalized.number:
		v.behind = fmt.Errorf("%w: finalized block is %d after %d", errLagging, v.finalized.number, k.finalized.number)
	}
	if v.finalized.number < k.finalized.number {
		v.finalized = k.finalized
	}
	return nil
}

// ordered makes Finalized ≤ Final ≤ Latest hold: answers of different nodes
// behind one address may not, and a tag is not finalized more than its rule.
func (v view) ordered(rule chain.Finality) view {
	if rule.Tag != "" && v.final.number < v.finalized.number {
		v.final = v.finalized
	}
	if v.final.number > v.latest.number {
		v.latest = v.final
	}
	if v.finalized.number > v.final.number {
		v.finalized = v.final
	}
	return v
}
