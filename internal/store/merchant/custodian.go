package merchant

import (
	"context"
	"fmt"
	"reflect"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/webhook"
)

// insertCustodian stores a new custodian and returns it as it is read back.
func (s *Store) insertCustodian(ctx context.Context, t db.Tx, c merchant.Custodian) (merchant.Custodian, error) {
	if err := checkCustodian(c); err != nil {
		return merchant.Custodian{}, err
	}
	row, err := s.sealCustodian(c)
	if err != nil {
		return merchant.Custodian{}, err
	}
	if err := custodians.Into(t, " RETURNING id", row).Scan(ctx, &c.ID); err != nil {
		return merchant.Custodian{}, err
	}
	if err := saveCustodianParts(ctx, t, c); err != nil {
		return merchant.Custodian{}, err
	}
	return s.readCustodian(ctx, t, c.KeyID)
}

// saveCustodian stores a custodian that differs, and returns it as it is read back. Deliveries that wait go to its new
// callback URL.
func (s *Store) saveCustodian(
	ctx context.Context, t db.Tx, before, after merchant.Custodian,
) (merchant.Custodian, error) {
	switch {
	case reflect.DeepEqual(before, after):
		return after, nil
	case before.ID == 0:
		return s.insertCustodian(ctx, t, after)
	}
	if err := s.changeCustodian(ctx, t, before, after); err != nil {
		return merchant.Custodian{}, err
	}
	return s.readCustodian(ctx, t, after.KeyID)
}

func (s *Store) changeCustodian(ctx context.Context, t db.Tx, before, after merchant.Custodian) error {
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
	_, err = t.NewRaw(`UPDATE deliveries SET receiver = ?, due_at = CASE due_at WHEN ? THEN ? ELSE due_at END
		WHERE custodian_id = ? AND state = 'WAITING'`,
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
		b.LegalName, b.LegalAddress, b.TaxID,
	)
}
