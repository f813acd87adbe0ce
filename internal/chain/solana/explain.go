package solana

import (
	"context"

	solanago "github.com/gagliardetto/solana-go"
)

// explain fails with errLagging unless the newest transaction that reports the account's balance left what
// the account holds now: a node's index of signatures may be behind its accounts. list is the newest part of
// the account's history. Older pages are read only as needed, because anyone can name an account in
// transactions that do nothing to it.
func (s *search) explain(ctx context.Context, x snapshot, list []signatureInfo) error {
	now, err := x.now.holding()
	if err != nil {
		return err
	}
	found := uint64(0) // slot of the newest transaction with the account's balance
	for page := 0; len(list) > 0 && page < maxPages; page++ {
		for _, l := range list {
			if l.Slot > x.slot || l.failed() {
				continue
			}
			if found != 0 && l.Slot < found {
				return unexplained(x)
			}
			left, reported, err := s.left(ctx, x.account, l)
			if err != nil {
				return err
			}
			if reported && left == now.amount {
				return nil
			}
			if reported {
				found = l.Slot
			}
		}
		if list, err = s.e.page(ctx, x.key.String(), list[len(list)-1].Signature, signaturesPerPage); err != nil {
			return err
		}
	}
	if found == 0 && now.amount == 0 {
		return nil // it never received tokens
	}
	return unexplained(x)
}

func unexplained(x snapshot) error {
	return lagging("no transaction explains what %s holds at slot %d", x.key, x.slot)
}

// left returns what the account held after the transaction; reported is false if the transaction does not
// report it. Validators report no token balances for a transaction that names no token program, and such a
// transaction cannot change any.
func (s *search) left(ctx context.Context, acc *account, l signatureInfo) (left uint64, reported bool, err error) {
	if e, ok := acc.entries[l.Signature]; ok && e.slot == l.Slot {
		if err := s.fetch(ctx, acc, e); err != nil {
			return 0, false, err
		}
		return e.tx.change.after, e.tx.reported, nil
	}
	t, err := s.cache.transaction(ctx, l.Signature)
	if err != nil {
		return 0, false, err
	}
	c, reported := t.change(acc.key)
	return c.after, reported, nil
}

// change returns what the transaction did to an account; ok is false if it does not report that.
func (t *transaction) change(key solanago.PublicKey) (c change, ok bool) {
	for _, c := range t.changes() {
		if c.account == key.String() {
			return c, true
		}
	}
	return change{}, false
}
