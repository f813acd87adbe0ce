package solana

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// Scan returns every transfer of the network's assets to the associated token accounts of the watched owners, and of
// any mint to the other accounts in the set, in slots from..to.
//
// The accounts are read, a hundred a call, unless they were read after `to` already. The history of an
// account that changed is read too, and must explain what the account holds. Of accounts never read before,
// those that exist count as changed. Only our own sweeps take money out of these accounts. So an account that
// is unchanged, or does not exist, can have received a transfer only if a sweep took it: accounts that a
// sweep named since the last reading have their history read too.
//
// What is known of the accounts is known by endpoint: what one hides is read through another.
func (a *Adapter) Scan(
	ctx context.Context, from uint64, to chain.Head, watch *chain.WatchSet, not ...string,
) (transfers []chain.Transfer, by string, err error) {
	if from > to.Number {
		return nil, "", fmt.Errorf("scan from slot %d to %d", from, to.Number)
	}
	if gaveUp(ctx) {
		return nil, "", ctx.Err()
	}
	endpoints := a.pool.besides(not...)
	var unread *chain.UnreadError
	err = a.pool.tryEach(ctx, endpoints, func(ctx context.Context, e *endpoint) (err error) {
		by = e.Voice()
		transfers, unread, err = a.scanThrough(ctx, e, endpoints, from, to, watch)
		return err
	})
	switch {
	case err != nil:
		return nil, "", fmt.Errorf("scan %s from slot %d: %w", a.profile.Network, from, err)
	case unread != nil:
		return transfers, by, unread
	}
	return transfers, by, nil
}

// scanThrough scans the slots through one of the endpoints that may be asked.
func (a *Adapter) scanThrough(
	ctx context.Context, e *endpoint, endpoints []*endpoint, from uint64, to chain.Head, watch *chain.WatchSet,
) ([]chain.Transfer, *chain.UnreadError, error) {
	known := a.known[e]
	select {
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	case <-known.turn:
		defer func() { known.turn <- struct{}{} }()
	}
	s := &search{
		adapter: a, watched: known, e: e, endpoints: endpoints, from: from, to: to, floods: watch.Floods,
		cache: newCache(e), left: make(map[chain.Address]bool), sweeps: &known.sweeps,
	}
	accounts := known.accountsOf(watch, a.mints, a.pool.now())
	if a.pool.size() == 1 && doubt(accounts, from) {
		s.sweeps = &sweepLog{count: known.sweeps.count, problem: known.sweeps.problem}
		defer func() { known.sweeps.problem = s.sweeps.problem }()
	}
	transfers, err := s.run(ctx, accounts)
	return transfers, s.unread, err
}

// search scans one range of slots through one endpoint.
type search struct {
	adapter *Adapter
	watched *watchedAccounts
	e       *endpoint
	// endpoints are all that this scan may go through.
	endpoints []*endpoint
	from      uint64
	to        chain.Head
	floods    map[chain.Address]chain.Flood
	cache     *cache
	sweeps    *sweepLog // for doubted accounts one of this scan alone
	swept     uint64    // how many sweeps the log has counted

	walked  int // transactions of long walks
	history sync.Mutex
	first   uint64 // the first slot that the endpoint remembers
	asked   bool   // it was asked for it
	mu      sync.Mutex
	unread  *chain.UnreadError
	left    map[chain.Address]bool // set aside in this scan
	single  rpc.Isolation
}

// accountsPerRound is how many accounts are finished before the next ones are begun: their results are kept
// if a later one fails.
const accountsPerRound = 10 * rpc.AccountsPerCall

func (s *search) run(ctx context.Context, accounts []*account) ([]chain.Transfer, error) {
	if err := s.e.reached(ctx, s.to); err != nil {
		return nil, err
	}
	accounts = s.inTurn(accounts)
	for round := 0; ; round++ {
		if _, err := s.recheck(ctx, accounts); err != nil {
			return nil, err
		}
		for part := range slices.Chunk(s.notLeft(accounts), accountsPerRound) {
			if err := s.refresh(ctx, part); err != nil {
				return nil, err
			}
		}
		gone, err := s.recheck(ctx, accounts)
		if err != nil {
			return nil, err
		}
		if len(gone) == 0 {
			break
		}
		if round < maxForks {
			continue
		}
		for _, acc := range gone {
			if err := s.failsFor(ctx, acc, rpc.Lagging("a transaction of %s comes and goes", acc.key)); err != nil {
				return nil, err
			}
		}
		break
	}
	transfers, err := s.transfers(ctx, s.notLeft(accounts))
	if err != nil {
		return nil, err
	}
	if err := s.e.reached(ctx, s.to); err != nil {
		return nil, err
	}
	s.wellAgain(accounts)
	return transfers, nil
}

// maxForks bounds how often a scan starts again because a fork removed a transaction.
const maxForks = 3

