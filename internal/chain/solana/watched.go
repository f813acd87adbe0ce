package solana

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// watchedAccounts are the token accounts of the watched owners, with what is known of each. An account that does not
// change costs no more than its share of one call for a hundred. One scan at a time uses it.
type watchedAccounts struct {
	turn      chan struct{} // holds a token while no scan runs
	addresses *rpc.Accounts
	accounts  map[solanago.PublicKey]*account
	sweeps    sweepLog
	pruned    time.Time
	held      time.Time // when scans last began to fail because of single accounts
}

func newWatchedAccounts(addresses *rpc.Accounts) *watchedAccounts {
	m := &watchedAccounts{
		turn: make(chan struct{}, 1), addresses: addresses, accounts: make(map[solanago.PublicKey]*account),
	}
	m.turn <- struct{}{}
	return m
}

// account is a watched token account.
type account struct {
	key, owner solanago.PublicKey
	address    chain.Address // the owner's, as it is shown
	mint       mint          // zero: any
	// under reports whether the owner of an account is under the owner's key; nil: only the owner is.
	under func(string) bool

	known    bool         // it was read
	state    *rpc.Account // as of that reading
	seen     uint64       // a slot up to which state includes everything
	credited uint64       // the slot of its newest credit that was read
	final    uint64       // the same, of a reading that came when the slot was final: no fork has changed it since
	swept    uint64       // how many sweeps were counted at that reading
	doubted  bool         // what was read of it as final is read again
	// missed is the slot of a credit that an earlier reading of the slot has not shown; 0: there is none.
	missed uint64
	used   time.Time

	// walk is the reading of its history, where that is not finished; unexplained: the last one did not explain what
	// the account holds, so that nothing is believed that was read before.
	walk        *walk
	unexplained bool

	problem problem

	// entries are the transactions that credited the account in slots since..seen, by signature, and final ones that
	// did not. Those that a fork removed are not among them.
	since   uint64
	covered bool
	entries map[string]*entry
}

// entry is a transaction that names an account.
type entry struct {
	signature string
	slot      uint64
	failed    bool
	final     bool
	tx        *outcome // nil until it is read
}

// outcome is what a transaction did to the account.
type outcome struct {
	block    chain.Head // that held it when it was read; empty: not known
	ordinal  int
	credited bool
	change   rpc.Change
	from     chain.Address
	source   string
}

// credit returns what the transaction brought to the account.
func (acc *account) credit(t *rpc.Transaction) (rpc.Change, bool) {
	if acc.under != nil {
		return t.CreditUnder(acc.key, acc.under)
	}
	return t.Credit(acc.key, acc.owner, acc.mint.key)
}

// outcomeOf returns what the transaction, as the source reported it, did to the account.
func outcomeOf(t *rpc.Transaction, acc *account, source string) *outcome {
	c, credited := acc.credit(t)
	o := &outcome{ordinal: c.Index, credited: credited, change: c, source: source}
	if credited {
		o.from = rpc.Payer(t.Changes(), c.Mint)
	} else {
		o.change, _ = t.Change(acc.key)
	}
	return o
}

// forgetAfter is how long an account that is no longer watched is kept.
const forgetAfter = 3 * time.Hour

// accountsOf returns the accounts of the watched owners, one for each mint, and the other accounts in the set, in a
// stable order.
func (m *watchedAccounts) accountsOf(watch *chain.WatchSet, mints []mint, now time.Time) []*account {
	list := make([]*account, 0, watch.Len()*len(mints))
	add := func(acc account) {
		known, ok := m.accounts[acc.key]
		if !ok {
			acc.entries = make(map[string]*entry)
			known = &acc
			m.accounts[acc.key] = known
		}
		known.used = now
		list = append(list, known)
	}
	for raw, address := range watch.All {
		switch len(raw) {
		case solanago.PublicKeyLength:
			for _, mint := range mints {
				owner := solanago.PublicKey(raw)
				add(account{key: m.addresses.Of(owner, mint.key), owner: owner, address: address, mint: mint})
			}
		case 2 * solanago.PublicKeyLength:
			owner := solanago.PublicKey(raw[:solanago.PublicKeyLength])
			add(account{
				key: solanago.PublicKey(raw[solanago.PublicKeyLength:]), owner: owner, address: address,
				under: under(m.addresses, owner, mints),
			})
		}
	}
	slices.SortFunc(list, func(a, b *account) int { return less(a.key, b.key) })
	m.prune(now)
	return list
}

func (m *watchedAccounts) prune(now time.Time) {
	if now.Sub(m.pruned) < forgetAfter {
		return
	}
	m.pruned = now
	for key, acc := range m.accounts {
		if now.Sub(acc.used) > forgetAfter {
			delete(m.accounts, key)
		}
	}
}

// forget drops a transaction, and has the account read again.
func (acc *account) forget(signature string) {
	delete(acc.entries, signature)
	acc.known, acc.covered, acc.state, acc.walk = false, false, nil, nil
}

// doubt has accounts that were read from a slot on as final read again, and reports whether any is: the endpoint is
// all there is, and may have left out a transaction then, or a sweep. One that a sweep emptied looks as it did before
// it was paid.
func doubt(accounts []*account, from uint64) (some bool) {
	for _, acc := range accounts {
		if acc.final > 0 && acc.final >= from {
			acc.final, acc.doubted = 0, true
		}
		some = some || acc.doubted
	}
	return some
}

// refute forgets a transaction that another endpoint denies: what one endpoint reported must not be kept until another
// one reports the same at another time.
func (m *watchedAccounts) refute(ctx context.Context, signature string) {
	select {
	case <-ctx.Done():
		return
	case <-m.turn:
		defer func() { m.turn <- struct{}{} }()
	}
	for _, acc := range m.accounts {
		if acc.entries[signature] != nil {
			acc.forget(signature)
		}
	}
}

// notFinal lists the entries that a fork can still remove.
func (acc *account) notFinal() []*entry {
	var list []*entry
	for _, e := range acc.entries {
		if !e.final {
			list = append(list, e)
		}
	}
	return list
}

// within lists the transactions without error in the slots from..to that may have credited the account, by slot.
func (acc *account) within(from, to uint64) []*entry {
	var list []*entry
	for _, e := range acc.entries {
		if e.slot >= from && e.slot <= to && !e.failed && (e.tx == nil || e.tx.credited) {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b *entry) int {
		if a.slot != b.slot {
			return int(a.slot) - int(b.slot)
		}
		return strings.Compare(a.signature, b.signature)
	})
	return list
}

func keysOf(accounts []*account) []solanago.PublicKey {
	keys := make([]solanago.PublicKey, len(accounts))
	for i, acc := range accounts {
		keys[i] = acc.key
	}
	return keys
}

// less orders keys.
func less(a, b solanago.PublicKey) int { return bytes.Compare(a[:], b[:]) }
