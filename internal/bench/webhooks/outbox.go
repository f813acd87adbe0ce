package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/oklog/ulid/v2"
	"golang.org/x/sync/errgroup"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/webhook"
)

// writers is how many events are written concurrently; they share commits.
const writers = 64

// outbox is a database with merchants.
type outbox struct {
	*store.Store
	remove func()
}

func openOutbox(ctx context.Context, url string, log *slog.Logger) (*outbox, error) {
	remove := func() {}
	if url == "" {
		dir, err := os.MkdirTemp("", "florin-webhooks")
		if err != nil {
			return nil, err
		}
		remove = func() { _ = os.RemoveAll(dir) } // what remains is in the temporary directory
		url = "sqlite://" + filepath.Join(dir, "florin.db")
	}
	sealer, err := secret.NewSealer(make([]byte, secret.KeyLen))
	if err != nil {
		return nil, err
	}
	s, err := store.Open(ctx, url, sealer, store.Options{Log: log})
	if err != nil {
		return nil, err
	}
	if err := s.Migrate(ctx); err != nil {
		return nil, err
	}
	return &outbox{s, remove}, nil
}

func (o *outbox) close() error {
	defer o.remove()
	return o.Close()
}

// merchant creates a merchant with the callback URL and returns the key.
func (o *outbox) merchant(ctx context.Context, url string) (int64, error) {
	now, id := time.Now(), newULID()
	u, err := o.Identity().CreateUser(
		ctx,
		identity.User{PublicID: newULID(), Email: id + "@example.org", PasswordHash: "none", CreatedAt: now},
	)
	if err != nil {
		return 0, err
	}
	k, err := o.Merchant().CreateKey(
		ctx,
		merchant.Key{
			Permissions: merchant.AllPermissions(), PublicID: newULID(), UserID: u.ID, Hash: sha256.Sum256([]byte(id)),
			CreatedAt: now,
		},
		func(int64) []ledger.Entry { return nil },
	)
	if err != nil {
		return 0, err
	}
	_, err = o.Merchant().CreateCustodian(ctx, merchant.Custodian{
		PublicID: newULID(), KeyID: k.ID, Name: "Shop", CallbackURL: url, Secret: secret.New("shop secret"),
		SigningSecrets: []secret.Text{
			webhook.NewSigningSecret(),
		}, Branding: merchant.Branding{Theme: merchant.ThemeAuto},
		CreatedAt: now, UpdatedAt: now,
	}, nil, nil)
	return k.ID, err
}

// event cancels a payment of the key, which creates an event for its merchant.
func (o *outbox) event(ctx context.Context, key int64) error {
	p, err := o.CreatePayment(ctx, payment.New(payment.Request{
		ID: payment.ID(newULID()), KeyID: key, Kind: payment.KindMerchant, Amount: 12_500_000, ValidFor: time.Hour,
		Details: payment.Details{Reference: "order 4711", Metadata: map[string]string{"cart": "a-b-c"}},
	}, time.Now()))
	if err != nil {
		return err
	}
	_, err = o.UpdatePayment(ctx, p.ID, func(p payment.Payment) (payment.Change, error) { return p.Cancel(time.Now()) })
	return err
}

// fill writes events for the keys in turn.
func (o *outbox) fill(ctx context.Context, keys []int64, events int) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(writers)
	for i := range events {
		g.Go(func() error { return o.event(ctx, keys[i%len(keys)]) })
	}
	if err := g.Wait(); err != nil {
		return fmt.Errorf("write %d events: %w", events, err)
	}
	return nil
}

func newULID() string { return ulid.MustNew(ulid.Now(), rand.Reader).String() }
