package solana

import (
	"context"
	"slices"

	solanago "github.com/gagliardetto/solana-go"
)

// forkMargin is how many slots before the last reading the history of a changed account is read again: no
// fork of confirmed slots was ever longer.
const forkMargin = 150

// snapshot is an account as it is now.
type snapshot struct {
	*account
	now  *rawAccount
	slot uint64
}

// isNew reports whether the account was never read since start.
func (x snapshot) isNew() bool { return x.seen == 0 }

// refresh updates the accounts that were last read before `to`, and those whose history is not known back to
// `from`.
func (s *search) refresh(ctx context.Context, accounts []*account) error {
	stale := slices.DeleteFunc(slices.Clone(accounts), func(acc *account) bool {
		return acc.known && acc.seen >= s.to.Number && acc.covered && acc.since <= s.from
	})
	if len(stale) == 0 {
		return nil
	}
	snapshots, err := s.snapshots(ctx, stale)
	if err != nil {
		return err
	}
	if err := s.readGasHistory(ctx); err != nil {
		return err
	}
	differs, err := s.differing(ctx, snapshots)
	if err != nil {
		return err
	}
	if err := s.readHistories(ctx, differs); err != nil {
		return err
	}
	for _, x := range snapshots {
		if !x.covered {
			x.since, x.covered = s.historyStart(x), true // it does not exist, and no sweep emptied it
		}
		// The node may claim a slot that is still being made, so only `to` counts as read.
		x.known, x.state, x.seen, x.gasTx = true, x.now, max(x.seen, s.to.Number), s.gasTx.Signature
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
			snapshots[at+i] = snapshot{account: acc, now: got[i], slot: slot}
		}
		return nil
	})
	return snapshots, err
}

// readGasHistory reads the gas wallet's newest transaction. It comes after the accounts were read, so that a
// sweep before that reading is not missed.
func (s *search) readGasHistory(ctx context.Context) (err error) {
	if s.adapter.gas.IsZero() {
		return nil
	}
	s.gasTx, err = s.e.newestSigned(ctx, s.adapter.gas.String())
	return err
}

// historyStart is the slot from which the history of an account must be known: some slots before the range,
// because the authoritative pass soon reads a range that begins there.
func (s *search) historyStart(x snapshot) uint64 {
	if x.known && x.covered && x.since <= s.from {
		return x.seen - min(x.seen, forkMargin)
	}
	return s.from - min(s.from, forkMargin)
}

// differing picks the accounts whose history must be read: those that changed, and those that a sweep may
// have emptied in between.
func (s *search) differing(ctx context.Context, snapshots []snapshot) ([]snapshot, error) {
	var differ, same []snapshot
	for _, x := range snapshots {
		switch {
		case s.mustRead(x):
			differ = append(differ, x)
		case x.isNew() || x.gasTx != s.gasTx.Signature:
			same = append(same, x)
		}
	}
	swept, err := s.namedBySweeps(ctx, same)
	return append(differ, swept...), err
}

// mustRead reports whether the account's history must be read whatever the gas wallet did. An account that was
// never read before must be read if it exists; if it does not, only a sweep can have taken what was paid to it.
func (s *search) mustRead(x snapshot) bool {
	switch {
	case x.isNew():
		return x.now != nil || s.adapter.thorough || s.adapter.gas.IsZero()
	case !x.known, !x.covered, x.since > s.from:
		return true
	}
	return !x.state.same(x.now)
}

// namedBySweeps picks from unchanged accounts those that a transaction of the gas wallet named: such an
// account may have been emptied and paid the same amount again, or created and closed.
func (s *search) namedBySweeps(ctx context.Context, snapshots []snapshot) ([]snapshot, error) {
	if len(snapshots) == 0 || s.gasTx.Signature == "" {
		return nil, nil
	}
	since := s.historyStart(snapshots[0])
	for _, x := range snapshots {
		since = min(since, s.historyStart(x))
	}
	if s.gasTx.Slot < since {
		return nil, nil
	}
	list, err := s.e.signatures(ctx, s.adapter.gas.String(), since)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(l signatureInfo) bool { return l.failed() || l.Slot < since })
	if len(list) >= len(snapshots) {
		return snapshots, nil // reading their histories costs less
	}
	named := make(map[string]bool)
	transactions := make([]*transaction, len(list))
	err = each(ctx, list, 1, func(ctx context.Context, one []signatureInfo, at int) (err error) {
		transactions[at], err = s.cache.transaction(ctx, one[0].Signature)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, t := range transactions {
		for _, key := range t.keys {
			named[key] = true
		}
	}
	return slices.DeleteFunc(snapshots, func(x snapshot) bool { return !named[x.key.String()] }), nil
}

// readHistories reads the histories of accounts that may have changed, and compares them with what the
// accounts hold.
func (s *search) readHistories(ctx context.Context, snapshots []snapshot) error {
	return each(ctx, snapshots, 1, func(ctx context.Context, one []snapshot, _ int) error {
		x := one[0]
		since := s.historyStart(x)
		list, err := s.e.signatures(ctx, x.key.String(), since)
		if err != nil {
			return err
		}
		x.learn(list, since)
		return s.explain(ctx, x, list)
	})
}
