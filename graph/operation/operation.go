package operation

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/lookup"
	"github.com/florinpay/florin/internal/refund"
	"github.com/florinpay/florin/internal/secret"
)

// Store is the part of the database that operations use directly.
type Store interface {
	idempotency.Store
	// ChargedPayments posts the entries and lists payments, both in one
	// transaction: a list that cannot be read costs nothing, and one that is not
	// paid for is not shown. more is true if the list continues.
	ChargedPayments(
		ctx context.Context, f payment.Filter, entries []ledger.Entry,
	) (list []payment.Payment, more bool, left ledger.Balance, err error)
	// ChargedPayment does the same with one payment of the key. It fails with
	// payment.ErrUnknown.
	ChargedPayment(ctx context.Context, keyID int64, id payment.ID, entries []ledger.Entry) (payment.Payment, error)
	// PublicEvents returns the events of a key's payments after the cursor,
	// without gaps, and the cursor for the next call.
	PublicEvents(ctx context.Context, keyID int64, after string, limit int) ([]payment.Event, string, error)
}

// Wallets finds the EVM wallet of a private key or a signature. It keeps
// nothing.
type Wallets struct {
	// WalletOf fails with fault.Invalid if the text is not a private key.
	WalletOf func(privateKey secret.Text) (chain.Address, error)
	// SignerOf returns the wallet that signed a message (EIP-191). It fails with
	// fault.Invalid if the text is not a signature.
	SignerOf func(message, signature string) (chain.Address, error)
}

// Deps are the services and settings of the operations.
type Deps struct {
	Users     *identity.Service
	Merchants *merchant.Service
	Payments  *payment.Service
	Campaigns *campaign.Service
	Lookup    *lookup.Finder
	Refunds   *refund.Service
	// Recharges sells query units; nil sells none.
	Recharges Recharges
	Store     Store
	// Sealer encrypts stored answers, because some hold secrets, and
	// authenticates challenges.
	Sealer  *secret.Sealer
	Wallets Wallets
	Limits  Limits
	// BaseURL and CheckoutURL are the public addresses of the service and of
	// the checkout, without a slash at their ends.
	BaseURL     string
	CheckoutURL string
	// SignUp allows anyone to create a user. Invite allows users who were invited,
	// even if SignUp is off.
	SignUp  bool
	Invite  bool
	NewKeys NewKeys // what a user's first key starts with
	Now     func() time.Time
	NewID   func(time.Time) payment.ID
	Log     *slog.Logger
}

// Operations are the operations of the interface.
type Operations struct{ d Deps }

// New returns the operations.
func New(d Deps) *Operations { return &Operations{d} }

// caller returns the API key with this text, if it may do what the operation needs
// and is used from a network it may be used from, and counts the operation.
func (o *Operations) caller(ctx context.Context, key secret.Text, needs ...merchant.Permission) (merchant.Key, error) {
	if key.Empty() {
		return merchant.Key{}, merchant.ErrBadKey
	}
	k, err := o.d.Merchants.Authenticate(ctx, key.Reveal())
	if err != nil {
		return merchant.Key{}, err
	}
	if err := allowed(ctx, k, needs...); err != nil {
		return merchant.Key{}, err
	}
	if err := o.d.Limits.Key(ctx, k.ID); err != nil {
		return merchant.Key{}, err
	}
	return k, nil
}

// allowed refuses a key that is used from outside its networks or lacks a permission.
func allowed(ctx context.Context, k merchant.Key, needs ...merchant.Permission) error {
	if !k.Sources.Allow(CallOf(ctx).Source) {
		return merchant.ErrWrongSource
	}
	for _, p := range needs {
		if err := k.Allow(p); err != nil {
			return err
		}
	}
	return nil
}

// shown refuses an API key that came with a request which needs none, if the key
// may not do it. A text that is no key of Florin's is ignored, as it always was: the
// txnid authorizes such requests.
func (o *Operations) shown(ctx context.Context, needs merchant.Permission) error {
	key := CallOf(ctx).Key
	if key.Empty() {
		return nil
	}
	k, err := o.d.Merchants.Authenticate(ctx, key.Reveal())
	if errors.Is(err, merchant.ErrBadKey) {
		return nil
	}
	if err != nil {
		return err
	}
	return allowed(ctx, k, needs)
}

// More counts n more calls of the client than its request, which a document makes.
func (o *Operations) More(ctx context.Context, n int) error { return o.d.Limits.More(ctx, n) }
