package simulation

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// holding is the balance of one address in one asset.
type holding struct{ address, contract chain.Address }

// move is a transfer from one address to another.
type move struct {
	contract chain.Address
	from, to chain.Address
	units    uint64
}

// tx is a transaction of the chain: a payer's transfers, or a sweep of deposit addresses by the gas wallet.
type tx struct {
	hash  chain.TxHash
	moves []move // of a payer
	// forks are the moves by the block that includes it, where they depend on it.
	forks [][]move
	flush []leg // of the gas wallet
	// from is the account whose nonce orders the transaction; empty for payers, whose transactions do not depend on
	// each other.
	from   chain.Address
	spends bool // the sender must hold what it sends; else the transaction fails
	nonce  uint64
	price  uint64
	until  uint64 // the last block that may include it, where transactions expire; 0: any
}

// leg is an address that a sweep empties. On Solana it moves no more than lay there when it was signed.
type leg struct {
	Address, Contract, Settlement chain.Address
	Most                          uint64
}

// block is a block with the state after it. It is immutable.
type block struct {
	chain.Head
	txs    []*tx
	moved  map[chain.TxHash][]move // transfers made by each transaction
	failed map[chain.TxHash]bool
	state  map[holding]uint64
	nonces map[chain.Address]uint64
	salt   int // another one in each fork
}

// testChain is a chain that is mined and reorganized on command.
type testChain struct {
	profile     chain.Profile
	blocks      []*block
	pool        []*tx
	safeDepth   int // blocks by which the safe block trails the head
	deepDepth   int // blocks by which the finalized block trails the head
	frozen      int // finality stops at this block while it is above 0
	finalHeight int // the newest finalized block ever; no reorg goes below
	credited    int // the newest safe block of the present chain
	// counted are the blocks that were ever safe, even if replaced since.
	counted map[string]*block
	// removed are the transactions that a reorg has ever taken out of a block.
	removed map[chain.TxHash]bool
	made    int
	// accounts are the token accounts of Solana.
	accounts map[holding]string
}

func newTestChain(profile chain.Profile, at time.Time, safe, deep int) *testChain {
	l := &testChain{
		profile: profile, safeDepth: safe, deepDepth: deep,
		counted: map[string]*block{}, removed: map[chain.TxHash]bool{},
	}
	l.blocks = []*block{{
		Head:  chain.Head{Hash: "0xa" + strings.Repeat("0", 63), Time: at},
		state: map[holding]uint64{}, nonces: map[chain.Address]uint64{},
	}}
	return l
}

func (l *testChain) head() *block { return l.blocks[len(l.blocks)-1] }

// hash returns a new hash that begins with a hexadecimal digit: b for blocks, 5 for sweeps, 7 for other transactions.
func (l *testChain) hash(kind string) string {
	l.made++
	if l.profile.Network == chain.Solana {
		return l.signature(kind)
	}
	return fmt.Sprintf("0x%s%063d", kind, l.made)
}

// send puts a transaction into the pool. One of the gas wallet must have an unused nonce, and pay more than a
// pending one with the same nonce.
func (l *testChain) send(t *tx) bool {
	if t.until > 0 && (t.until <= l.head().Number || l.known(t.hash)) {
		return l.known(t.hash)
	}
	if t.ordered() {
		if t.nonce < l.head().nonces[t.from] || l.known(t.hash) {
			return l.known(t.hash)
		}
		for i, o := range l.pool {
			if o.ordered() && o.from == t.from && o.nonce == t.nonce {
				if t.price*8 < o.price*9 {
					return false
				}
				l.pool[i] = t
				return true
			}
		}
	}
	l.pool = append(l.pool, t)
	return true
}

// ordered reports whether nonces order the transaction.
func (t *tx) ordered() bool { return t.from != "" && t.until == 0 }

// pendingNonce is the next unused nonce of an account, pending transactions included.
func (l *testChain) pendingNonce(a chain.Address) uint64 {
	next := l.head().nonces[a]
	for slices.ContainsFunc(l.pool, func(t *tx) bool { return t.ordered() && t.from == a && t.nonce == next }) {
		next++
	}
	return next
}

func (l *testChain) known(h chain.TxHash) bool {
	if b, _ := l.find(h, len(l.blocks)); b != nil {
		return true
	}
	return slices.ContainsFunc(l.pool, func(t *tx) bool { return t.hash == h })
}

// find returns the block below the height that contains the transaction.
func (l *testChain) find(h chain.TxHash, height int) (*block, *tx) {
	for _, b := range l.blocks[:height] {
		for _, t := range b.txs {
			if t.hash == h {
				return b, t
			}
		}
	}
	return nil, nil
}

