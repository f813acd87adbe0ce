package operation

import (
	"context"
	"log/slog"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
)

// Payments is what operations ask of payments.
type Payments interface {
	Create(ctx context.Context, in payment.CreateInput) (payment.Payment, error)
	Get(ctx context.Context, id string) (payment.Payment, error)
	// Poll is Get for reads alone; see payment.Service.
	Poll(ctx context.Context, id string) (payment.Payment, error)
	Start(ctx context.Context, id string, choice payment.Choice) (payment.Payment, error)
	StartOwned(ctx context.Context, keyID int64, id string, choice payment.Choice) (payment.Payment, error)
	Cancel(ctx context.Context, id string) (payment.Payment, error)
	Owned(ctx context.Context, keyID int64, id string) (payment.Payment, error)
	List(ctx context.Context, f payment.Filter) ([]payment.Payment, error)
	MarkCompleted(ctx context.Context, keyID int64, id string, by payment.Actor) (payment.Payment, error)
	CreateTopUp(ctx context.Context, id payment.ID, keyID, credits int64) (payment.Payment, error)
	// Offers lists the networks the payer may choose from.
	Offers(ctx context.Context, p payment.Payment) ([]payment.Offer, error)
	Network(n chain.Network) (payment.OfferedNetwork, bool)
	Health(n chain.Network) payment.Health
}

// Accounts is what operations ask of users, keys and custodians.
type Accounts interface {
	Authenticate(ctx context.Context, text string) (merchant.Key, error)
	Balance(ctx context.Context, keyID int64) (ledger.Balance, error)
	Custodian(ctx context.Context, keyID int64) (merchant.Custodian, error)
	CreateCustodian(ctx context.Context, key merchant.Key, in merchant.CustodianInput) (merchant.Custodian, secret.Text, error)
	UpdateCustodian(ctx context.Context, key merchant.Key, in merchant.CustodianInput) (merchant.Custodian, error)
}

// Sealer encrypts the answers that are kept for replay, for some hold secrets
// that are shown once, and gives keys for what must not be made up.
type Sealer interface {
	Seal(place string, t secret.Text) string
	Open(place, sealed string) (secret.Text, error)
	// Derive returns a key for another purpose.
	Derive(purpose string) []byte
}

// Deps is what the operations need.
type Deps struct {
	Payments  Payments
	Campaigns Campaigns
	Accounts  Accounts
	Users     Users
	Keys      Keys
	Rotation  Rotation
	Wallets   Wallets
	Ledger    Ledger
	// Recharges sells query units; nil sells none.
	Recharges Recharges
	Feed      Feed
	Finder    Finder
	Answers   Answers
	Sealer    Sealer
	Limits    Limits
	// BaseURL and CheckoutURL are the public addresses of the service and of
	// the checkout, without a slash at their ends.
	BaseURL     string
	CheckoutURL string
	// Invite lets who is invited make a user, even if SignUp is off.
	Invite bool
	// SignUp lets anybody make a user; NewKeys is what their keys start with.
	SignUp  bool
	NewKeys NewKeys
	Now     func() time.Time
	NewID   func(time.Time) payment.ID
	Log     *slog.Logger
	// TellOwners mails the owners of a merchant account; nil where no mail is
	// sent. It must return quickly.
	TellOwners func(ctx context.Context, merchant int64, subject, text string)
	// Guessed has the user told whose sign-in was refused because too many
	// failed; may be nil. It must return quickly.
	Guessed func(ctx context.Context, c identity.Credentials)
}

// Operations are the operations of the interface.
type Operations struct{ d Deps }

// New returns the operations.
func New(d Deps) *Operations { return &Operations{d} }

// caller returns the API key in use whose text this is.
func (o *Operations) caller(ctx context.Context, key secret.Text) (merchant.Key, error) {
	if key.Empty() {
		return merchant.Key{}, merchant.ErrBadKey
	}
	k, err := o.d.Accounts.Authenticate(ctx, key.Reveal())
	if err != nil {
		return merchant.Key{}, err
	}
	if err := o.d.Limits.Key(ctx, k.ID); err != nil {
		return merchant.Key{}, err
	}
	return k, nil
}
