package operation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
)

// NewKeys says what the first key of a user starts with.
type NewKeys struct {
	Credits int64
	Queries int64
}

var errSignUpClosed = fault.New(fault.Forbidden, "signing up is closed here; ask the operator for an account")

// acting returns the user of the request's Bearer session token and the merchant
// they act for, if their role allows the act.
func (o *Operations) acting(ctx context.Context, act merchant.Act) (merchant.Membership, error) {
	member, err := o.d.Merchants.MembershipBySession(ctx, CallOf(ctx).Bearer.Reveal())
	if err != nil {
		return merchant.Membership{}, err
	}
	return member, member.Allow(act)
}

// SignUpInput is a request to create a user.
type SignUpInput struct {
	Email     string
	Password  secret.Text
	FirstName string
	LastName  string
	// Invitation is the token of an invitation; empty without one.
	Invitation secret.Text
}

// SignUp makes a user and signs them in. Where users verify their addresses, it
// mails a link instead.
func (o *Operations) SignUp(ctx context.Context, in SignUpInput) (*model.SessionResult, error) {
	if !o.d.SignUp && (!o.d.Invite || in.Invitation.Empty()) {
		return nil, errSignUpClosed
	}
	if err := o.d.Limits.Costly(ctx); err != nil {
		return nil, err
	}
	user := identity.NewUser{Email: in.Email, Password: in.Password, FirstName: in.FirstName, LastName: in.LastName}
	email, err := identity.NormalizeEmail(in.Email)
	if err != nil {
		return nil, err
	}
	if o.d.Users.VerifiesEmail() && in.Invitation.Empty() {
		// The answer does not reveal who has an account; there is no session before the link is opened.
		if err := o.d.Users.BeginSignUp(ctx, user); err != nil {
			return nil, err
		}
		return &model.SessionResult{Code: http.StatusAccepted, Message: signUpMailed}, nil
	}
	read := [...]string{email, in.Password.Reveal(), in.FirstName, in.LastName, in.Invitation.Reveal()}
	return once(ctx, o, signUpScope(email), read, as, func(w write) (*model.SessionResult, error) {
		user.PublicID = string(w.subject)
		if err := o.createUser(ctx, user, in.Invitation); err != nil && !o.madeBefore(ctx, user, err) {
			return nil, err
		}
		return o.signIn(ctx, in.Email, in.Password, "")
	})
}

// signUpScope is the scope of those who sign up with an address: they have no API key yet.
func signUpScope(email string) scope {
	sum := sha256.Sum256([]byte(email))
	return scope{payment: payment.ID("signup:" + hex.EncodeToString(sum[:])), operation: "UserSignUp", password: true}
}

func (o *Operations) createUser(ctx context.Context, user identity.NewUser, invitation secret.Text) (err error) {
	act := o.act(ctx, 0, "")
	if o.d.SignUp && invitation.Empty() {
		_, err = o.d.Users.CreateUser(ctx, user, act)
	} else {
		_, err = o.d.Users.CreateInvited(ctx, invitation.Reveal(), user, act)
	}
	return err
}

// madeBefore reports whether the user was refused because an earlier run of the same request, which
// broke off, has made them.
func (o *Operations) madeBefore(ctx context.Context, user identity.NewUser, refused error) bool {
	if !errors.Is(refused, identity.ErrEmailTaken) && !errors.Is(refused, identity.ErrBadInvitation) {
		return false
	}
	known, err := o.d.Users.UserByEmail(ctx, user.Email)
	return err == nil && known.PublicID == user.PublicID
}

// signUpMailed is answered to every sign-up where addresses are verified, so that it
// does not reveal who has an account.
const signUpMailed = "a mail with a link is on its way to this address: open it within 24 hours, then sign in"

// Login signs a user in.
func (o *Operations) Login(
	ctx context.Context, email string, password secret.Text, code string,
) (*model.SessionResult, error) {
	if err := o.d.Limits.Costly(ctx); err != nil {
		return nil, err
	}
	return o.signIn(ctx, email, password, code)
}

