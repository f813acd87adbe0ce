package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

// CreateCustodian stores the custodian of a key with the entries that pay for
// it, or fails with merchant.ErrHasCustodian and books nothing.
func (s *Store) CreateCustodian(ctx context.Context, c merchant.Custodian, entries []ledger.Entry, record merchant.AuditFunc) (merchant.Custodian, error) {
	if err := checkCustodian(c); err != nil {
		return merchant.Custodian{}, err
	}
	row, err := s.sealCustodian(c)
	if err != nil {
		return merchant.Custodian{}, fmt.Errorf("create custodian: %w", err)
	}
	var stored merchant.Custodian
	err = s.act(ctx, nil, about{}, func(ctx context.Context, t tx, a *about) error {
		row.ID = 0
		res, err := t.NewInsert().Model(&row).On("CONFLICT (key_id) DO NOTHING").Returning("id").Exec(ctx)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n != 1 {
			return orElse(err, merchant.ErrHasCustodian)
		}
		c.ID = row.ID
		if err := saveCustodianParts(ctx, t, c); err != nil {
			return err
		}
		if err := book(ctx, t, entries); err != nil {
			return err
		}
		stored, err = s.readCustodian(ctx, t, c.KeyID)
		a.more = record.Entries(merchant.Custodian{}, stored)
		return err
	})
	if err != nil {
		return merchant.Custodian{}, fmt.Errorf("create custodian of key %d: %w", c.KeyID, err)
	}
	return stored, nil
}

// Custodian returns the custodian of the key, or merchant.ErrNoCustodian.
func (s *Store) Custodian(ctx context.Context, keyID int64) (merchant.Custodian, error) {
	c, err := s.custodians.Get(ctx, keyID, func(ctx context.Context) (c custodianScan, err error) {
		err = s.db.LookUp(ctx, c.read(keyID))
		return c, err
	})
	if err != nil {
		return merchant.Custodian{}, fmt.Errorf("custodian of key %d: %w", keyID, err)
	}
	return s.custodian(c)
}

// Terms returns on what terms the custodian of the key takes money, or
// merchant.ErrNoCustodian: all that a new payment needs to know of it.
func (s *Store) Terms(ctx context.Context, keyID int64) (payment.Terms, error) {
	return s.terms.Get(ctx, keyID, func(ctx context.Context) (payment.Terms, error) {
		var basis, late int64
		found := false
		err := s.db.LookUp(ctx, db.Query(func(scan scan) error {
			found = true
			return scan(&basis, &late)
		}, "SELECT short_basis, late_for_us FROM custodians WHERE key_id = ?", keyID))
		switch {
		case err != nil:
			return payment.Terms{}, fmt.Errorf("terms of key %d: %w", keyID, err)
		case !found:
			return payment.Terms{}, merchant.ErrNoCustodian
		}
		return payment.Terms{ShortBasis: basis, LateFor: time.Duration(late) * time.Microsecond}, nil
	})
}

// UpdateCustodian locks the custodian, calls change and stores the result with
// the entries; change may run again, so it must have no effects. Deliveries
// that wait go to the new callback URL.
func (s *Store) UpdateCustodian(
	ctx context.Context, keyID int64, entries []ledger.Entry, change func(merchant.Custodian) (merchant.Custodian, error),
	record merchant.AuditFunc,
) (merchant.Custodian, error) {
	var stored merchant.Custodian
	err := s.act(ctx, nil, about{}, func(ctx context.Context, t tx, a *about) error {
		before, err := s.lockCustodian(ctx, t, keyID)
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
		stored, err = s.readCustodian(ctx, t, keyID)
		a.more = record.Entries(before, stored)
		return err
	})
	if err != nil {
		return merchant.Custodian{}, fmt.Errorf("update custodian of key %d: %w", keyID, err)
	}
	return stored, nil
}

