package devsol

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	solana "github.com/gagliardetto/solana-go"
)

// Ledger is a running development ledger. Its methods are safe for concurrent use. After Close no slots are
// made and no calls answered.
type Ledger struct {
	config Config
	keys   keyring

	mu      sync.Mutex
	ended   bool
	head    uint64 // the newest slot with a block
	state   map[solana.PublicKey]Account
	slots   map[uint64]*slot // those with transactions
	skipped []uint64         // slots without a block, ascending
	forks   []fork
	clock   []anchor
	results map[solana.Signature]*result
	history map[solana.PublicKey][]*result // by account, oldest first
	pending *slot                          // the one being made: head+1 or later

	journal *journal
	server  *server
	stop    func() // stops the timer and waits for it
	closing sync.Once
	closed  error
}

// slot is a slot with transactions.
type slot struct {
	number  uint64
	results []*result
	before  map[solana.PublicKey]Account // accounts before its transactions
	after   map[solana.PublicKey]Account // changes so far, of the slot being made
}

// fork is a slot from which on blocks have other hashes.
type fork struct {
	From uint64 `json:"from"`
	Salt uint64 `json:"salt"`
}

// anchor ties slots to time. From its slot on each lasts Millis; 0 means that they were made by hand, one a
// second.
type anchor struct {
	Slot   uint64 `json:"slot"`
	Time   int64  `json:"time"` // of the slot, Unix milliseconds
	Millis int64  `json:"millis"`
}

// firstSlot is the first slot of a ledger, so high that all slots below are final.
const firstSlot = 100

// Start runs a ledger until Close. With the Dir of an earlier run it continues there.
func Start(config Config) (*Ledger, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	l := &Ledger{
		config: config, head: firstSlot, state: make(map[solana.PublicKey]Account), slots: make(map[uint64]*slot),
		results: make(map[solana.Signature]*result), history: make(map[solana.PublicKey][]*result), stop: func() {},
	}
	if err := l.open(); err != nil {
		return nil, err
	}
	if l.server, err = serve(l); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	if config.SlotTime > 0 {
		l.startTimer()
	}
	return l, nil
}

// URL is the address of the JSON-RPC server, HTTP on 127.0.0.1.
func (l *Ledger) URL() string { return l.server.url }

// Close stops the timer, the server and the journal. Calling it again returns the first call's result.
func (l *Ledger) Close() error {
	l.closing.Do(func() {
		l.stop()
		l.mu.Lock()
		if l.pending != nil {
			l.closed = l.seal() // queued transactions are not lost
		}
		l.ended = true
		mark := l.head
		l.mu.Unlock()
		if l.server != nil {
			l.closed = errors.Join(l.closed, l.server.close())
		}
		if l.journal != nil {
			l.closed = errors.Join(l.closed, l.journal.write(record{Mark: mark}), l.journal.close())
		}
	})
	return l.closed
}

// Slot returns the newest confirmed slot.
func (l *Ledger) Slot() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head
}

// Seal makes n slots, the first with all queued transactions.
func (l *Ledger) Seal(n int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for range n {
		if err := l.seal(); err != nil {
			return err
		}
	}
	return nil
}

// Skip leaves the next n slots without a block.
func (l *Ledger) Skip(n int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for range n {
		if err := l.skip(); err != nil {
			return err
		}
	}
	return nil
}

// errEnded: the ledger was closed.
var errEnded = errors.New("devsol: the ledger is closed")

func (l *Ledger) seal() error {
	if l.ended {
		return errEnded
	}
	number := l.next()
	if s := l.pending; s != nil {
		s.before = make(map[solana.PublicKey]Account, len(s.after))
		for k, a := range s.after {
			s.before[k] = l.account(k)
			l.state[k] = a
		}
		s.number, s.after = number, nil
		for _, r := range s.results {
			r.slot = number
			if err := l.journal.write(record{Slot: number, Tx: r.raw}); err != nil {
				return err
			}
			for k := range r.pre {
				l.history[k] = append(l.history[k], r)
			}
		}
		l.slots[number] = s
		l.pending = nil
	}
	l.head = number
	if number%markEvery == 0 {
		return l.journal.write(record{Mark: number})
	}
	return nil
}

// skip records that the next slot has no block.
func (l *Ledger) skip() error {
	if l.ended {
		return errEnded
	}
	number := l.next()
	l.skipped = append(l.skipped, number)
	return l.journal.write(record{Skip: number})
}

// next is the slot being made.
func (l *Ledger) next() uint64 {
	n := l.head + 1
	if k := len(l.skipped); k > 0 && l.skipped[k-1] >= n {
		n = l.skipped[k-1] + 1
	}
	return n
}

// finalSlot is the newest slot that is never rolled back.
func (l *Ledger) finalSlot() uint64 {
	final := l.head - min(l.head, l.config.FinalDepth)
	for l.isSkipped(final) {
		final--
	}
	return final
}

func (l *Ledger) isSkipped(slot uint64) bool {
	_, found := slices.BinarySearch(l.skipped, slot)
	return found
}

// ErrFinal: the slots to roll back are final.
var ErrFinal = errors.New("devsol: a finalized slot cannot be rolled back")

