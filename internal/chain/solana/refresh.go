package solana

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"sync"

	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// forkMargin is how many slots before the last reading the history of a changed account is read again: no
// fork of confirmed slots was ever longer.
const forkMargin = 150

// snapshot is an account as it is now.
type snapshot struct {
	*account
	now  *rpc.Account
	slot uint64
}

// isNew reports whether the account was never read since start.
func (x snapshot) isNew() bool { return x.seen == 0 }

// current reports whether the account needs no reading for the range. What was read before the range was final may be
// of another fork, which a new transaction is not in.
func (s *search) current(acc *account) bool {
	return acc.known && acc.seen >= s.to.Number && acc.covered && acc.since <= s.from && acc.walk == nil &&
		(!s.isFinal() || acc.final >= s.to.Number)
}

// isFinal reports whether the range is final.
func (s *search) isFinal() bool { return s.to.Number <= s.adapter.heads.finalNumber() }

// resumes bounds how often accounts are read again in one scan because a walk of an earlier scan was finished.
const resumes = 2

// refresh updates the accounts that were last read before `to`, and those whose history is not known back to
// `from`. An account that cannot be explained, or not yet, is set aside.
func (s *search) refresh(ctx context.Context, accounts []*account) error {
	for range resumes {
		stale := slices.DeleteFunc(slices.Clone(accounts), func(acc *account) bool {
			return s.current(acc) || s.left[acc.address]
		})
		if len(stale) == 0 {
			return nil
		}
		if err := s.refreshOnce(ctx, stale); err != nil {
			return err
		}
	}
	return nil
}

func (s *search) refreshOnce(ctx context.Context, stale []*account) error {
	var fresh []*account
	for _, acc := range stale {
		if acc.walk != nil && (acc.walk.e != s.e || acc.walk.goal > s.from) {
			acc.walk = nil // of another endpoint's index, or not far enough
		}
		if acc.walk == nil {
			fresh = append(fresh, acc)
		}
	}
	snapshots, err := s.snapshots(ctx, fresh)
	if err != nil {
		return err
	}
	if err := s.plan(ctx, snapshots); err != nil {
		return err
	}
	if err := s.walkAll(ctx, stale); err != nil {
		return err
	}
	for _, acc := range stale {
		if acc.missed >= s.from {
			acc.missed = 0
		} else if acc.missed > 0 && s.adapter.pool.size() == 1 { // of more, another one has shown it
			acc.covered = false
			s.setAside(acc, "the only endpoint has not shown before what came in slot "+strconv.FormatUint(acc.missed, 10))
			s.unread.From = min(cmp.Or(s.unread.From, acc.missed), acc.missed)
		}
	}
	for _, x := range snapshots {
		if x.walk != nil || s.left[x.address] {
			continue
		}
		if s.isFinal() {
			x.final, x.doubted = max(x.final, s.to.Number), false
		}
		if x.seen >= s.to.Number && x.known && x.covered {
			continue
		}
		if !x.covered {
			x.since, x.covered = s.historyStart(x), true // it does not exist, and no sweep emptied it
		}
		// The node may claim a slot that is still being made, so only `to` counts as read.
		x.known, x.state, x.seen, x.swept = true, x.now, max(x.seen, s.to.Number), s.swept
	}
	return nil
}

// snapshots reads the accounts as of `to` or later.
func (s *search) snapshots(ctx context.Context, accounts []*account) ([]snapshot, error) {
	snapshots := make([]snapshot, len(accounts))
	slot := s.to.Number
	for _, acc := range accounts {
		slot = max(slot, acc.seen) // never an older state than before
	}
	at := make(map[*account]int, len(accounts))
	for i, acc := range accounts {
		at[acc] = i
	}
	read := func(ctx context.Context, part []*account) error {
		var got []*rpc.Account
		var read uint64
		if err := s.e.patiently(ctx, slot, func() (err error) {
			got, read, err = s.e.Accounts(ctx, keysOf(part), slot)
			return err
		}); err != nil {
			return err
		}
		for i, acc := range part {
			snapshots[at[acc]] = snapshot{account: acc, now: got[i], slot: read}
		}
		return nil
	}
	err := apart(ctx, s, accounts, rpc.AccountsPerCall, func(acc *account) bool { return acc.problem.slow }, read,
		func(acc *account, err error) error { return s.failsFor(ctx, acc, err) })
	return slices.DeleteFunc(snapshots, func(x snapshot) bool { return x.account == nil || s.left[x.address] }), err
}

