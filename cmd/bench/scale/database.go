package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/webhook"
)

// smallKeys share a fifth of the payments.
const smallKeys = 100

// database is a store with a history.
type database struct {
	*store.Store

	url  string
	many bool // PostgreSQL
	raw  *sql.DB
	keys []int64 // the first has most of the payments
	now  time.Time
	// first and last are the ids of the multiplied payments.
	first, last int64
	// kept and more are the bytes of a payment that stay, and that go when its webhooks and events are dropped.
	kept, more int64
}

// newDatabase makes a database with a history of n payments. queries sees the store's queries; it may be nil.
func newDatabase(ctx context.Context, url string, n int, queries bun.QueryHook) (*database, error) {
	options := store.Options{Log: slog.New(slog.DiscardHandler), Queries: queries}
	s, err := store.Open(ctx, url, storetest.Sealer(1), options)
	if err != nil {
		return nil, err
	}
	d := &database{Store: s, url: url, many: !strings.HasPrefix(url, "sqlite://"), now: time.Now().UTC()}
	if err := d.make(ctx, n); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

func (d *database) make(ctx context.Context, n int) error {
	if err := d.Migrate(ctx); err != nil {
		return err
	}
	driver, source := "pgx", d.url
	if !d.many {
		path, err := store.SQLiteFile(d.url)
		if err != nil {
			return err
		}
		driver, source = "sqlite", "file:"+path+"?_pragma=busy_timeout(60000)&_pragma=synchronous(0)&_txlock=immediate"
	}
	var err error
	if d.raw, err = sql.Open(driver, source); err != nil {
		return err
	}
	if err := d.merchants(ctx); err != nil {
		return err
	}
	templates, err := d.templates(ctx)
	if err != nil {
		return err
	}
	d.kept, d.more, err = d.fill(ctx, templates, n)
	return err
}

func (d *database) close() {
	_ = d.Close()
	if d.raw != nil {
		_ = d.raw.Close() // nothing is kept
	}
}

// merchants makes the keys, each with a custodian.
func (d *database) merchants(ctx context.Context) error {
	for range 1 + smallKeys {
		k, err := storetest.Shop{
			Key: merchant.Key{Permissions: merchant.AllPermissions()}, Credits: 1 << 40,
			Custodian: merchant.Custodian{
				Name: "Shop", CallbackURL: "https://shop.example/hook", Secret: secret.New("shop secret"),
				SigningSecrets: []secret.Text{webhook.NewSigningSecret()},
				Branding:       merchant.Branding{Theme: merchant.ThemeAuto},
			},
		}.Open(ctx, d.Store, d.now)
		if err != nil {
			return err
		}
		if n := len(d.keys); n > 0 && k.ID != d.keys[n-1]+1 {
			return errors.New("the keys are not numbered in order")
		}
		d.keys = append(d.keys, k.ID)
	}
	return nil
}

// size returns the bytes of the database.
func (d *database) size(ctx context.Context) (n int64, err error) {
	text := "SELECT pg_database_size(current_database())"
	if !d.many {
		text = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
	}
	err = d.raw.QueryRowContext(ctx, text).Scan(&n)
	return n, err
}

// exec runs a statement beside the store.
func (d *database) exec(ctx context.Context, text string) error {
	if _, err := d.raw.ExecContext(ctx, text); err != nil {
		return fmt.Errorf("%.200s: %w", text, err)
	}
	return nil
}

// ulidOf is the public id of the payment with a place in the history.
func ulidOf(n int64) string { return fmt.Sprintf("%026d", n) }

// create stores a payment of the key with most of the history.
func (d *database) create(ctx context.Context) (payment.Payment, error) {
	return d.CreatePayment(ctx, payment.New(payment.Request{
		ID: storetest.NewID(), KeyID: d.keys[0], Kind: payment.KindMerchant, Amount: 12_500_000, ValidFor: time.Hour,
		Details: payment.Details{Reference: "order 4711", SuccessURL: "https://shop.example/thanks"},
	}, time.Now()))
}
