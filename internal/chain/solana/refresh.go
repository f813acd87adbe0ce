package solana

import (
	"context"
	"slices"

	solanago "github.com/gagliardetto/solana-go"
)

// forkMargin is how far below the last look a changed account's history is
// read again: no fork of confirmed slots was ever longer.
const forkMargin = 150

// snapshot is what an account looks like now.
type snapshot struct {
	*account
	now  *rawAccount
	slot uint64
}

// isNew reports whether the account was never looked at since start.
func (x snapshot) isNew() bool { return x.seen == 0 }

// look brings the accounts up to date: those last looked at before `to`, and
// those whose history is not known back to `from`.
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
			x.since, x.covered = s.historyStart(x), true // nothing is there, and nothing was taken
		}
		// The slot an answer claims to be of may be one that is being made.
		x.known, x.state, x.seen, x.gasTx = true, x.now, max(x.seen, s.to.Number), s.gasTx.Signature
	}
	return nil
}

// see reads the accounts as of `to` or later.
func (s *search) snapshots(ctx context.Context, accounts []*account) ([]snapshot, error) {
	snapshots := make([]snapshot, len(accounts))
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
			snapshots[at+i] = snapshot{account: acc, now: got[i], slot: slot}
		}
		return nil
	})
	return snapshots, err
}

// readGasHistory asks for the gas wallet's newest transaction, after the accounts
// were looked at: one that came before the look is then seen.
func (s *search) readGasHistory(ctx context.Context) (err error) {
	if s.adapter.gas.IsZero() {
		return nil
	}
	s.gasTx, err = s.e.newestSigned(ctx, s.adapter.gas.String())
	return err
}

// back is how far back the history of an account must be known: further than
// the range asked for, to what the authoritative pass will ask for soon, which
// begins some slots below this one.
func (s *search) historyStart(x snapshot) uint64 {
	if x.known && x.covered && x.since <= s.from {
		return x.seen - min(x.seen, forkMargin)
	}
	return s.from - min(s.from, forkMargin)
}

// differing picks the accounts whose history must be read: those that changed,
// and those that a sweep may have emptied since.
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

// mustRead reports whether the account's history must be read whatever the gas
// wallet did. At first snapshot that is so for accounts that are there: of those
// that are not, a sweep took what was paid, if anything was.
func (s *search) mustRead(x snapshot) bool {
	switch {
	case x.isNew():
		return x.now != nil || s.adapter.thorough || s.adapter.gas.IsZero()
	case !x.known, !x.covered, x.since > s.from:
		return true
	}
	return !x.state.same(x.now)
}

// namedBySweeps picks from accounts that look the same those that a transaction of
// the gas wallet named: one may have been emptied and paid the same again, or
// have come and gone.
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
		return snapshots, nil // their histories cost less
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

// study reads the histories of accounts that may have changed, and holds what
// they say against what the accounts hold.
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
