package evm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/endpoint"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// headMemory keeps the newest heads, to distinguish an endpoint that falls
// behind from a chain that was reorganised.
type headMemory struct {
	mu sync.Mutex
	// last is the block that was final before, as the chain had it when the heads were last read: BlockAt is asked for
	// it next, and need not ask again.
	last rpc.Header
	knowledge
}

// Heads returns the newest blocks. An endpoint that is behind the newest known
// heads is skipped while another is not. Final and Finalized are what a quorum of voices
// has reached: one alone may call its newest block final (but see chain.Alone).
// They never go back while the chain holds them; until a quorum has agreed,
// they are the first block of the chain.
func (a *Adapter) Heads(ctx context.Context) (chain.Heads, error) {
	asked := 1
	if !a.pool.Single() {
		asked = 2 // the second one is compared with the first
	}
	a.pool.CheckHealth(ctx, asked)
	heads, by, err := a.newestHeads(ctx)
	if err == nil && by != nil && a.pool.Behind(by) {
		// It has stopped following the chain, and the others are asked before it now.
		heads, _, err = a.newestHeads(ctx)
	}
	return heads, err
}

// newestHeads returns the heads, and the endpoint that has shown the newest block.
func (a *Adapter) newestHeads(ctx context.Context) (heads chain.Heads, by *rpc.Endpoint, err error) {
	known := a.heads.recall()
	var best view
	voices := make(map[string]bool) // that have answered
	err = a.pool.Do(ctx, func(ctx context.Context, e *rpc.Endpoint) error {
		v, err := a.readHeads(ctx, e, known)
		if err != nil {
			return err
		}
		if len(voices) == 0 || v.latest.Number > best.latest.Number {
			best = v
		}
		voices[e.Voice()] = true
		return v.behind
	})
	if ctx.Err() != nil {
		return chain.Heads{}, nil, ctx.Err()
	}
	if len(voices) == 0 {
		return chain.Heads{}, nil, fmt.Errorf("heads of %s: %w", a.profile.Network, err)
	}
	shorter := len(voices) >= chain.Quorum(a.pool.Size())
	by = best.endpoint
	agreed := best
	if !a.pool.Single() {
		var views []view
		agreed, views = a.agree(ctx, best, known)
		best = a.onOneWord(ctx, views, agreed, known)
		if ctx.Err() != nil {
			return chain.Heads{}, nil, ctx.Err()
		}
	}
	a.heads.remember(agreed, shorter, best.final.Number)
	return best.heads(), by, nil
}

// onOneWord replaces the final and the finalized block of what endpoints agree on by what the one that is left to say
// what is final has said for long enough (chain.Alone).
func (a *Adapter) onOneWord(ctx context.Context, views []view, agreed view, known knowledge) view {
	voice, lone := a.pool.LoneFinal(a.alone)
	if !lone {
		a.aged.Forget()
		return agreed
	}
	for _, v := range views {
		if v.endpoint.Voice() == voice && a.possible(v, known) == nil && a.onChain(ctx, v, views) {
			a.aged.Keep(v, v.final.Number, a.pool.Now())
		}
	}
	if old, ok := a.aged.Old(a.pool.Now()); ok && old.final.Number > agreed.final.Number {
		agreed.final, agreed.finalized = higher(agreed.final, old.final), higher(agreed.finalized, old.finalized)
		agreed.alone = true
	}
	return agreed.ordered(a.profile.Finality)
}

// onChain reports whether what one endpoint calls final is on the chain of as many as must agree, unless the others are
// silent. None of these would be on a chain any more whose final blocks one has invented.
func (a *Adapter) onChain(ctx context.Context, one view, views []view) bool {
	if a.pool.Lone(a.alone) && a.pool.Moves(one.endpoint.Voice()) {
		return true
	}
	have := 0
	for _, v := range views {
		if there(ctx, v, one.final) && there(ctx, v, one.finalized) {
			have++
		}
	}
	return have >= chain.Quorum(a.pool.Size())
}

// view is the chain as one endpoint reports it.
type view struct {
	endpoint                 *rpc.Endpoint
	latest, final, finalized rpc.Header
	first                    rpc.Header // of the chain, while nothing is known of it
	last                     rpc.Header // what is on the chain in place of the final block known before
	replaced                 bool       // the final block known before is not on this chain
	behind                   error      // how it falls short of the known heads
	alone                    bool       // what is final is one endpoint's word
	shown                    map[uint64]rpc.Header
}

func (v view) heads() chain.Heads {
	return chain.Heads{Latest: v.latest.Head(), Final: v.final.Head(), Finalized: v.finalized.Head(), Alone: v.alone}
}

// knowledge is the content of a headMemory at one moment.
type knowledge struct {
	latest           uint64
	finalized, final rpc.Header
	// one is up to where blocks are final by one endpoint's word, which is forgotten when it takes that back.
	one uint64
	any bool
}

