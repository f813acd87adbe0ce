package operation

import (
	"context"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/internal/account"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
)

// Users is what operations ask of those who sign in.
type Users interface {
	CreateUser(ctx context.Context, in account.NewUser) (account.User, error)
	SignIn(ctx context.Context, c account.Credentials) (account.SignedIn, error)
	UserBySession(ctx context.Context, token string) (account.User, error)
	SignOut(ctx context.Context, token string) error
	CreateKey(ctx context.Context, user account.User, in account.NewKey) (account.Key, secret.Text, error)
}

// Keys lists the keys of a user.
type Keys interface {
	KeysOfUser(ctx context.Context, userID int64) ([]account.Key, error)
}

// NewKeys says what a new key starts with.
type NewKeys struct {
	Credits int64
	Queries int64
}

// maxKeys bounds how many keys a user has: each starts with free credits.
const maxKeys = 20

var (
	errSignUpClosed = fault.New(fault.Forbidden, "signing up is closed here; ask the operator for an account")
	errTooManyKeys  = fault.New(fault.Conflict, "a user has at most %d API keys", maxKeys)
)

// signedIn returns who the Bearer session token of the request belongs to.
func (o *Operations) signedIn(ctx context.Context) (account.User, error) {
	return o.d.Users.UserBySession(ctx, CallOf(ctx).Bearer.Reveal())
}

// SignUpInput asks for a user.
type SignUpInput struct {
	Email     string
	Password  secret.Text
	FirstName string
	LastName  string
}

// SignUp makes a user and signs them in.
func (o *Operations) SignUp(ctx context.Context, in SignUpInput) (*model.SessionResult, error) {
	if !o.d.SignUp {
		return nil, errSignUpClosed
	}
	if err := o.d.Limits.Costly(ctx); err != nil {
		return nil, err
	}
	_, err := o.d.Users.CreateUser(ctx, account.NewUser{
		Email: in.Email, Password: in.Password, FirstName: in.FirstName, LastName: in.LastName,
	})
	if err != nil {
		return nil, err
	}
	return o.signIn(ctx, in.Email, in.Password)
}

// Login signs a user in.
func (o *Operations) Login(ctx context.Context, email string, password secret.Text) (*model.SessionResult, error) {
	if err := o.d.Limits.Costly(ctx); err != nil {
		return nil, err
	}
	return o.signIn(ctx, email, password)
}

func (o *Operations) signIn(ctx context.Context, email string, password secret.Text) (*model.SessionResult, error) {
	call := CallOf(ctx)
	in, err := o.d.Users.SignIn(ctx, account.Credentials{
		Email: email, Password: password, Address: call.Client, UserAgent: call.UserAgent,
	})
	if err != nil {
		return nil, err
	}
	token, expires := in.Token.Reveal(), model.At(in.ExpiresAt)
	return &model.SessionResult{Token: &token, ExpiresAt: &expires, User: user(in.User)}, nil
}

// Me tells who is signed in.
func (o *Operations) Me(ctx context.Context) (*model.UserResult, error) {
	u, err := o.signedIn(ctx)
	if err != nil {
		return nil, err
	}
	return &model.UserResult{User: user(u)}, nil
}

// Logout ends the session of the request.
func (o *Operations) Logout(ctx context.Context) (*model.UserResult, error) {
	u, err := o.signedIn(ctx)
	if err != nil {
		return nil, err
	}
	if err := o.d.Users.SignOut(ctx, CallOf(ctx).Bearer.Reveal()); err != nil {
		return nil, err
	}
	return &model.UserResult{User: user(u)}, nil
}