// Fork replaces the newest n slots by n+1 slots with other hashes. Their transactions are in the new slots in
// reverse order (keep), or gone. It fails with ErrFinal if one of the slots is final.
func (l *Ledger) Fork(n int, keep bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	top := l.head
	if l.ended {
		return errEnded
	}
	if uint64(n) > top-l.finalSlot() {
		return ErrFinal
	}
	from := top - uint64(n) + 1
	if err := l.journal.write(record{Fork: &fork{From: from, Salt: uint64(len(l.forks) + 1)}}); err != nil {
		return err
	}
	dropped := l.undo(from)
	if keep {
		slices.Reverse(dropped)
		for _, raw := range dropped {
			if tx, err := decode(raw); err == nil {
				_, _ = l.take(tx, raw, true) // one that fails now is gone, as on the cluster
			}
		}
	}
	for l.head <= top {
		if err := l.seal(); err != nil {
			return err
		}
	}
	return nil
}

// undo rolls back the slots from the given one on and returns their transactions.
func (l *Ledger) undo(from uint64) (dropped [][]byte) {
	for number := l.head; number >= from; number-- {
		s, ok := l.slots[number]
		if !ok {
			continue
		}
		maps.Copy(l.state, s.before)
		for _, r := range s.results {
			delete(l.results, r.signature)
			dropped = append(dropped, r.raw)
			for k := range r.pre {
				l.history[k] = slices.DeleteFunc(l.history[k], func(o *result) bool { return o == r })
			}
		}
		delete(l.slots, number)
	}
	if l.pending != nil {
		for _, r := range l.pending.results {
			delete(l.results, r.signature)
			dropped = append(dropped, r.raw)
		}
		l.pending = nil
	}
	l.skipped = slices.DeleteFunc(l.skipped, func(s uint64) bool { return s >= from })
	l.head = from - 1
	for l.isSkipped(l.head) {
		l.head--
	}
	l.forks = append(l.forks, fork{From: from, Salt: uint64(len(l.forks) + 1)})
	return dropped
}

// account returns an account as of the newest confirmed slot.
func (l *Ledger) account(k solana.PublicKey) Account {
	if a, ok := l.state[k]; ok {
		return a
	}
	return missing()
}

// accountAt returns an account as of an earlier slot.
func (l *Ledger) accountAt(k solana.PublicKey, at uint64) Account {
	a := l.account(k)
	for number := l.head; number > at; number-- {
		if s, ok := l.slots[number]; ok {
			if before, changed := s.before[k]; changed {
				a = before
			}
		}
	}
	return a
}

// working returns an account as of the slot being made.
func (l *Ledger) working(k solana.PublicKey) Account {
	if l.pending != nil {
		if a, ok := l.pending.after[k]; ok {
			return a
		}
	}
	return l.account(k)
}

// take executes a transaction in the slot being made. One that fails is included and pays its fee all the
// same.
func (l *Ledger) take(tx *solana.Transaction, raw []byte, trusted bool) (*result, *failure) {
	if _, twice := l.results[tx.Signatures[0]]; twice {
		return nil, failProcessed
	}
	if !trusted && !l.recent(tx.Message.RecentBlockhash) {
		return nil, failBlockhash
	}
	r, changed, failed := l.config.execute(tx, l.working)
	if failed != nil {
		return nil, failed
	}
	if l.pending == nil {
		l.pending = &slot{after: make(map[solana.PublicKey]Account)}
	}
	maps.Copy(l.pending.after, changed)
	r.raw = raw
	kept := &r
	l.pending.results = append(l.pending.results, kept)
	l.results[r.signature] = kept
	return kept, nil
}

// blockhash returns the hash of a slot's block; a skipped slot has that of the slot before.
func (l *Ledger) blockhash(slot uint64) solana.Hash {
	for l.isSkipped(slot) {
		slot--
	}
	salt := uint64(0)
	for _, f := range l.forks {
		if slot >= f.From {
			salt = f.Salt
		}
	}
	var b [48]byte
	copy(b[:], l.keys.genesis[:])
	binary.BigEndian.PutUint64(b[32:], slot)
	binary.BigEndian.PutUint64(b[40:], salt)
	return sha256.Sum256(b[:])
}

// height counts the blocks up to a slot.
func (l *Ledger) height(slot uint64) uint64 {
	below, _ := slices.BinarySearch(l.skipped, slot+1)
	return slot - uint64(below)
}

// recent reports whether a blockhash is still valid.
func (l *Ledger) recent(h solana.Hash) bool {
	for slot := l.head; l.height(slot)+blockhashAge >= l.height(l.head); slot-- {
		if !l.isSkipped(slot) && l.blockhash(slot) == h {
			return true
		}
		if slot == 0 {
			break
		}
	}
	return false
}

// timeOf returns the time of a slot.
func (l *Ledger) timeOf(slot uint64) time.Time {
	at := l.clock[0]
	for _, a := range l.clock {
		if slot >= a.Slot {
			at = a
		}
	}
	step := at.Millis
	if step == 0 {
		step = 1_000
	}
	return time.UnixMilli(at.Time + (int64(slot)-int64(at.Slot))*step)
}
