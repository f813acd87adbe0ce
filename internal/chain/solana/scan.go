package solana

import (
	"context"
	"fmt"
	"slices"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
)

// forkMargin is how far below the last look a changed account's history is
// read again: no fork of confirmed slots was ever longer.
const forkMargin = 150

// Scan returns every transfer of the network's assets to the associated
// accounts of the watched owners in slots from..to.
//
// Accounts are looked at, a hundred a call, unless the last look was after `to`.
// The history of those that changed, or that were not looked at before, is read
// and must explain what they hold. Money leaves them only by our own sweeps,
// so an account that looks the same has had no transfer, unless a sweep came
// in between: then those that hold something are read too.
func (a *Adapter) Scan(ctx context.Context, from uint64, to chain.Head, watch *chain.WatchSet) ([]chain.Transfer, error) {
	if from > to.Number {
		return nil, fmt.Errorf("scan from slot %d to %d", from, to.Number)
	}
	if gaveUp(ctx) {
		return nil, ctx.Err()
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-a.memory.turn:
		defer func() { a.memory.turn <- struct{}{} }()
	}
	accounts := a.memory.of(watch, a.mints, a.pool.now())
	var transfers []chain.Transfer
	err := a.pool.do(ctx, func(ctx context.Context, e *endpoint) (err error) {
		s := &search{adapter: a, e: e, from: from, to: to, read: newReading(e)}
		transfers, err = s.run(ctx, accounts)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("scan %s from slot %d: %w", a.profile.Network, from, err)
	}
	return transfers, nil
}

// search is the reading of one range of slots through one endpoint.
type search struct {
	adapter *Adapter
	e       *endpoint
	from    uint64
	to      chain.Head
	read    *reading
	spent   string // the gas wallet's newest transaction
}

// atOnceAccounts is how many accounts are finished with before the next are
// begun: what was learnt about them is kept if a later one fails.
const atOnceAccounts = 10 * accountsPerCall

func (s *search) run(ctx context.Context, accounts []*account) ([]chain.Transfer, error) {
	if err := s.e.reached(ctx, s.to); err != nil {
		return nil, err
	}
	for round := 0; ; round++ {
		if _, err := s.settle(ctx, accounts); err != nil {
			return nil, err
		}
		for part := range slices.Chunk(accounts, atOnceAccounts) {
			if err := s.look(ctx, part); err != nil {
				return nil, err
			}
		}
		gone, err := s.settle(ctx, accounts)
		if err != nil {
			return nil, err
		}
		if gone == "" {
			break
		}
		if round == maxForks {
			return nil, lagging("transaction %s comes and goes", gone)
		}
	}
	transfers, err := s.transfers(ctx, accounts)
	if err != nil {
		return nil, err
	}
	if err := s.e.reached(ctx, s.to); err != nil {
		return nil, err
	}
	return transfers, nil
}

// maxForks bounds how often a scan begins anew because a fork took a
// transaction away.
const maxForks = 3

// sight is what an account looks like now.
type sight struct {
	*account
	now  *raw
	slot uint64
}

// look brings the accounts up to date: those last looked at before `to`, and
// those whose history is not known back to `from`.
func (s *search) look(ctx context.Context, accounts []*account) error {
	stale := slices.DeleteFunc(slices.Clone(accounts), func(acc *account) bool {
		return acc.known && acc.seen >= s.to.Number && acc.covered && acc.since <= s.from
	})
	if len(stale) == 0 {
		return nil
	}
	sights, err := s.see(ctx, stale)
	if err != nil {
		return err
	}
	if err := s.askSpent(ctx); err != nil {
		return err
	}
	changed := slices.DeleteFunc(slices.Clone(sights), func(x sight) bool { return !s.mayDiffer(x) })
	if err := s.study(ctx, changed); err != nil {
		return err
	}
	for _, x := range sights {
		// The slot an answer claims to be of may be one that is being made.
		x.known, x.state, x.seen, x.spent = true, x.now, max(x.seen, s.to.Number), s.spent
	}
	return nil
}

// see reads the accounts as of `to` or later.
func (s *search) see(ctx context.Context, accounts []*account) ([]sight, error) {
	sights := make([]sight, len(accounts))
	slot := s.to.Number
	for _, acc := range accounts {
		slot = max(slot, acc.seen) // never back to an older state
	}
	err := each(ctx, accounts, accountsPerCall, func(ctx context.Context, part []*account, at int) error {
		keys := make([]solanago.PublicKey, len(part))
		for i, acc := range part {
			keys[i] = acc.key
		}
		got, slot, err := s.e.accounts(ctx, keys, slot)
		if err != nil {
			return err
		}
		for i, acc := range part {
			sights[at+i] = sight{account: acc, now: got[i], slot: slot}
		}
		return nil
	})
	return sights, err
}

// askSpent asks for the gas wallet's newest transaction, after the accounts
// were looked at: one that came before the look is then seen.
func (s *search) askSpent(ctx context.Context) (err error) {
	if s.adapter.gas.IsZero() {
		return nil
	}
	s.spent, err = s.e.newestSignature(ctx, s.adapter.gas.String())
	return err
}

// mayDiffer reports whether the account's history must be read.
func (s *search) mayDiffer(x sight) bool {
	switch {
	case !x.known, !x.covered, x.since > s.from, !x.state.same(x.now):
		return true
	case x.spent == s.spent:
		return false
	}
	// Swept in between: an account that holds what it held may have been
	// emptied and paid again; one that is not there may have come and gone
	// while another instance was reading.
	return x.now != nil || x.seen+forkMargin < x.slot
}

// study reads the histories of accounts that may have changed, and holds what
// they say against what the accounts hold.
func (s *search) study(ctx context.Context, sights []sight) error {
	return each(ctx, sights, 1, func(ctx context.Context, one []sight, _ int) error {
		x := one[0]
		// An answer holds more than the range asked for: what the authoritative
		// pass will ask for soon, which begins some slots below this one.
		since := s.from - min(s.from, forkMargin)
		if x.known && x.covered && x.since <= s.from {
			since = x.seen - min(x.seen, forkMargin)
		}
		list, err := s.e.signatures(ctx, x.key.String(), since)
		if err != nil {
			return err
		}
		x.learn(list, since)
		return s.explain(ctx, x, list)
	})
}

// explain fails with errLagging unless the newest transaction of the account
// left it with what it holds: a node's index of signatures may be behind its
// accounts.
func (s *search) explain(ctx context.Context, x sight, list []signed) error {
	now, err := x.now.holding()
	if err != nil {
		return err
	}
	var newest uint64
	var last []string
	for _, l := range list {
		if l.Slot > x.slot || l.failed() {
			continue
		}
		if newest == 0 {
			newest = l.Slot
		}
		if l.Slot == newest {
			last = append(last, l.Signature)
		}
	}
	if len(last) == 0 && !now.exists && x.state == nil {
		return nil // never used
	}
	for _, signature := range last {
		t, err := s.read.transaction(ctx, signature)
		if err != nil {
			return err
		}
		if t.leaves(x.key) == now.amount {
			return nil
		}
	}
	return lagging("no transaction explains what %s holds at slot %d", x.key, x.slot)
}

// leaves returns what a token account holds after the transaction.
func (t *transaction) leaves(key solanago.PublicKey) uint64 {
	for _, c := range t.changes() {
		if c.account == key.String() {
			return c.after
		}
	}
	return 0
}

// settle asks what became of transactions that a fork could take away. Where
// one is gone, another may have taken its place without a trace, so the
// account is to be looked at again; the result names one that is gone.
func (s *search) settle(ctx context.Context, accounts []*account) (gone string, err error) {
	var open []string
	for _, acc := range accounts {
		for _, e := range acc.unsettled() {
			open = append(open, e.signature)
		}
	}
	slices.Sort(open)
	open = slices.Compact(open)
	if len(open) == 0 {
		return "", nil
	}
	statuses, err := s.e.statuses(ctx, open)
	if err != nil {
		return "", err
	}
	for _, acc := range accounts {
		for _, e := range acc.unsettled() {
			st := statuses[e.signature]
			if !st.included() {
				delete(acc.entries, e.signature)
				acc.known, acc.covered, acc.state, gone = false, false, nil, e.signature
				continue
			}
			if err := s.judge(e, st); err != nil {
				return "", err
			}
		}
	}
	return gone, nil
}

// judge takes in what became of a transaction.
func (s *search) judge(e *entry, st *status) error {
	if st.Slot != e.slot {
		e.slot, e.tx = st.Slot, nil
	}
	e.failed, e.final = st.failed(), st.final()
	if !e.final && e.slot <= min(s.to.Number, s.adapter.heads.finalNumber()) {
		return lagging("transaction %s is not finalized in slot %d", e.signature, e.slot)
	}
	return nil
}

// transfers reads what the transactions of the range brought to the accounts.
func (s *search) transfers(ctx context.Context, accounts []*account) ([]chain.Transfer, error) {
	type pair struct {
		acc *account
		e   *entry
	}
	var pairs []pair
	for _, acc := range accounts {
		for _, e := range acc.within(s.from, s.to.Number) {
			pairs = append(pairs, pair{acc, e})
		}
	}
	err := each(ctx, pairs, 1, func(ctx context.Context, one []pair, _ int) error {
		return s.fetch(ctx, one[0].acc, one[0].e)
	})
	if err != nil {
		return nil, err
	}
	var transfers []chain.Transfer
	for _, p := range pairs {
		if !p.e.tx.credited {
			continue
		}
		at, err := s.read.head(ctx, p.e.slot)
		if err != nil {
			return nil, err
		}
		transfers = append(transfers, chain.Transfer{
			Key:   chain.Key{Network: s.adapter.profile.Network, Tx: chain.TxHash(p.e.signature), Ordinal: p.e.tx.ordinal},
			Asset: p.acc.mint.asset, From: p.e.tx.from, To: p.acc.address, Units: p.e.tx.change.units(),
			Block: at, Source: p.e.tx.source,
		})
	}
	return transfers, nil
}

// fetch reads what a transaction did to the account, once.
func (s *search) fetch(ctx context.Context, acc *account, e *entry) error {
	if e.tx != nil {
		return nil
	}
	t, err := s.read.transaction(ctx, e.signature)
	if err != nil {
		return err
	}
	if t.Slot != e.slot {
		return lagging("transaction %s is in slot %d, not %d", e.signature, t.Slot, e.slot)
	}
	c, credited := t.credit(acc.key, acc.owner, acc.mint.key)
	e.tx = &outcome{ordinal: c.index, credited: credited, change: c, source: s.e.name}
	if credited {
		e.tx.from = payer(t.changes(), c.mint)
	}
	return nil
}
