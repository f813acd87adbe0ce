package store

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/store/db"
)

// maxAccounts bounds the token accounts that are read for one payment: anyone can make some.
const maxAccounts = 64

// SaveSetAside stores that a payment could not be read. What is stored keeps its
// first block and its beginning if those are earlier, and its token accounts.
func (s *Store) SaveSetAside(ctx context.Context, a watch.SetAside) error {
	from := int64(min(a.From, math.MaxInt64)) //nolint:gosec // bounded
	err := s.db.Write(ctx, func(ctx context.Context, t tx) error {
		if err := addStored(ctx, t, &a); err != nil {
			return err
		}
		res, err := t.NewRaw(`INSERT INTO set_aside (payment_id, network, from_number, since, attempts, next_at, reason,
				accounts, shown)
			SELECT id, ?, ?, ?, ?, ?, ?, ?, ? FROM payments WHERE public_id = ?
			ON CONFLICT (network, payment_id) DO UPDATE SET attempts = excluded.attempts, next_at = excluded.next_at, reason = excluded.reason,
			accounts = excluded.accounts, shown = excluded.shown,
			from_number = CASE WHEN excluded.from_number < set_aside.from_number THEN excluded.from_number ELSE set_aside.from_number END,
			since = CASE WHEN excluded.since < set_aside.since THEN excluded.since ELSE set_aside.since END`,
			a.Network, from, a.Since, a.Attempts, a.NextAt, db.Shown(a.Reason), db.Joined(a.Accounts),
			shownText(a.Shown), a.PaymentID).Exec(ctx)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n != 1 {
			return fmt.Errorf("%d rows: %w", n, payments.Missing)
		}
		return nil
	})
	return db.Wrap(err, "set payment %s aside on %s", a.PaymentID, a.Network)
}

// addStored adds the accounts and the transfers that are stored.
func addStored(ctx context.Context, t tx, a *watch.SetAside) error {
	stored, err := db.All[watch.SetAside](ctx, t, `SELECT accounts, shown FROM set_aside WHERE network = ? AND payment_id =
		(SELECT id FROM payments WHERE public_id = ?)`+t.ForUpdate(), a.Network, a.PaymentID)
	if err != nil {
		return err
	}
	for _, row := range stored {
		row.Show(a.Shown)
		a.Shown = row.Shown
		for _, account := range a.Accounts {
			if !slices.Contains(row.Accounts, account) && len(row.Accounts) < maxAccounts {
				row.Accounts = append(row.Accounts, account)
			}
		}
		a.Accounts = row.Accounts
	}
	return nil
}

// Transfers are JSON; none are an empty text.
var _ = db.Codec(shownText, func(text string) (list []chain.Transfer, err error) {
	if text != "" {
		err = json.Unmarshal([]byte(text), &list)
	}
	return list, err
})

func shownText(list []chain.Transfer) string {
	if len(list) == 0 {
		return ""
	}
	text, _ := json.Marshal(list) //nolint:errchkjson // texts and numbers are always JSON
	return string(text)
}

// SetAsides lists the payments that could not be read on the network, the longest
// first.
func (s *Store) SetAsides(ctx context.Context, n chain.Network) ([]watch.SetAside, error) {
	list, err := db.All[watch.SetAside](ctx, s.db.Reader(), `SELECT p.public_id AS payment_id, a.network, a.from_number AS "from",
		a.since, a.attempts, a.next_at, a.reason, a.accounts, a.shown, p.ended_at
		FROM set_aside AS a JOIN payments AS p ON p.id = a.payment_id WHERE a.network = ? ORDER BY a.since, a.payment_id`, n)
	return list, db.Wrap(err, "payments set aside on %s", n)
}

// AdvanceSetAside stores that the payment was read up to the block before from,
// unless an earlier block has to be read again since a was loaded.
func (s *Store) AdvanceSetAside(ctx context.Context, a watch.SetAside, from uint64) error {
	return s.changeSetAside(ctx, a, "UPDATE set_aside SET from_number = ?3", int64(min(from, math.MaxInt64))) //nolint:gosec // bounded
}

// DeleteSetAside records that the payment was read to the end, unless an earlier
// block has to be read again since a was loaded, or was shown more.
func (s *Store) DeleteSetAside(ctx context.Context, a watch.SetAside) error {
	return s.changeSetAside(ctx, a, "DELETE FROM set_aside", 0)
}

func (s *Store) changeSetAside(ctx context.Context, a watch.SetAside, change string, value int64) error {
	err := s.db.Write(ctx, func(ctx context.Context, t tx) error {
		_, err := t.NewRaw(change+` WHERE network = ?0 AND from_number = ?1 AND shown = ?4 AND payment_id =
			(SELECT id FROM payments WHERE public_id = ?2)`,
			a.Network, int64(min(a.From, math.MaxInt64)), a.PaymentID, value, shownText(a.Shown)).Exec(ctx) //nolint:gosec // bounded
		return err
	})
	return db.Wrap(err, "payment %s, set aside on %s", a.PaymentID, a.Network)
}
