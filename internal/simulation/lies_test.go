package simulation

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// lies is what endpoints hide, deny and change. About one transaction only one endpoint ever lies, so that a quorum of
// the others can tell; one that is alone is right again before it is read a second time.
type lies struct {
	mu     sync.Mutex
	liar   map[chain.TxHash]string    // the only endpoint that lies about a transaction
	since  map[chain.TxHash]time.Time // when it was first asked about one
	hidden map[chain.TxHash]hiding
	spells map[chain.Network]*spell
}

func newLies() lies {
	return lies{
		liar: map[chain.TxHash]string{}, since: map[chain.TxHash]time.Time{}, hidden: map[chain.TxHash]hiding{},
		spells: map[chain.Network]*spell{},
	}
}

// hiding is how an endpoint hides a transaction: it leaves it out of lists, or it denies it.
type hiding struct {
	host string
	deny bool
}

// spell is what is wrong with an endpoint for a while, whoever asks.
type spell struct {
	host   string
	until  time.Time
	faults nodeFaults
}

// singleLies is how long an endpoint that is alone lies about a transaction: less than the time until it is read again.
const singleLies = 20 * time.Second

// slow are the calls that are not answered in time.
type slow int

const (
	slowNone slow = iota
	slowAll
	slowLists
	slowItems
)

// breaks is how a node answers about a transaction that it cannot show.
type breaks int

const (
	breaksNone breaks = iota
	breaksError
	breaksNull
	breaksEmpty // without logs, on EVM
)

// errTimeout is a call that took too long.
type errTimeout struct{}

func (errTimeout) Error() string   { return "no answer in time" }
func (errTimeout) Timeout() bool   { return true }
func (errTimeout) Temporary() bool { return true }

// hide has one of the endpoints hide the transaction, from now on.
func (w *world) hide(t *tx) {
	h := hiding{w.hosts[w.rng.IntN(len(w.hosts))], w.chance(40)}
	w.lies.hidden[t.hash], w.lies.liar[t.hash] = h, h.host
	w.tracef("%s hides %s, denies it %t", h.host, t.hash, h.deny)
}

// spell returns what is wrong with an endpoint of the network at the moment; nil: nothing.
func (w *world) spell(n chain.Network) *spell {
	if s := w.lies.spells[n]; s != nil && w.clock.Before(s.until) {
		return s
	}
	return nil
}

// suspect is the endpoint of the network that may be given faults.
func (w *world) suspect(n chain.Network) string {
	host := w.hosts[w.rng.IntN(len(w.hosts))]
	if s := w.spell(n); s != nil {
		return s.host
	}
	return host
}

// beginSpell lets an endpoint fail for seconds to a quarter of an hour.
func (w *world) beginSpell() {
	l := w.anyChain()
	n := l.profile.Network
	s := &spell{host: w.suspect(n), faults: w.newSpell(l)}
	span := time.Duration(4<<w.rng.IntN(9)) * time.Second
	if len(w.hosts) == 1 && s.faults.claims > 0 {
		span = min(span, singleLies)
	}
	s.until = w.clock.Add(span)
	w.lies.spells[n] = s
	for _, in := range w.instances {
		for _, all := range []nodes{in.nodes, in.solana} {
			for _, o := range all {
				if o.chain == l {
					o.faults = nodeFaults{}
				}
			}
		}
	}
	w.tracef("%s of %s fails until %s: %+v", s.host, n, s.until.Sub(begin), s.faults)
}

func (w *world) newSpell(l *testChain) nodeFaults {
	kinds := 11
	if len(w.hosts) == 1 {
		kinds = 7 // one that goes over to another chain is believed
	}
	switch w.rng.IntN(kinds) {
	case 0:
		return nodeFaults{empty: true}
	case 1:
		return nodeFaults{partial: true}
	case 2:
		return nodeFaults{denies: true}
	case 3:
		return nodeFaults{slow: slow(1 + w.rng.IntN(3))}
	case 4:
		return nodeFaults{breaks: breaks(1 + w.rng.IntN(3))}
	case 5:
		return nodeFaults{down: true}
	case 6:
		return nodeFaults{claims: 1 + w.rng.IntN(1<<w.rng.IntN(10))}
	case 7:
		return nodeFaults{foreign: max(1, l.finalHeight-w.rng.IntN(20))}
	case 8:
		return nodeFaults{inflate: true}
	case 9:
		return nodeFaults{shifts: time.Duration(w.rng.IntN(7_200)-3_600) * time.Second}
	}
	return w.invents(l, 1+w.rng.IntN(3))
}

// end ends all of it.
func (f *lies) end() {
	clear(f.hidden)
	clear(f.spells)
}

// endSingle ends what an endpoint that is alone hides: a clock that jumps brings the second reading near.
func (f *lies) endSingle(w *world) {
	if len(w.hosts) == 1 {
		f.end()
	}
}