// CreateAPIKey makes a key for who is signed in. Its text is shown only here.
func (o *Operations) CreateAPIKey(ctx context.Context, label, wallet string) (*model.APIKeyResult, error) {
	u, err := o.signedIn(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := o.d.Keys.KeysOfUser(ctx, u.ID)
	if err != nil {
		return nil, err
	}
	if len(keys) >= maxKeys {
		return nil, errTooManyKeys
	}
	key, text, err := o.d.Users.CreateKey(ctx, u, account.NewKey{
		Label: label, Wallet: wallet, Credits: o.d.NewKeys.Credits, Queries: o.d.NewKeys.Queries,
	})
	if err != nil {
		return nil, err
	}
	shown, err := o.ownKey(ctx, key)
	if err != nil {
		return nil, err
	}
	shown.Key = optional(text.Reveal())
	return &model.APIKeyResult{APIKey: shown}, nil
}

// APIKeys lists the keys of who is signed in.
func (o *Operations) APIKeys(ctx context.Context) (*model.APIKeysResult, error) {
	u, err := o.signedIn(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := o.d.Keys.KeysOfUser(ctx, u.ID)
	if err != nil {
		return nil, err
	}
	out := &model.APIKeysResult{APIKeys: make([]*model.APIKey, len(keys))}
	for i, key := range keys {
		if out.APIKeys[i], err = o.ownKey(ctx, key); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ownKey writes a key as its owner sees it in a list.
func (o *Operations) ownKey(ctx context.Context, key account.Key) (*model.APIKey, error) {
	balance, err := o.d.Accounts.Balance(ctx, key.ID)
	if err != nil {
		return nil, err
	}
	custodian, err := o.custodianName(ctx, key.ID)
	if err != nil {
		return nil, err
	}
	credits, queries := int(balance.Credits), int(balance.Queries)
	return &model.APIKey{
		ID: optional(key.PublicID), Label: optional(key.Label), Wallet: optional(string(key.Wallet)),
		CreditsLeft: &credits, QueriesLeft: &queries, UserID: optional(key.UserPublic), CreatedAt: at(key),
		FirstName: optional(key.FirstName), LastName: optional(key.LastName), Email: optional(key.Email), Custodian: custodian,
	}, nil
}

// CreateTopUp makes a payment by which one of the user's keys buys credits.
func (o *Operations) CreateTopUp(ctx context.Context, keyID string, credits int) (*model.TopupResult, error) {
	u, err := o.signedIn(ctx)
	if err != nil {
		return nil, err
	}
	key, err := o.keyOf(ctx, u, func(k account.Key) bool { return k.PublicID == keyID })
	if err != nil {
		return nil, err
	}
	return once(ctx, o, scope{keyID: key.ID}, func(subject payment.ID) (*model.TopupResult, error) {
		p, err := o.d.Payments.CreateTopUp(ctx, subject, key.ID, int64(credits))
		if err != nil {
			return nil, err
		}
		link := o.CheckoutLink(p.ID)
		return &model.TopupResult{Transaction: o.transaction(p), PaymentLink: &link}, nil
	})
}

// StartTopUp starts a top-up of one of the user's keys.
func (o *Operations) StartTopUp(ctx context.Context, in StartInput) (*model.TransactionResult, error) {
	u, err := o.signedIn(ctx)
	if err != nil {
		return nil, err
	}
	choice, err := in.choice()
	if err != nil {
		return nil, err
	}
	p, err := o.d.Payments.Get(ctx, in.Txnid)
	if err != nil {
		return nil, err
	}
	if p.Kind != payment.KindTopUp {
		return nil, payment.ErrUnknown
	}
	if _, err := o.keyOf(ctx, u, func(k account.Key) bool { return k.ID == p.KeyID }); err != nil {
		return nil, payment.ErrUnknown
	}
	return once(ctx, o, scope{keyID: p.KeyID}, func(payment.ID) (*model.TransactionResult, error) {
		p, err := o.d.Payments.Start(ctx, in.Txnid, choice)
		if err != nil {
			return nil, err
		}
		return o.transactionResult(p), nil
	})
}

// keyOf returns the user's key that is meant; another user's is unknown.
func (o *Operations) keyOf(ctx context.Context, u account.User, is func(account.Key) bool) (account.Key, error) {
	keys, err := o.d.Keys.KeysOfUser(ctx, u.ID)
	if err != nil {
		return account.Key{}, err
	}
	for _, k := range keys {
		if is(k) {
			return k, nil
		}
	}
	return account.Key{}, account.ErrUnknownKey
}

func user(u account.User) *model.User {
	return &model.User{
		ID: u.PublicID, Email: u.Email, FirstName: optional(u.FirstName), LastName: optional(u.LastName), CreatedAt: model.At(u.CreatedAt),
	}
}
