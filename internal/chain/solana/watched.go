package solana

import (
	"slices"
	"strings"
	"time"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
)

// it was read
// change costs no more than its share of one call for a hundred. One scan at a time uses it.
type watchedAccounts struct {
	turn      chan struct{} // holds a token while no scan runs
	addresses addressCache
	accounts  map[solanago.PublicKey]*account
	pruned    time.Time
}

func newWatchedAccounts() *watchedAccounts {
	m := &watchedAccounts{turn: make(chan struct{}, 1), accounts: make(map[solanago.PublicKey]*account)}
	m.turn <- struct{}{}
	return m
}

// account is a watched token account.
type account struct {
	key, owner solanago.PublicKey
	address    chain.Address // the owner's, as it is shown
	mint       mint

	known bool        // it was read
	state *rawAccount // as of that reading
	seen  uint64      // a slot up to which state includes everything
	gasTx string      // the gas wallet's newest transaction at that reading
	used  time.Time

	// entries are the transactions that named the account in slots since..seen, by signature. Those that a fork
	// removed are not among them.
	since   uint64
	covered bool
	entries map[string]*entry
}

// entry is a transaction that named an account.
type entry struct {
	signature string
	slot      uint64
	failed    bool
	final     bool
	tx        *outcome // nil until it is read
}

// outcome is what a transaction did to the account.
type outcome struct {
	ordinal  int
	reported bool // the transaction reports the account's balance
	credited bool
	change   change
	from     chain.Address
	source   string
}

// forgetAfter is how long an account that is no longer watched is kept.
const forgetAfter = time.Hour

// accountsOf returns the accounts of the watched owners, one for each mint, in a stable order.
func (m *watchedAccounts) accountsOf(watch *chain.WatchSet, mints []mint, now time.Time) []*account {
	list := make([]*account, 0, watch.Len()*len(mints))
	for raw, address := range watch.All {
		if len(raw) != solanago.PublicKeyLength {
			continue // of another network
		}
		owner := solanago.PublicKey(raw)
		for _, mint := range mints {
			key := m.addresses.associated(owner, mint.key)
			acc, ok := m.accounts[key]
			if !ok {
				acc = &account{key: key, owner: owner, address: address, mint: mint, entries: make(map[string]*entry)}
				m.accounts[key] = acc
			}
			acc.used = now
			list = append(list, acc)
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

// within lists the transactions without error in the slots from..to, by slot.
func (acc *account) within(from, to uint64) []*entry {
	var list []*entry
	for _, e := range acc.entries {
		if e.slot >= from && e.slot <= to && !e.failed {
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

// learn adds the history of the account from the slot on.
func (acc *account) learn(list []signatureInfo, since uint64) {
	for _, s := range list {
		if s.Slot < since {
			continue // not part of the requested range, and the node may prune it
		}
		if known, ok := acc.entries[s.Signature]; ok {
			if known.slot != s.Slot {
				known.tx = nil // included again in another slot
			}
			known.slot, known.failed = s.Slot, s.failed()
			continue
		}
		acc.entries[s.Signature] = &entry{signature: s.Signature, slot: s.Slot, failed: s.failed()}
	}
	if !acc.covered || since < acc.since {
		acc.since = since
	}
	acc.covered = true
}