func (s *Store) saveCustodian(ctx context.Context, t tx, before, after merchant.Custodian) error {
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

func saveCustodianParts(ctx context.Context, t tx, c merchant.Custodian) error {
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

// custodianJoined reads a custodian with its wallets and network options in one
// statement, and so on one snapshot. Each wallet comes with every option.
var custodianJoined = "SELECT " + custodians.Columns("c") + ", " + custodianWallets.ColumnsOrZero("w") + ", " + custodianNetworks.ColumnsOrZero("n") +
	", " + custodianClosed + " FROM custodians AS c LEFT JOIN custodian_wallets AS w ON w.custodian_id = c.id " +
	"LEFT JOIN custodian_networks AS n ON n.custodian_id = c.id WHERE c.key_id = ?"

// custodianClosed tells whether the key was disabled, or its owner.
const custodianClosed = "EXISTS (SELECT 1 FROM api_keys AS k JOIN users AS u ON u.id = k.user_id WHERE k.id = c.key_id " +
	"AND (k.disabled_at IS NOT NULL OR u.disabled_at IS NOT NULL))"

// custodianScan collects what custodianJoined returns.
type custodianScan struct {
	row      custodianRow
	wallets  map[chain.Network]chain.Address
	networks map[chain.Network]custodianNetworkRow
	closed   bool
}

func (c *custodianScan) read(keyID int64) *db.Stmt {
	c.wallets, c.networks = make(map[chain.Network]chain.Address), make(map[chain.Network]custodianNetworkRow)
	return db.Query(func(scan scan) error {
		var w custodianWalletRow
		var n custodianNetworkRow
		if err := scan(slices.Concat(custodians.Dest(&c.row), custodianWallets.Dest(&w), custodianNetworks.Dest(&n), []any{&c.closed})...); err != nil {
			return err
		}
		if w.Network != "" {
			c.wallets[chain.Network(w.Network)] = chain.Address(w.Address)
		}
		if n.Network != "" {
			c.networks[chain.Network(n.Network)] = n
		}
		return nil
	}, custodianJoined, keyID)
}

// custodian returns what was read, or merchant.ErrNoCustodian.
func (s *Store) custodian(c custodianScan) (merchant.Custodian, error) {
	if c.row.ID == 0 {
		return merchant.Custodian{}, merchant.ErrNoCustodian
	}
	whole, err := s.openCustodian(c.row)
	if err != nil {
		return merchant.Custodian{}, err
	}
	whole.Wallets, whole.Closed = maps.Clone(c.wallets), c.closed
	whole.Networks = make(map[chain.Network]merchant.NetworkOptions, len(c.networks))
	for network, row := range c.networks {
		if whole.Networks[network], err = row.options(); err != nil {
			return merchant.Custodian{}, fmt.Errorf("options of custodian %s on %s: %w", whole.PublicID, network, err)
		}
	}
	return whole, nil
}

// readCustodian reads the custodian of a key in the transaction.
func (s *Store) readCustodian(ctx context.Context, t tx, keyID int64) (merchant.Custodian, error) {
	var c custodianScan
	if err := t.Run(ctx, c.read(keyID)); err != nil {
		return merchant.Custodian{}, err
	}
	return s.custodian(c)
}

// lockCustodian is readCustodian that keeps others from changing it until the
// transaction ends. The lock is a statement of its own: one that waits for a
// lock reads what it joins from before it waited.
func (s *Store) lockCustodian(ctx context.Context, t tx, keyID int64) (merchant.Custodian, error) {
	var id int64
	lock := db.Query(func(scan scan) error { return scan(&id) }, "SELECT id FROM custodians WHERE key_id = ?"+t.ForUpdate(), keyID)
	if err := t.Run(ctx, lock); err != nil {
		return merchant.Custodian{}, err
	}
	return s.readCustodian(ctx, t, keyID)
}

func checkCustodian(c merchant.Custodian) error {
	return checkTexts("texts of a custodian", c.PublicID, c.Name, c.CallbackURL, c.Branding.Tagline, c.Branding.LogoURL,
		c.Branding.PrimaryColor, c.Branding.BackgroundColor, string(c.Branding.Theme), c.Branding.SupportEmail, c.Branding.Website)
}
