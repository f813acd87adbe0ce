package merchant

import (
	"context"
	"fmt"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
	"github.com/florinpay/florin/internal/webhook"
)

// CreateCustodian stores the custodian of a key with the entries that pay for
// it, or fails with merchant.ErrHasCustodian and posts nothing.
func (s *Store) CreateCustodian(
	ctx context.Context, c merchant.Custodian, entries []ledger.Entry, r audit.Record,
	keep ...idempotency.Keep[merchant.CustodianWrite],
) (merchant.Custodian, error) {
	var stored merchant.Custodian
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, _ *table.AuditFields) error {
		var err error
		if stored, err = s.insertCustodian(ctx, t, c); err != nil {
			return err
		}
		return charge(ctx, t, stored, entries, keep)
	})
	if err != nil {
		return merchant.Custodian{}, fmt.Errorf("create custodian of key %d: %w", c.KeyID, err)
	}
	return stored, nil
}

// insertCustodian stores a new custodian and returns it as it is read back, or fails
// with merchant.ErrHasCustodian.
func (s *Store) insertCustodian(ctx context.Context, t db.Tx, c merchant.Custodian) (merchant.Custodian, error) {
	if err := checkCustodian(c); err != nil {
		return merchant.Custodian{}, err
	}
	row, err := s.sealCustodian(c)
	if err != nil {
		return merchant.Custodian{}, err
	}
	err = custodians.Into(t, " ON CONFLICT (key_id) DO NOTHING RETURNING id", row).Scan(ctx, &c.ID)
	if err != nil {
		return merchant.Custodian{}, db.Missing(err, merchant.ErrHasCustodian)
	}
	if err := saveCustodianParts(ctx, t, c); err != nil {
		return merchant.Custodian{}, err
	}
	return s.readCustodian(ctx, t, c.KeyID)
}

// UpdateCustodian locks the custodian, calls decide and stores the result with
// the entries; decide may run again, so it must have no effects. Deliveries
// that wait go to the new callback URL.
func (s *Store) UpdateCustodian(
	ctx context.Context, keyID int64, entries []ledger.Entry,
	decide func(merchant.Custodian) (merchant.CustodianChange,
		error), keep ...idempotency.Keep[merchant.CustodianWrite],
) (merchant.Custodian, error) {
	var stored merchant.Custodian
	err := table.WriteAudited(ctx, s.db, s.sealer, audit.Record{},
		func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
			before, err := s.lockCustodian(ctx, t, keyID)
			if err != nil {
				return err
			}
			change, err := decide(before)
			if err != nil {
				return err
			}
			if err := s.saveCustodian(ctx, t, before, change.Custodian); err != nil {
				return err
			}
			if stored, err = s.readCustodian(ctx, t, keyID); err != nil {
				return err
			}
			a.More = change.Record
			return charge(ctx, t, stored, entries, keep)
		},
	)
	if err != nil {
		return merchant.Custodian{}, fmt.Errorf("update custodian of key %d: %w", keyID, err)
	}
	return stored, nil
}

// charge posts what the write of a custodian costs, and keeps the answers of its request.
func charge(
	ctx context.Context, t db.Tx, stored merchant.Custodian, entries []ledger.Entry,
	keep []idempotency.Keep[merchant.CustodianWrite],
) error {
	left, err := table.Charge(ctx, t, stored.KeyID, entries)
	if err != nil {
		return err
	}
	for _, k := range keep {
		kept, err := k.Of(merchant.CustodianWrite{Custodian: stored, Left: left})
		if err != nil {
			return err
		}
		if err := table.KeepAnswer(ctx, t, kept); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) saveCustodian(ctx context.Context, t db.Tx, before, after merchant.Custodian) error {
	if after.ID != before.ID || after.PublicID != before.PublicID || after.KeyID != before.KeyID {
		return fmt.Errorf("an update changed the identity of custodian %s", before.PublicID)
	}
	if err := checkCustodian(after); err != nil {
		return err
	}
	row, err := s.sealCustodian(after)
	if err != nil {
		return err
	}
	if after.CallbackURL == "" { // the receiver that is stored says that there was one
		err = t.NewRaw("SELECT receiver FROM custodians WHERE id = ?", after.ID).Scan(ctx, &row.Receiver)
		if err != nil {
			return err
		}
	}
	if err := t.Run(ctx, updateCustodian.With(custodians.Changes(&row, after.ID)...)); err != nil {
		return err
	}
	for _, table := range []string{"custodian_wallets", "custodian_networks"} {
		if _, err := t.NewRaw("DELETE FROM "+table+" WHERE custodian_id = ?", after.ID).Exec(ctx); err != nil {
			return err
		}
	}
	if err := saveCustodianParts(ctx, t, after); err != nil {
		return err
	}
	if after.CallbackURL == before.CallbackURL || after.CallbackURL == "" {
		return nil
	}
	// What waited for a callback URL is due now.
	_, err = t.NewRaw("UPDATE deliveries SET receiver = ?, due_at = CASE due_at WHEN ? THEN ? ELSE due_at END "+
		"WHERE custodian_id = ? AND state = 'WAITING'",
		row.Receiver, webhook.Parked(), after.UpdatedAt, after.ID).Exec(ctx)
	return err
}

func saveCustodianParts(ctx context.Context, t db.Tx, c merchant.Custodian) error {
	if wallets := walletRows(c); len(wallets) > 0 {
		if _, err := custodianWallets.Into(t, "", wallets...).Exec(ctx); err != nil {
			return err
		}
	}
	if networks := networkRows(c); len(networks) > 0 {
		if _, err := custodianNetworks.Into(t, "", networks...).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

func checkCustodian(c merchant.Custodian) error {
	b := c.Branding
	return db.CheckTexts(
		"texts of a custodian", c.PublicID, c.Name, c.CallbackURL,
		b.Tagline, b.LogoURL, b.PrimaryColor, b.BackgroundColor, string(b.Theme), b.SupportEmail, b.Website,
	)
}