// fault is what is wrong with the node at the moment.
func (n *node) fault() nodeFaults {
	if s := n.in.w.spell(n.chain.profile.Network); s != nil && s.host == n.host {
		return s.faults
	}
	return n.faults
}

// lies reports whether the node may lie about the transaction.
func (n *node) lies(h chain.TxHash) bool {
	w := n.in.w
	w.lies.mu.Lock()
	defer w.lies.mu.Unlock()
	if host, some := w.lies.liar[h]; some && host != n.host {
		return false
	}
	w.lies.liar[h] = n.host
	if len(w.hosts) > 1 {
		return true
	}
	if _, some := w.lies.since[h]; !some {
		w.lies.since[h] = w.clock
	}
	return w.clock.Sub(w.lies.since[h]) < singleLies
}

// denies reports whether the node does not know the transaction.
func (n *node) denies(h chain.TxHash) bool {
	hidden := n.in.w.lies.hidden[h]
	return (n.fault().denies || hidden.host == n.host && hidden.deny) && n.lies(h)
}

// omits reports whether the node leaves the transaction out of lists.
func (n *node) omits(h chain.TxHash) bool {
	f := n.fault()
	wants := f.empty || f.partial && draw(h)%2 == 0 || n.in.w.lies.hidden[h].host == n.host
	return wants && n.lies(h) || n.denies(h)
}

// omitsSweep reports whether the node may leave a transaction out of lists as far as that leaves out others, too: an
// account that a sweep emptied is read again because of it. Another endpoint must not lie about what came there.
func (n *node) omitsSweep(sweep *tx) bool {
	for _, b := range n.blocks() {
		for _, t := range b.txs {
			paid := slices.ContainsFunc(b.moved[t.hash], func(m move) bool {
				return slices.ContainsFunc(sweep.flush, func(l leg) bool { return l.Address == m.to })
			})
			if paid && !n.lies(t.hash) {
				return false
			}
		}
	}
	return true
}

// broken is how the node answers when it is asked for the transaction.
func (n *node) broken(h chain.TxHash) breaks {
	if draw(h)%3 == 0 {
		return n.fault().breaks
	}
	return breaksNone
}

// draw is a number that belongs to a transaction.
func draw(h chain.TxHash) uint32 {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(h))
	return sum.Sum32() >> 8
}

// denied is what came to an address in transactions that the node denies.
func (n *node) denied(at holding) (sum uint64) {
	if !n.fault().denies && len(n.in.w.lies.hidden) == 0 {
		return 0
	}
	for _, b := range n.blocks() {
		for _, t := range b.txs {
			for _, m := range b.moved[t.hash] {
				if m.to == at.address && m.contract == at.contract && n.denies(t.hash) {
					sum += m.units
				}
			}
		}
	}
	return sum
}

// slow reports whether the node does not answer the request in time.
func (n *node) slow(body []byte) bool {
	lists := []string{"eth_getLogs", "getSignaturesForAddress"}
	items := []string{"eth_getTransactionReceipt", "getTransaction"}
	has := func(methods []string) bool {
		return bytes.Contains(body, []byte(`"`+methods[0]+`"`)) || bytes.Contains(body, []byte(`"`+methods[1]+`"`))
	}
	switch n.fault().slow {
	case slowAll:
		return true
	case slowLists:
		return has(lists)
	case slowItems:
		return has(items)
	case slowNone:
	}
	return false
}

// invented is the newest block of a node that is ahead of any. Its time is as far ahead.
func (n *node) invented(newest chain.Head) *block {
	ahead := n.fault().jumps + n.fault().claims
	newest.Number += uint64(ahead) //nolint:gosec // some millions
	newest.Time = newest.Time.Add(time.Duration(ahead) * time.Second)
	newest.Hash = inventedHash(newest.Number)
	return &block{Head: newest, salt: 1}
}

// claimed is a block that the node claims to be there, above those that are; nil if it does not.
func (n *node) claimed(number uint64) *block {
	blocks := n.blocks()
	b := n.invented(blocks[len(blocks)-1].Head)
	if n.fault().claims == 0 || number > b.Number {
		return nil
	}
	b.Number, b.Hash = number, inventedHash(number)
	return b
}

// inventedHash is the hash of a block that is invented.
func inventedHash(number uint64) string { return fmt.Sprintf("0x%064x", number) }

// elsewhere are the blocks of a node that is on another chain. What another one lies about is before they part.
func (n *node) elsewhere() []*block {
	all := slices.Clone(n.chain.blocks)
	from := len(all)
	honest := func(t *tx) bool { return !n.lies(t.hash) }
	for from > n.fault().foreign && !slices.ContainsFunc(all[from-1].txs, honest) {
		from--
	}
	for i, b := range all[from:] {
		before := all[from+i-1]
		other := &block{
			Head: b.Head, moved: map[chain.TxHash][]move{}, state: before.state, nonces: before.nonces, salt: 1,
		}
		other.Hash = strings.Replace(b.Hash, "b", "f", 1)
		all[from+i] = other
	}
	return all
}
