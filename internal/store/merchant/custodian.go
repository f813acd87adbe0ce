package merchant

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
	"github.com/florinpay/florin/internal/webhook"
)

// Generated statements of a custodian's rows.
var (
	custodians        = db.NewTable[custodianRow]()
	custodianWallets  = db.NewTable[custodianWalletRow]()
	custodianNetworks = db.NewTable[custodianNetworkRow]()
)

// custodianRow is a custodian without wallets and network options.
type custodianRow struct {
	bun.BaseModel `bun:"table:custodians,alias:c"`

	ID              int64 `bun:",pk,autoincrement"`
	PublicID        string
	KeyID           int64
	Name            string
	CallbackURL     string
	Receiver        int64
	Secret          string
	SigningSecrets  string
	Tagline         string
	LogoURL         string
	PrimaryColor    string
	BackgroundColor string
	Theme           string
	SupportEmail    string
	Website         string
	ShortBasis      int64
	LateForUs       int64
	CreatedAt       db.Instant
	UpdatedAt       db.Instant
}

type custodianWalletRow struct {
	bun.BaseModel `bun:"table:custodian_wallets,alias:cw"`

	CustodianID int64
	Network     string
	Address     string
}

type custodianNetworkRow struct {
	bun.BaseModel `bun:"table:custodian_networks,alias:cn"`

	CustodianID int64
	Network     string
	Enabled     bool
	Tokens      string
	MinAmount   int64
	MaxAmount   int64
	Finality    string
	SweepMin    int64
}

// sealCustodian returns the rows of a custodian.
func (s *Store) sealCustodian(c merchant.Custodian) (custodianRow, error) {
	sealed := make([]string, len(c.SigningSecrets))
	for i, t := range c.SigningSecrets {
		sealed[i] = s.sealer.Seal(table.SigningPlace(c.PublicID), t)
	}
	signing, err := json.Marshal(sealed)
	if err != nil {
		return custodianRow{}, err
	}
	return custodianRow{
		ID: c.ID, PublicID: c.PublicID, KeyID: c.KeyID, Name: c.Name, CallbackURL: c.CallbackURL,
		Receiver: int64(webhook.ReceiverOf(c.CallbackURL)),
		Secret:   s.sealer.Seal(table.SecretPlace(c.PublicID), c.Secret), SigningSecrets: string(signing),
		Tagline: c.Branding.Tagline, LogoURL: c.Branding.LogoURL, PrimaryColor: c.Branding.PrimaryColor,
		BackgroundColor: c.Branding.BackgroundColor, Theme: string(c.Branding.Theme),
		SupportEmail: c.Branding.SupportEmail, Website: c.Branding.Website,
		ShortBasis: c.ShortBasis, LateForUs: c.LateFor.Microseconds(),
		CreatedAt: db.At(c.CreatedAt), UpdatedAt: db.At(c.UpdatedAt),
	}, nil
}

// openCustodian returns the custodian without wallets and network options.
func (s *Store) openCustodian(r custodianRow) (merchant.Custodian, error) {
	text, err := s.sealer.Open(table.SecretPlace(r.PublicID), r.Secret)
	if err != nil {
		return merchant.Custodian{}, err
	}
	signing, err := table.OpenSigning(s.sealer, r.PublicID, r.SigningSecrets)
	if err != nil {
		return merchant.Custodian{}, err
	}
	return merchant.Custodian{
		ID: r.ID, PublicID: r.PublicID, KeyID: r.KeyID, Name: r.Name, CallbackURL: r.CallbackURL,
		Secret: text, SigningSecrets: signing,
		Branding: merchant.Branding{
			Tagline: r.Tagline, LogoURL: r.LogoURL, PrimaryColor: r.PrimaryColor, BackgroundColor: r.BackgroundColor,
			Theme: merchant.Theme(r.Theme), SupportEmail: r.SupportEmail, Website: r.Website,
		},
		ShortBasis: r.ShortBasis, LateFor: time.Duration(r.LateForUs) * time.Microsecond,
		CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}, nil
}

func walletRows(c merchant.Custodian) []custodianWalletRow {
	var rows []custodianWalletRow
	for n, address := range c.Wallets {
		if address != "" {
			rows = append(rows, custodianWalletRow{CustodianID: c.ID, Network: string(n), Address: string(address)})
		}
	}
	return rows
}

func networkRows(c merchant.Custodian) []custodianNetworkRow {
	var rows []custodianNetworkRow
	for n, o := range c.Networks {
		finality := ""
		if o.Finality != (chain.Finality{}) {
			finality = o.Finality.String()
		}
		rows = append(rows, custodianNetworkRow{
			CustodianID: c.ID, Network: string(n), Enabled: o.Enabled, Tokens: table.JoinTokens(o.Tokens),
			MinAmount: int64(
				o.MinAmount,
			), MaxAmount: int64(o.MaxAmount), Finality: finality, SweepMin: int64(o.SweepMin),
		})
	}
	return rows
}