func (o *Operations) signIn(
	ctx context.Context, email string, password secret.Text, code string,
) (*model.SessionResult, error) {
	call := CallOf(ctx)
	in, err := o.d.Users.SignIn(ctx, identity.Credentials{
		Email: email, Password: password, Code: code, Address: call.Client, UserAgent: call.UserAgent,
	})
	if err != nil {
		return nil, err
	}
	token, expires := in.Token.Reveal(), model.At(in.ExpiresAt)
	return &model.SessionResult{Token: &token, ExpiresAt: &expires, User: user(in.User)}, nil
}

// Me returns the signed-in user.
func (o *Operations) Me(ctx context.Context) (*model.UserResult, error) {
	member, err := o.acting(ctx, merchant.ActOwn)
	if err != nil {
		return nil, err
	}
	return &model.UserResult{User: user(member.User)}, nil
}

// Logout ends the session of the request.
func (o *Operations) Logout(ctx context.Context) (*model.UserResult, error) {
	member, err := o.acting(ctx, merchant.ActOwn)
	if err != nil {
		return nil, err
	}
	act := o.act(ctx, member.Merchant.ID, member.User.Email)
	err = o.d.Users.SignOut(ctx, act.Session.Reveal(), act.Record(member.User.ID, audit.ActionSignOut, "", ""))
	if err != nil {
		return nil, err
	}
	return &model.UserResult{User: user(member.User)}, nil
}

// KeyInput is a request for an API key.
type KeyInput struct {
	Label, Wallet  string
	Permissions    []model.APIKeyPermission // empty: all that the role may give
	SourceNetworks []string                 // empty: everywhere
}

// newKey returns the request of a member of the role. A session alone is no
// re-authentication, so the key is not confirmed.
func (in KeyInput) newKey(by merchant.Role, free NewKeys) (merchant.NewKey, error) {
	texts := make([]string, len(in.Permissions))
	for i, p := range in.Permissions {
		texts[i] = string(p)
	}
	permissions, err := merchant.ParsePermissions(texts)
	if err != nil {
		return merchant.NewKey{}, err
	}
	sources, err := merchant.ParseSources(in.SourceNetworks...)
	if err != nil {
		return merchant.NewKey{}, fault.Within("sourceNetworks", err)
	}
	return merchant.NewKey{
		Label: in.Label, Wallet: in.Wallet, Credits: free.Credits, Queries: free.Queries, Limited: true,
		By: by, Permissions: permissions, Sources: sources,
	}, nil
}

// CreateAPIKey makes a key for the merchant. Its text is shown only here.
func (o *Operations) CreateAPIKey(ctx context.Context, in KeyInput) (*model.APIKeyResult, error) {
	member, err := o.acting(ctx, merchant.ActKeys)
	if err != nil {
		return nil, err
	}
	asked, err := in.newKey(member.Role, o.d.NewKeys)
	if err != nil {
		return nil, err
	}
	act := o.act(ctx, member.Merchant.ID, member.User.Email)
	answer := func(k merchant.CreatedKey) *model.APIKeyResult {
		shown := apiKey(k.Key, k.Left)
		shown.Key = optional(k.Text.Reveal())
		return &model.APIKeyResult{APIKey: shown}
	}
	return once(ctx, o, memberScope(member), in, answer, func(w write) (made merchant.CreatedKey, err error) {
		asked.ID = string(w.subject)
		act.Keep = func(k any) (*idempotency.Kept, error) {
			made, _ = k.(merchant.CreatedKey)
			return w.keep.Of(k)
		}
		_, _, err = o.d.Merchants.CreateKey(ctx, member.Merchant, asked, act)
		return made, err
	})
}

// memberScope is the scope of a member of a merchant account, who may have no API key yet.
func memberScope(m merchant.Membership) scope {
	return scope{
		payment: payment.ID("member:" + m.Merchant.PublicID + ":" + m.User.PublicID), operation: "UserCreateApiKey",
	}
}