func (m *headMemory) recall() knowledge {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.knowledge
}

// remember keeps the newest view. The chain is shorter than before only when a quorum of endpoints were asked, and none
// of them has shown the newest block: one alone may be late, and one alone may have shown a block that is none.
func (m *headMemory) remember(v view, shorter bool, one uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.final, m.last, m.one = v.final, v.last, one
	if shorter || v.latest.Number > m.latest {
		m.latest = v.latest.Number
	}
	m.finalized = v.finalized
	m.any = m.any || v.finalized.Number > 0
}

func (m *headMemory) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last, m.knowledge = rpc.Header{}, knowledge{}
}

// byOne reports whether the block is final by the word of one endpoint only.
func (m *headMemory) byOne(block uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return block > m.final.Number && block <= m.one
}

// take returns the block with the number if the last reading of the heads has shown it. It does so once: a caller that
// asks again wants to know whether the chain has changed.
func (m *headMemory) take(number uint64) (rpc.Header, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := m.last
	m.last = rpc.Header{}
	return last, last != (rpc.Header{}) && last.Number == number
}

// readHeads asks one endpoint for the heads. The tags are ordered from the
// oldest to the newest block, so that a block arriving between the answers
// keeps their order.
func (a *Adapter) readHeads(ctx context.Context, e *rpc.Endpoint, known knowledge) (view, error) {
	finalized, final := string(chain.TagFinalized), string(chain.TagFinalized)
	if a.profile.Finality.Tag == chain.TagSafe {
		final = string(chain.TagSafe)
	}
	knownFinal, knownFinalized := rpc.Quantity(known.final.Number), rpc.Quantity(known.finalized.Number)
	blocks, err := readWith(ctx, e, known.final, finalized, final, "latest")
	if err != nil {
		return view{}, err
	}
	here := blocks[knownFinalized]
	switch {
	case here != rpc.Header{}:
	case known.any && known.finalized.Number <= known.final.Number && blocks[knownFinal].Hash == known.final.Hash:
		here = known.finalized // an ancestor of the block that is there
	case knownFinal != knownFinalized:
		older, err := readWith(ctx, e, known.finalized)
		if err != nil {
			return view{}, err
		}
		here = older[knownFinalized]
	}
	v := view{
		endpoint: e, finalized: blocks[finalized], final: blocks[final], latest: blocks["latest"],
		last: blocks[knownFinal], shown: numbered(blocks),
	}
	v.replaced = known.any && blocks[knownFinal] != (rpc.Header{}) && blocks[knownFinal].Hash != known.final.Hash
	if !known.any {
		v.first = here
	}
	if known.any {
		v.fill(known.finalized)
	} else {
		v.fill(here)
	}
	if v.finalized == (rpc.Header{}) {
		return view{}, rpc.Malformed("no block %s", knownFinalized)
	}
	e.RecordHead(v.latest.Number)
	a.recordFinal(e, blocks)
	if err := known.compare(&v, here, a.pool.Single()); err != nil {
		return view{}, err
	}
	if a.profile.Finality.Depth > 0 {
		if v.final, err = a.blockAtDepth(ctx, e, v.latest, known.final); err != nil {
			return view{}, err
		}
		e.SaysFinal("", v.final.Number, true)
	}
	v = v.ordered(a.profile.Finality)
	if a.pool.Single() {
		err = endpoint.OfItem(a.possible(v, known), true)
	}
	return v, err
}

// recordFinal records which block the endpoint calls final, if it does.
func (a *Adapter) recordFinal(e *rpc.Endpoint, blocks map[string]rpc.Header) {
	if tag := string(a.profile.Finality.Tag); tag != "" {
		e.SaysFinal(tag, blocks[tag].Number, blocks[tag] != rpc.Header{})
	}
}

// fill uses a block that is certainly final where the endpoint has no safe or
// finalized one: the newest known one, or the first block of the chain, which
// holds no transaction.
func (v *view) fill(sure rpc.Header) {
	if v.finalized == (rpc.Header{}) {
		v.finalized = sure
	}
	if v.final == (rpc.Header{}) {
		v.final = sure
	}
}

// readWith is readTags with a block that is known, by its number. Where the endpoint fails for that block alone, does
// not have it, or takes too long for it, the block after it shows that it is on the chain.
func readWith(ctx context.Context, e *rpc.Endpoint, known rpc.Header, tags ...string) (map[string]rpc.Header, error) {
	number := rpc.Quantity(known.Number)
	blocks, err := readTags(ctx, e, append(slices.Clone(tags), number)...)
	if err == nil && blocks[number] != (rpc.Header{}) || known.Hash == (rpc.Hash{}) || ctx.Err() != nil {
		return blocks, err
	}
	if err != nil {
		short, cancel := context.WithTimeout(ctx, receiptLimit) // it may hang for anything
		defer cancel()
		var failed error
		if blocks, failed = readTags(short, e, tags...); failed != nil {
			return nil, err
		}
	}
	results, failed := e.Results(ctx, rpc.BlockByNumber(known.Number+1))
	parent, ok := rpc.Hash{}, false
	if failed == nil {
		parent, ok = rpc.ParseParent(results[0])
	}
	switch {
	case ok && parent == known.Hash:
		blocks[number] = known
		return blocks, nil
	case err != nil && (failed != nil && len(tags) > 0 || failed == nil && rpc.IsNull(results[0])):
		return nil, endpoint.OfItem(err, true)
	}
	return blocks, err
}

