package ledger

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// KeyAccount is the account of an API key in one unit. Only these accounts have a stored balance, which is never
// below zero.
type KeyAccount struct {
	KeyID int64
	Unit  Unit
}

// ErrNoAccount refuses an entry on the account of a key that does not exist.
var ErrNoAccount = errors.New("the key of a ledger entry has no account")

// KeyAccounts returns the key accounts whose balance the entry changes.
func (e Entry) KeyAccounts() []KeyAccount {
	var list []KeyAccount
	for _, a := range []Account{e.From, e.To} {
		if id, ok := a.KeyID(); ok {
			list = append(list, KeyAccount{id, e.Unit})
		}
	}
	return list
}

// KeyID returns the number of the key whose account it is; ok is false for the accounts of the house.
func (a Account) KeyID() (id int64, ok bool) {
	digits, ok := strings.CutPrefix(string(a), "key:")
	if !ok {
		return 0, false
	}
	id, err := strconv.ParseInt(digits, 10, 64)
	return id, err == nil && Key(id) == a
}

// Posting posts entries to the balances it was given, in memory. An entry that a balance does not cover is refused
// before anything is written. The zero value is ready for use.
type Posting struct {
	balances map[KeyAccount]int64
	changes  map[KeyAccount]int64
	known    map[entryKey]Entry
	posted   []Entry
}

// entryKey identifies an entry: one Ref is posted once in each unit.
type entryKey struct {
	ref  string
	unit Unit
}

// SetBalance gives the stored balance of an account.
func (p *Posting) SetBalance(a KeyAccount, balance int64) {
	if p.balances == nil {
		p.balances = make(map[KeyAccount]int64)
	}
	p.balances[a] = balance
}

// SetPosted names an entry that the ledger holds already.
func (p *Posting) SetPosted(e Entry) {
	if p.known == nil {
		p.known = make(map[entryKey]Entry)
	}
	p.known[entryKey{e.Ref, e.Unit}] = e
}

// Post posts all of the entries or none of them. It leaves out an entry that the ledger holds already, and fails with
// ErrNoCredits, ErrNoQueries or ErrNoAccount, or if an entry of that Ref and Unit has another content.
func (p *Posting) Post(list []Entry) error {
	before := len(p.posted)
	for _, e := range list {
		if err := p.postOne(e); err != nil {
			p.undo(before)
			return err
		}
	}
	return nil
}

func (p *Posting) postOne(e Entry) error {
	key := entryKey{e.Ref, e.Unit}
	if known, ok := p.known[key]; ok {
		if known.From != e.From || known.To != e.To || known.Count != e.Count {
			return fmt.Errorf("entry %s in %s is posted already with another content", e.Ref, e.Unit)
		}
		return nil
	}
	if e.Count < 1 || e.Ref == "" || e.From == e.To {
		return fmt.Errorf("entry %q moves %d from %s to %s", e.Ref, e.Count, e.From, e.To)
	}
	for _, a := range e.KeyAccounts() {
		if _, ok := p.balances[a]; !ok {
			return ErrNoAccount
		}
	}
	if id, ok := e.From.KeyID(); ok && p.balances[KeyAccount{id, e.Unit}] < e.Count {
		return Shortage(e.Unit)
	}
	p.move(e, e.Count)
	p.SetPosted(e)
	p.posted = append(p.posted, e)
	return nil
}

// undo takes back what was posted after the first n entries.
func (p *Posting) undo(n int) {
	for _, e := range p.posted[n:] {
		p.move(e, -e.Count)
		delete(p.known, entryKey{e.Ref, e.Unit})
	}
	p.posted = p.posted[:n]
}

// move changes the balances of the keys on both sides; the accounts of the house have none.
func (p *Posting) move(e Entry, count int64) {
	p.shift(e.From, e.Unit, -count)
	p.shift(e.To, e.Unit, count)
}

func (p *Posting) shift(a Account, unit Unit, count int64) {
	id, ok := a.KeyID()
	if !ok {
		return
	}
	if p.changes == nil {
		p.changes = make(map[KeyAccount]int64)
	}
	p.balances[KeyAccount{id, unit}] += count
	p.changes[KeyAccount{id, unit}] += count
}

// Posted returns the new entries in the order in which they were posted.
func (p *Posting) Posted() []Entry { return p.posted }

// Changes returns by how much each balance has changed.
func (p *Posting) Changes() map[KeyAccount]int64 { return p.changes }

// FellLow reports whether the account has come down to Low credits.
func (p *Posting) FellLow(a KeyAccount) bool {
	left := p.balances[a]
	return a.Unit == Credit && IsLow(left) && !IsLow(left-p.changes[a])
}