// recheck reads the status of transactions that a fork could still remove. Where one is gone, another may
// have replaced it without changing the balance, so the account must be read again. The result are the accounts with
// a transaction that is gone.
func (s *search) recheck(ctx context.Context, accounts []*account) (gone []*account, err error) {
	accounts = s.notLeft(accounts)
	var open []string
	slow := make(map[string]bool)
	for _, acc := range accounts {
		for _, e := range acc.notFinal() {
			open = append(open, e.signature)
			slow[e.signature] = slow[e.signature] || acc.problem.slow
		}
	}
	slices.Sort(open)
	open = slices.Compact(open)
	if len(open) == 0 {
		return nil, nil
	}
	statuses, failed := make(map[string]*rpc.TxStatus, len(open)), make(map[string]error)
	err = apart(ctx, s, open, rpc.StatusesPerCall, func(signature string) bool { return slow[signature] },
		func(ctx context.Context, part []string) error {
			got, err := s.e.Statuses(ctx, part)
			s.mu.Lock()
			defer s.mu.Unlock()
			maps.Copy(statuses, got)
			return err
		}, func(signature string, err error) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			failed[signature] = err
			return nil
		})
	if err != nil {
		return nil, err
	}
	for _, acc := range accounts {
		for _, e := range acc.notFinal() {
			st, err := statuses[e.signature], failed[e.signature]
			if err == nil && !st.Included() {
				acc.forget(e.signature)
				gone = append(gone, acc)
				break
			}
			if err == nil {
				err = s.applyStatus(e, st)
			}
			if err == nil {
				continue
			}
			if err := s.failsFor(ctx, acc, err); err != nil {
				return nil, err
			}
			break
		}
	}
	return gone, nil
}

// applyStatus updates an entry by the status of its transaction. What it did is read again once it is final.
func (s *search) applyStatus(e *entry, st *rpc.TxStatus) error {
	if st.Slot != e.slot || st.Final() && !e.final {
		e.slot, e.tx = st.Slot, nil
	}
	e.failed, e.final = st.Failed(), st.Final()
	if !e.final && e.slot <= min(s.to.Number, s.adapter.heads.finalNumber()) {
		return rpc.Lagging("transaction %s is not finalized in slot %d", e.signature, e.slot)
	}
	return nil
}

// transfers returns what the transactions of the range credited to the accounts.
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
	err := rpc.Each(ctx, pairs, 1, func(ctx context.Context, one []pair, _ int) error {
		if err := s.fetch(ctx, one[0].acc, one[0].e); err != nil {
			return s.failsFor(ctx, one[0].acc, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var transfers []chain.Transfer
	for _, p := range pairs {
		if s.left[p.acc.address] || !p.e.tx.credited {
			continue
		}
		t := chain.Transfer{
			Key: chain.Key{
				Network: s.adapter.profile.Network, Tx: chain.TxHash(p.e.signature), Ordinal: p.e.tx.ordinal,
			},
			Asset: p.acc.mint.asset, From: p.e.tx.from, To: p.acc.address, Units: p.e.tx.change.Units(),
			Block: p.e.tx.block, Source: p.e.tx.source,
		}
		if s.isSmall(p.acc, p.e) {
			t.Ordinal, t.Block = -1-t.Ordinal, chain.Head{Number: p.e.slot}
		}
		if p.acc.under != nil {
			t.Asset, t.Account = s.adapter.assetOf(p.e.tx.change), chain.Address(p.acc.key.String())
		}
		transfers = append(transfers, t)
	}
	return slices.DeleteFunc(transfers, func(t chain.Transfer) bool { return s.left[t.To] }), nil
}

// isSmall reports whether the entry is to be shown without its block: see chain.Flood.
func (s *search) isSmall(acc *account, e *entry) bool {
	return acc.under == nil && e.tx != nil &&
		s.floods[acc.address].Has(e.slot, chain.TxHash(e.signature), acc.mint.asset.Worth(e.tx.change.Units()))
}

// fetch reads what a transaction did to the account, once for each block that holds it: a fork may have put it into
// another block of the same slot with another effect.
func (s *search) fetch(ctx context.Context, acc *account, e *entry) error {
	if e.tx == nil {
		if err := s.read(ctx, acc, e); err != nil {
			return err
		}
	}
	if s.isSmall(acc, e) {
		return nil
	}
	block, err := s.cache.head(ctx, e.slot)
	if err != nil {
		return s.unreadable(acc, e, err)
	}
	if e.tx.block.Same(block) {
		return nil
	}
	if err := s.read(ctx, acc, e); err != nil {
		return err
	}
	e.tx.block = block
	return nil
}

// read reads what a transaction did to the account, in this scan.
func (s *search) read(ctx context.Context, acc *account, e *entry) error {
	t, err := s.cache.transaction(ctx, e.signature)
	if err != nil {
		return s.unreadable(acc, e, err)
	}
	if t.Slot != e.slot {
		e.final = false // the status was wrong, or the transaction: both are read again
		return rpc.Lagging("transaction %s is in slot %d, not %d", e.signature, t.Slot, e.slot)
	}
	e.tx = outcomeOf(t, acc, s.e.Name)
	return nil
}

// unreadable forgets an entry, which may have been invented, in a slot without a block: what is there is read again.
func (s *search) unreadable(acc *account, e *entry, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	acc.forget(e.signature)
	return err
}