// options returns what a merchant wants of one network.
func (r custodianNetworkRow) options() (merchant.NetworkOptions, error) {
	o := merchant.NetworkOptions{
		Enabled: r.Enabled, Tokens: table.SplitTokens(r.Tokens),
		MinAmount: money.Micros(r.MinAmount), MaxAmount: money.Micros(r.MaxAmount), SweepMin: money.Micros(r.SweepMin),
	}
	if r.Finality == "" {
		return o, nil
	}
	var err error
	o.Finality, err = chain.ParseFinality(r.Finality)
	return o, err
}

// CreateCustodian stores the custodian of a key with the entries that pay for
// it, or fails with merchant.ErrHasCustodian and books nothing.
func (s *Store) CreateCustodian(
	ctx context.Context, c merchant.Custodian, entries []ledger.Entry, record merchant.AuditFunc,
) (merchant.Custodian, error) {
	var stored merchant.Custodian
	err := table.WriteAudited(
		ctx, s.db, nil, table.AuditFields{}, func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
			var err error
			if stored, err = s.insertCustodian(ctx, t, c); err != nil {
				return err
			}
			if err := table.Post(ctx, t, entries); err != nil {
				return err
			}
			a.More = record.Entries(merchant.Custodian{}, stored)
			return nil
		},
	)
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
	row.ID = 0
	res, err := t.NewInsert().Model(&row).On("CONFLICT (key_id) DO NOTHING").Returning("id").Exec(ctx)
	if err != nil {
		return merchant.Custodian{}, err
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return merchant.Custodian{}, cmp.Or[error](err, merchant.ErrHasCustodian)
	}
	c.ID = row.ID
	if err := saveCustodianParts(ctx, t, c); err != nil {
		return merchant.Custodian{}, err
	}
	return s.readCustodian(ctx, t, c.KeyID)
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
		err := s.db.LookUp(ctx, db.Query(func(scan db.Scan) error {
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
	ctx context.Context, keyID int64, entries []ledger.Entry, change func(
		merchant.Custodian,
	) (merchant.Custodian, error),
	record merchant.AuditFunc,
) (merchant.Custodian, error) {
	var stored merchant.Custodian
	err := table.WriteAudited(
		ctx, s.db, nil, table.AuditFields{}, func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
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
			if err := table.Post(ctx, t, entries); err != nil {
				return err
			}
			stored, err = s.readCustodian(ctx, t, keyID)
			a.More = record.Entries(before, stored)
			return err
		},
	)
	if err != nil {
		return merchant.Custodian{}, fmt.Errorf("update custodian of key %d: %w", keyID, err)
	}
	return stored, nil
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
	if _, err := t.NewUpdate().Model(&row).WherePK().ExcludeColumn("id", "public_id", "key_id",
		"created_at").Exec(ctx); err != nil {
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
	_, err = t.NewRaw("UPDATE deliveries SET receiver = ? WHERE custodian_id = ? AND state = 'WAITING'", row.Receiver,
		after.ID).Exec(ctx)
	return err
}

func saveCustodianParts(ctx context.Context, t db.Tx, c merchant.Custodian) error {
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
var custodianJoined = "SELECT " + custodians.Columns(
	"c",
) + ", " + custodianWallets.ColumnsOrZero("w") + ", " + custodianNetworks.ColumnsOrZero("n") +
	", " + custodianClosed + " FROM custodians AS c LEFT JOIN custodian_wallets AS w ON w.custodian_id = c.id " +
	"LEFT JOIN custodian_networks AS n ON n.custodian_id = c.id WHERE c.key_id = ?"

// custodianClosed reports whether the key was disabled, or its owner.
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
	return db.Query(func(scan db.Scan) error {
		var w custodianWalletRow
		var n custodianNetworkRow
		if err := scan(slices.Concat(custodians.Dest(&c.row), custodianWallets.Dest(&w), custodianNetworks.Dest(&n),
			[]any{&c.closed})...); err != nil {
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
func (s *Store) readCustodian(ctx context.Context, t db.Tx, keyID int64) (merchant.Custodian, error) {
	var c custodianScan
	if err := t.Run(ctx, c.read(keyID)); err != nil {
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

func checkCustodian(c merchant.Custodian) error {
	b := c.Branding
	return db.CheckTexts(
		"texts of a custodian", c.PublicID, c.Name, c.CallbackURL,
		b.Tagline, b.LogoURL, b.PrimaryColor, b.BackgroundColor, string(b.Theme), b.SupportEmail, b.Website,
	)
}