// historyStart is the slot from which the history of an account must be known: some slots before the range,
// because the authoritative pass soon asks for a range that begins there.
func (s *search) historyStart(x snapshot) uint64 {
	if x.known && x.covered && x.since <= s.from {
		return x.seen - min(x.seen, forkMargin)
	}
	return s.from - min(s.from, forkMargin)
}

// plan begins a walk for each account whose history must be read: those whose token balance changed, and those
// that a sweep may have emptied meanwhile. Lamports are no reason: anyone can send them to any account.
func (s *search) plan(ctx context.Context, snapshots []snapshot) error {
	swept, err := s.readSweeps(ctx, snapshots)
	if err != nil {
		return err
	}
	for _, x := range snapshots {
		now, err := x.now.Holding()
		if err != nil {
			if err := s.failsFor(ctx, x.account, err); err != nil {
				return err
			}
			continue
		}
		must, err := s.mustRead(x, now)
		if err != nil {
			return err
		}
		if !must && !swept(x) {
			continue
		}
		if swept(x) && x.doubted {
			x.covered = false
		}
		known := x.known && x.covered && x.since <= s.from
		bounded := known && !swept(x) && !s.adapter.sweeps.IsZero() && !s.adapter.thorough
		if err := s.begin(x, now, bounded); err != nil {
			return err
		}
	}
	return nil
}

// mustRead reports whether the account's history must be read whatever was swept. For an account never
// read before that is so if it holds tokens: what was paid to one that holds none, a sweep took.
func (s *search) mustRead(x snapshot, now rpc.Holding) (bool, error) {
	switch {
	case x.isNew():
		return now.Amount > 0 || s.adapter.thorough || s.adapter.sweeps.IsZero(), nil
	case !x.known, !x.covered, x.since > s.from:
		return true, nil
	}
	was, err := x.state.Holding()
	return was != now && (was.Valid || now.Valid), err
}

// walkAll advances all walks: each a little, then those that need more, together within a budget.
func (s *search) walkAll(ctx context.Context, accounts []*account) error {
	var long []*account
	var mu sync.Mutex
	err := rpc.Each(ctx, accounts, 1, func(ctx context.Context, one []*account, _ int) error {
		acc, budget := one[0], shortWalk
		if acc.walk == nil || s.isLeft(acc) {
			return nil
		}
		over, err := s.advanceOne(ctx, acc, &budget)
		if err == nil && !over {
			mu.Lock()
			defer mu.Unlock()
			long = append(long, acc)
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.SortFunc(long, func(a, b *account) int { return less(a.key, b.key) })
	budget := longWalks - s.walked
	for _, acc := range long {
		before := budget
		over, err := s.advanceOne(ctx, acc, &budget)
		s.walked += before - budget
		if err != nil {
			return err
		}
		if !over {
			s.setAside(acc, "too many transactions name the account; reading them goes on")
		}
	}
	return nil
}

// advanceOne advances a walk. An account for which it fails is set aside if the scan can go on without it.
func (s *search) advanceOne(ctx context.Context, acc *account, budget *int) (over bool, err error) {
	limited := ctx
	if !acc.problem.since.IsZero() {
		short, cancel := s.e.briefly(ctx)
		defer cancel()
		limited = short
	}
	if over, err = s.advance(limited, acc, budget); err == nil {
		return over, nil
	}
	return true, s.failsFor(ctx, acc, err)
}