// readTags reads blocks by tag or number, in this order, each once. The result is empty for a tag of finality that the
// endpoint does not know or fails for, and for a block that the chain does not have yet.
func readTags(ctx context.Context, e *rpc.Endpoint, tags ...string) (map[string]rpc.Header, error) {
	var asked []string
	var calls []rpc.Call
	for _, tag := range tags {
		if !slices.Contains(asked, tag) && e.Knows(tag) {
			asked, calls = append(asked, tag), append(calls, rpc.BlockByTag(tag))
		}
	}
	replies, err := e.Ask(ctx, calls...)
	if err != nil {
		return nil, err
	}
	blocks := make(map[string]rpc.Header, len(tags))
	for i, r := range replies {
		tag := asked[i] //nolint:gosec // as many replies as calls
		blocks[tag], err = tagged(r, tag)
		switch {
		case err == nil:
		case !named(tag) || rpc.Limited(err):
			return nil, err
		case r.Err != nil && rpc.UnknownTag(r.Err):
			e.DoesNotKnow(tag)
		}
	}
	return blocks, nil
}

// numbered returns the blocks by their numbers.
func numbered(blocks map[string]rpc.Header) map[uint64]rpc.Header {
	shown := make(map[uint64]rpc.Header, len(blocks))
	for _, h := range blocks {
		if h != (rpc.Header{}) {
			shown[h.Number] = h
		}
	}
	return shown
}

// named reports whether the tag is one of finality, which not every node knows.
func named(tag string) bool { return tag == string(chain.TagSafe) || tag == string(chain.TagFinalized) }

// tagged reads the answer for a tag. The result is empty where the chain has no
// such block yet, which nodes answer with null or with an error, and where a node keeps no first block.
func tagged(r rpc.Reply, tag string) (rpc.Header, error) {
	if r.Err != nil && tag != "latest" && strings.Contains(strings.ToLower(r.Err.Message), "not found") {
		return rpc.Header{}, nil
	}
	if r.Err != nil {
		err := rpc.CallError(r.Err)
		if tag == rpc.Quantity(0) && errors.Is(err, rpc.ErrPruned) {
			return rpc.Header{}, nil
		}
		return rpc.Header{}, fmt.Errorf("block %s: %w", tag, err)
	}
	h, ok, err := rpc.ParseHeader(r.Result)
	if err == nil && !ok && tag == "latest" {
		return rpc.Header{}, rpc.Malformed("no block %s", tag)
	}
	return h, err
}

// errFinality: an endpoint reports another block in place of a finalized one.
// Either it is faulty or the chain broke its finality.
var errFinality = errors.New("shows another block in place of a finalized one")

// compare checks a view against what is known. here is the block the endpoint
// has at the number of the newest finalized block. A single endpoint may take back what it alone has said.
func (k knowledge) compare(v *view, here rpc.Header, single bool) error {
	takenBack := single && here.Hash != k.finalized.Hash &&
		(here != rpc.Header{} || !v.endpoint.Reached(k.finalized.Number))
	switch {
	case !k.any, takenBack:
		return nil
	case here == rpc.Header{}:
		return fmt.Errorf("%w: finalized block %d is not there", rpc.ErrLagging, k.finalized.Number)
	case here.Hash != k.finalized.Hash:
		return fmt.Errorf("%w: number %d", errFinality, k.finalized.Number)
	case v.latest.Number < k.latest:
		v.behind = fmt.Errorf("%w: newest block is %d after %d", rpc.ErrLagging, v.latest.Number, k.latest)
	case v.finalized.Number < k.finalized.Number:
		v.behind = fmt.Errorf(
			"%w: finalized block is %d after %d", rpc.ErrLagging, v.finalized.Number, k.finalized.Number,
		)
	}
	if v.finalized.Number < k.finalized.Number {
		v.finalized = k.finalized
	}
	return nil
}

// ordered makes Finalized ≤ Final ≤ Latest hold. Answers of different nodes
// behind one address may not, and under a tag rule Final is at least Finalized.
func (v view) ordered(rule chain.Finality) view {
	if rule.Tag != "" && v.final.Number < v.finalized.Number {
		v.final = v.finalized
	}
	if v.final.Number > v.latest.Number {
		v.latest = v.final
	}
	if v.finalized.Number > v.final.Number {
		v.finalized = v.final
	}
	return v
}