// APIKeys lists the keys of the merchant.
func (o *Operations) APIKeys(ctx context.Context) (*model.APIKeysResult, error) {
	member, err := o.acting(ctx, merchant.ActRead)
	if err != nil {
		return nil, err
	}
	keys, err := o.d.Merchants.Keys(ctx, member.Merchant.ID)
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
func (o *Operations) ownKey(ctx context.Context, key merchant.Key) (*model.APIKey, error) {
	balance, err := o.d.Merchants.Balance(ctx, key.ID)
	if err != nil {
		return nil, err
	}
	custodian, err := o.custodianName(ctx, key.ID)
	if err != nil {
		return nil, err
	}
	out := apiKey(key, balance)
	out.Custodian = custodian
	return out, nil
}

// apiKey writes a key without its text, which only its owner is shown.
func apiKey(key merchant.Key, left ledger.Balance) *model.APIKey {
	credits, queries := int(left.Credits), int(left.Queries)
	return &model.APIKey{
		ID: optional(key.PublicID), Label: optional(key.Label), Wallet: optional(string(key.Wallet)),
		Permissions: permissions(key), SourceNetworks: key.Sources.List(),
		CreditsLeft: &credits, QueriesLeft: &queries, UserID: optional(key.UserPublic), CreatedAt: at(key),
		FirstName: optional(key.FirstName), LastName: optional(key.LastName), Email: optional(key.Email),
	}
}

func permissions(key merchant.Key) []model.APIKeyPermission {
	var list []model.APIKeyPermission
	for _, p := range key.Permissions.List() {
		list = append(list, model.APIKeyPermission(strings.ToUpper(string(p))))
	}
	return list
}

// CreateTopUp makes a payment by which one of the merchant's keys buys credits.
func (o *Operations) CreateTopUp(ctx context.Context, keyID string, credits int) (*model.TopupResult, error) {
	member, err := o.acting(ctx, merchant.ActCredits)
	if err != nil {
		return nil, err
	}
	key, err := o.keyOf(ctx, member.Merchant, func(k merchant.Key) bool { return k.PublicID == keyID })
	if err != nil {
		return nil, err
	}
	if _, err := ledger.Price(int64(credits)); err != nil {
		return nil, err
	}
	made := func(p payment.Payment) *model.TopupResult {
		link := o.CheckoutLink(p.ID)
		return &model.TopupResult{Transaction: o.transaction(p), PaymentLink: &link}
	}
	place := scope{keyID: key.ID, operation: "UserCreateCreditTopup"}
	out, err := once(ctx, o, place, credits, made, func(w write) (payment.Payment, error) {
		act := w.keptBy(o.act(ctx, member.Merchant.ID, member.User.Email))
		act.Key = named(key)
		return o.d.Payments.CreateTopUp(ctx, w.subject, key.ID, int64(credits), act)
	})
	if err != nil {
		return nil, err
	}
	return asNow(ctx, o, out, out.Transaction.Txnid, made)
}

// StartTopUp starts a top-up of one of the merchant's keys.
func (o *Operations) StartTopUp(ctx context.Context, in StartInput) (*model.TransactionResult, error) {
	member, err := o.acting(ctx, merchant.ActCredits)
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
	_, err = o.keyOf(ctx, member.Merchant, func(k merchant.Key) bool { return k.ID == p.KeyID })
	if errors.Is(err, merchant.ErrUnknownKey) {
		return nil, payment.ErrUnknown
	}
	if err != nil {
		return nil, err
	}
	read := startRead{string(p.ID), choice}
	place := scope{keyID: p.KeyID, operation: "UserStartCreditTopup"}
	return once(ctx, o, place, read, o.transactionResult, func(w write) (payment.Payment, error) {
		return o.d.Payments.Start(ctx, in.Txnid, choice, audit.Act{Keep: w.keep})
	})
}

// keyOf returns the merchant's key with that id. A key of another merchant is
// unknown, and one that an operator disabled takes no money.
func (o *Operations) keyOf(ctx context.Context, owner identity.User, is func(merchant.Key) bool) (merchant.Key, error) {
	keys, err := o.d.Merchants.Keys(ctx, owner.ID)
	if err != nil {
		return merchant.Key{}, err
	}
	for _, k := range keys {
		if !is(k) {
			continue
		}
		if !k.DisabledAt.IsZero() {
			return merchant.Key{}, merchant.ErrKeyDisabled
		}
		return k, nil
	}
	return merchant.Key{}, merchant.ErrUnknownKey
}

func user(u identity.User) *model.User {
	return &model.User{
		ID: u.PublicID, Email: u.Email, FirstName: optional(u.FirstName),
		LastName: optional(u.LastName), CreatedAt: model.At(u.CreatedAt),
	}
}