// mine makes a block of everything that can be included.
func (l *testChain) mine(at time.Time) {
	last := l.head()
	if at.Before(last.Time) {
		at = last.Time
	}
	b := &block{
		Head:  chain.Head{Number: last.Number + 1, Hash: l.hash("b"), Time: at.Truncate(time.Second)},
		moved: map[chain.TxHash][]move{}, state: maps.Clone(last.state), nonces: maps.Clone(last.nonces),
		salt: l.made,
	}
	var rest []*tx
	for _, t := range l.pool {
		switch {
		case t.until > 0 && t.until < b.Number: // it has expired
		case t.until > 0:
			b.include(t)
		case t.ordered() && t.nonce < b.nonces[t.from]: // replaced for good
		case t.ordered() && t.nonce > b.nonces[t.from]:
			rest = append(rest, t)
		default:
			b.include(t)
		}
	}
	l.pool = rest
	l.blocks = append(l.blocks, b)
	l.settle()
}

func (b *block) include(t *tx) {
	if len(t.forks) > 0 {
		here := *t
		here.moves = t.forks[b.salt%len(t.forks)]
		t = &here
	}
	if t.ordered() {
		b.nonces[t.from]++
	}
	b.txs = append(b.txs, t)
	if t.spends && !b.covers(t) {
		if b.failed == nil {
			b.failed = map[chain.TxHash]bool{}
		}
		b.failed[t.hash] = true
		return
	}
	var done []move
	for _, m := range t.moves {
		if t.spends {
			b.state[holding{m.from, m.contract}] -= m.units
		}
		b.state[holding{m.to, m.contract}] += m.units
		done = append(done, m)
	}
	for _, f := range t.flush {
		from := holding{f.Address, f.Contract}
		if units := min(b.state[from], f.Most); units > 0 {
			b.state[from] -= units
			b.state[holding{f.Settlement, f.Contract}] += units
			done = append(done, move{f.Contract, f.Address, f.Settlement, units})
		}
	}
	b.moved[t.hash] = done
}

// covers reports whether the sender holds what its only move takes.
func (b *block) covers(t *tx) bool {
	m := t.moves[0]
	return b.state[holding{m.from, m.contract}] >= m.units
}

// settle updates the final and the safe block.
func (l *testChain) settle() {
	l.finalHeight = max(l.finalHeight, l.finalized(len(l.blocks)))
	l.credited = l.safe(len(l.blocks))
	for n := l.credited; n >= 0 && l.counted[l.blocks[n].Hash] == nil; n-- {
		l.counted[l.blocks[n].Hash] = l.blocks[n]
	}
}

// finalized is the number of the newest finalized block among the first height blocks; safe is that of the
// newest safe one.
func (l *testChain) finalized(height int) int {
	n := max(0, height-1-l.deepDepth)
	if l.frozen > 0 {
		n = min(n, l.frozen)
	}
	return n
}

func (l *testChain) safe(height int) int {
	return max(max(0, height-1-l.safeDepth), l.finalized(height))
}

// reorg replaces up to n blocks, but no final one, by as many new ones. Their transactions return to the pool
// in reverse order, or are lost.
func (l *testChain) reorg(n int, keep bool, at time.Time) int {
	n = min(n, len(l.blocks)-1-l.finalHeight)
	if n <= 0 {
		return 0
	}
	gone := l.blocks[len(l.blocks)-n:]
	l.blocks = slices.Clone(l.blocks[:len(l.blocks)-n])
	var back []*tx
	for _, b := range slices.Backward(gone) {
		back = append(back, b.txs...)
		for _, t := range b.txs {
			l.removed[t.hash] = true
		}
	}
	if !keep {
		back = slices.DeleteFunc(back, func(t *tx) bool { return t.from == "" })
		if n%2 == 0 {
			back = nil
		}
	}
	l.pool = append(back, l.pool...)
	for range n {
		l.mine(at)
	}
	return n
}

// drop empties the pool.
func (l *testChain) drop() { l.pool = nil }

// arrivals lists the payers' transfers to the address in the first height blocks.
func (l *testChain) arrivals(height int, a chain.Address) map[chain.Key]arrival {
	got := make(map[chain.Key]arrival)
	for _, b := range l.blocks[:height] {
		for _, t := range b.txs {
			for i, m := range l.shown(b, t) {
				if m.to == a && m.units > 0 {
					got[chain.Key{Network: l.profile.Network, Tx: t.hash, Ordinal: i}] = arrival{m, b}
				}
			}
		}
	}
	return got
}

type arrival struct {
	move
	block *block
}

// invents has a node show a transfer so many blocks above what is credited: much to the newest address, or little to
// one that many small transfers have come to.
func (w *world) invents(l *testChain, above int) nodeFaults {
	f := nodeFaults{invents: l.credited + above, victim: w.victim(l.profile.Network), units: 1_000_000_000}
	for _, p := range w.flooded() {
		if r := p.Routes[0]; r.Network == l.profile.Network {
			f.victim, f.units = r.Address.Address, 5_000
			if w.chance(50) {
				f.beside = w.victim(l.profile.Network)
			}
		}
	}
	return f
}

// victim is the newest deposit address of a network.
func (w *world) victim(n chain.Network) chain.Address {
	for _, a := range slices.Backward(w.shown) {
		if strings.HasPrefix(string(a), "0x") == n.EVM() {
			return a
		}
	}
	return ""
}
