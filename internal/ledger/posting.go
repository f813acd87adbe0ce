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
		if id, ok := a.owner(); ok {
			list = append(list, KeyAccount{id, e.Unit})
		}
	}
	return list
}

// KeyID returns the number of the key whose account it is; ok is false for any other account.
func (a Account) KeyID() (id int64, ok bool) {
	id, ok = a.owner()
	return id, ok && Key(id) == a
}

// HeldID returns the number of the key whose held units it has; ok is false for any other account.
func (a Account) HeldID() (id int64, ok bool) {
	id, ok = a.owner()
	return id, ok && Held(id) == a
}

// owner returns the number of the key that an account of either kind belongs to.
func (a Account) owner() (id int64, ok bool) {
	_, digits, ok := strings.Cut(string(a), ":")
	if !ok {
		return 0, false
	}
	id, err := strconv.ParseInt(digits, 10, 64)
	return id, err == nil && (Key(id) == a || Held(id) == a)
}

// Posting posts entries to the balances it was given, in memory. An entry that a balance does not cover is refused
// before anything is written. The zero value is ready for use.
type Posting struct {
	balances map[KeyAccount]Funds
	changes  map[KeyAccount]Funds
	known    map[entryKey]Entry
	posted   []Entry
}

// entryKey identifies an entry: one Ref is posted once in each unit.
type entryKey struct {
	ref  string
	unit Unit
}

// Funds are what a key has in one unit.
type Funds struct {
	Balance int64 // free to use
	Held    int64 // taken for payments that strangers opened and that have not ended
}

// SetBalance gives the stored funds of an account.
func (p *Posting) SetBalance(a KeyAccount, f Funds) {
	if p.balances == nil {
		p.balances = make(map[KeyAccount]Funds)
	}
	p.balances[a] = f
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
	if err := p.covers(e); err != nil {
		if e.IfLeft {
			return nil
		}
		return err
	}
	p.move(e, e.Count)
	p.SetPosted(e)
	p.posted = append(p.posted, e)
	return nil
}

// covers returns why the accounts cannot give what the entry takes, or nil.
func (p *Posting) covers(e Entry) error {
	if id, ok := e.From.HeldID(); ok && p.balances[KeyAccount{id, e.Unit}].Held < e.Count {
		return fmt.Errorf("entry %s gives %d held units that key %d does not have", e.Ref, e.Count, id)
	}
	id, ok := e.From.KeyID()
	if !ok {
		return nil
	}
	f := p.balances[KeyAccount{id, e.Unit}]
	if f.Balance < e.Count {
		return Shortage(e.Unit)
	}
	if _, hold := e.To.HeldID(); hold && f.Balance-e.Count < Reserve(f) {
		return ErrReserve
	}
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

// move changes the balances of the keys on both sides; the other accounts have none.
func (p *Posting) move(e Entry, count int64) {
	p.shift(e.From, e.Unit, -count)
	p.shift(e.To, e.Unit, count)
}

func (p *Posting) shift(a Account, unit Unit, count int64) {
	id, ok := a.owner()
	if !ok {
		return
	}
	if p.changes == nil {
		p.changes = make(map[KeyAccount]Funds)
	}
	account := KeyAccount{id, unit}
	balance, change := p.balances[account], p.changes[account]
	if _, held := a.HeldID(); held {
		balance.Held, change.Held = balance.Held+count, change.Held+count
	} else {
		balance.Balance, change.Balance = balance.Balance+count, change.Balance+count
	}
	p.balances[account], p.changes[account] = balance, change
}

// Posted returns the new entries in the order in which they were posted.
func (p *Posting) Posted() []Entry { return p.posted }

// Changes returns by how much the funds of each account have changed.
func (p *Posting) Changes() map[KeyAccount]Funds { return p.changes }

// FellLow reports whether the account has come down to Low credits.
func (p *Posting) FellLow(a KeyAccount) bool {
	left := p.balances[a].Balance
	return a.Unit == Credit && IsLow(left) && !IsLow(left-p.changes[a].Balance)
}
