package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/florinpay/florin/internal/account"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/credit"
)

// CreateCustodian stores the custodian of a key with the entries that pay for
// it, or fails with account.ErrHasCustodian and books nothing.
func (s *Store) CreateCustodian(ctx context.Context, c account.Custodian, entries []credit.Entry) (account.Custodian, error) {
	if err := checkCustodian(c); err != nil {
		return account.Custodian{}, err
	}
	row, err := s.sealCustodian(c)
	if err != nil {
		return account.Custodian{}, fmt.Errorf("create custodian: %w", err)
	}
	var stored account.Custodian
	err = s.write(ctx, func(ctx context.Context, t tx) error {
		row.ID = 0
		res, err := t.NewInsert().Model(&row).On("CONFLICT (key_id) DO NOTHING").Returning("id").Exec(ctx)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n != 1 {
			return orElse(err, account.ErrHasCustodian)
		}
		c.ID = row.ID
		if err := saveCustodianParts(ctx, t, c); err != nil {
			return err
		}
		if err := book(ctx, t, entries); err != nil {
			return err
		}
		stored, err = s.readCustodian(ctx, t, c.KeyID, "")
		return err
	})
	if err != nil {
		return account.Custodian{}, fmt.Errorf("create custodian of key %d: %w", c.KeyID, err)
	}
	return stored, nil
}

// Custodian returns the custodian of the key, or account.ErrNoCustodian.
func (s *Store) Custodian(ctx context.Context, keyID int64) (account.Custodian, error) {
	var c account.Custodian
	err := s.snapshot(ctx, func(ctx context.Context, t tx) (err error) {
		c, err = s.readCustodian(ctx, t, keyID, "")
		return err
	})
	if err != nil {
		return account.Custodian{}, fmt.Errorf("custodian of key %d: %w", keyID, err)
	}
	return c, nil
}

// UpdateCustodian locks the custodian, calls change and stores the result with
// the entries; change may run again, so it must have no effects. Deliveries
// that wait go to the new callback URL.
func (s *Store) UpdateCustodian(
	ctx context.Context, keyID int64, entries []credit.Entry, change func(account.Custodian) (account.Custodian, error),
) (account.Custodian, error) {
	var stored account.Custodian
	err := s.write(ctx, func(ctx context.Context, t tx) error {
		before, err := s.readCustodian(ctx, t, keyID, t.forUpdate())
		if err != nil {
			return err
		}
		after, err := change(before)
		if err != nil {
			return err
		}
		if err := s.saveCustodian(ctx, t, before, after); err != nil {
			return err
		}
		if err := book(ctx, t, entries); err != nil {
			return err
		}
		stored, err = s.readCustodian(ctx, t, keyID, "")
		return err
	})
	if err != nil {
		return account.Custodian{}, fmt.Errorf("update custodian of key %d: %w", keyID, err)
	}
	return stored, nil
}

func (s *Store) saveCustodian(ctx context.Context, t tx, before, after account.Custodian) error {
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
	if _, err := t.NewUpdate().Model(&row).WherePK().ExcludeColumn("id", "public_id", "key_id", "created_at").Exec(ctx); err != nil {
		return err
	}
	for _, table := range []string{"custodian_wallets", "custodian_networks"} {
		if _, err := t.NewDelete().Table(table).Where("custodian_id = ?", after.ID).Exec(ctx); err != nil {
			return err
		}
	}
	if err := saveCustodianParts(ctx, t, after); err != nil {
		return err
	}
	if after.CallbackURL == before.CallbackURL {
		return nil
	}
	_, err = t.NewRaw("UPDATE deliveries SET lane = ? WHERE custodian_id = ? AND state = 'WAITING'", row.Lane, after.ID).Exec(ctx)
	return err
}

func saveCustodianParts(ctx context.Context, t tx, c account.Custodian) error {
	if wallets := walletRows(c); len(wallets) > 0 {
		if _, err := t.NewInsert().Model(&wallets).Exec(ctx); err != nil {
			return err
		}
	}
	if networks := networkRows(c); len(networks) > 0 {
		if _, err := t.NewInsert().Model(&networks).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// readCustodian reads the custodian of a key; lock is empty or locks its row.
func (s *Store) readCustodian(ctx context.Context, t tx, keyID int64, lock string) (account.Custodian, error) {
	var rows []custodianRow
	q := t.NewSelect().Model(&rows).Where("key_id = ?", keyID)
	if lock != "" {
		q = q.For(strings.TrimPrefix(lock, " FOR "))
	}
	if err := q.Scan(ctx); err != nil {
		return account.Custodian{}, err
	}
	if len(rows) == 0 {
		return account.Custodian{}, account.ErrNoCustodian
	}
	c, err := s.openCustodian(rows[0])
	if err != nil {
		return account.Custodian{}, err
	}
	err = readCustodianParts(ctx, t, &c)
	return c, err
}

func readCustodianParts(ctx context.Context, t tx, c *account.Custodian) error {
	var wallets []custodianWalletRow
	if err := t.NewSelect().Model(&wallets).Where("custodian_id = ?", c.ID).Scan(ctx); err != nil {
		return err
	}
	c.Wallets = make(map[chain.Network]chain.Address, len(wallets))
	for _, w := range wallets {
		c.Wallets[chain.Network(w.Network)] = chain.Address(w.Address)
	}
	var networks []custodianNetworkRow
	if err := t.NewSelect().Model(&networks).Where("custodian_id = ?", c.ID).Scan(ctx); err != nil {
		return err
	}
	c.Networks = make(map[chain.Network]account.NetworkOptions, len(networks))
	for _, n := range networks {
		options, err := n.options()
		if err != nil {
			return fmt.Errorf("options of custodian %s on %s: %w", c.PublicID, n.Network, err)
		}
		c.Networks[chain.Network(n.Network)] = options
	}
	return nil
}

func checkCustodian(c account.Custodian) error {
	return checkTexts("texts of a custodian", c.PublicID, c.Name, c.CallbackURL, c.Branding.Tagline, c.Branding.LogoURL,
		c.Branding.PrimaryColor, c.Branding.BackgroundColor, string(c.Branding.Theme), c.Branding.SupportEmail, c.Branding.Website)
}
