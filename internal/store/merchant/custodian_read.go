package merchant

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
)

// Custodian returns the custodian of the key.
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

// custodianJoined reads a custodian with its wallets and network options in one
// statement, and so on one snapshot. Each wallet comes with every option.
var custodianJoined = `SELECT ` + custodians.Columns("c") + `, ` + custodianWallets.ColumnsOrZero("w") + `,
	` + custodianNetworks.ColumnsOrZero("n") + `,
	` + custodianClosed + ` FROM custodians AS c LEFT JOIN custodian_wallets AS w ON w.custodian_id = c.id
	LEFT JOIN custodian_networks AS n ON n.custodian_id = c.id WHERE c.key_id = ?`

// custodianClosed reports whether the key was disabled, or its owner.
const custodianClosed = `EXISTS (SELECT 1 FROM api_keys AS k JOIN users AS u ON u.id = k.user_id WHERE k.id = c.key_id
	AND (k.disabled_at IS NOT NULL OR u.disabled_at IS NOT NULL))`

// custodianScan collects what custodianJoined returns.
type custodianScan struct {
	row      custodianRow
	wallets  map[chain.Network]chain.Address
	networks map[chain.Network]custodianNetworkRow
	closed   bool
}

func (c *custodianScan) read(keyID int64) *db.Stmt {
	c.wallets, c.networks = make(map[chain.Network]chain.Address), make(map[chain.Network]custodianNetworkRow)
	return db.Query(func(scan db.Scan) error {
		var w custodianWalletRow
		var n custodianNetworkRow
		if err := scan(slices.Concat(custodians.Dest(&c.row), custodianWallets.Dest(&w), custodianNetworks.Dest(&n),
			[]any{&c.closed})...); err != nil {
			return err
		}
		if w.Network != "" {
			c.wallets[w.Network] = w.Address
		}
		if n.Network != "" {
			c.networks[n.Network] = n
		}
		return nil
	}, custodianJoined, keyID)
}

// custodian returns what was read.
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

// readCustodian reads the custodian of a key in the transaction; one without an ID if it has none.
func (s *Store) readCustodian(ctx context.Context, t db.Tx, keyID int64) (merchant.Custodian, error) {
	var c custodianScan
	if err := t.Run(ctx, c.read(keyID)); err != nil || c.row.ID == 0 {
		return merchant.Custodian{}, err
	}
	return s.custodian(c)
}

// lockCustodian is readCustodian that keeps others from changing it until the
// transaction ends. The lock is a statement of its own: one that waits for a
// lock reads what it joins from before it waited.
func (s *Store) lockCustodian(ctx context.Context, t db.Tx, keyID int64) (merchant.Custodian, error) {
	var id int64
	lock := db.Query(func(scan db.Scan) error { return scan(&id) },
		"SELECT id FROM custodians WHERE key_id = ?"+t.ForUpdate(), keyID)
	if err := t.Run(ctx, lock); err != nil {
		return merchant.Custodian{}, err
	}
	return s.readCustodian(ctx, t, keyID)
}
