package identity

import (
	"context"
	"errors"

	"github.com/florinpay/florin/internal/audit"
)

// failures say in the audit log how a sign-in or re-authentication failed, by its
// refusal.
var failures = []struct {
	refusal error
	detail  string
}{
	{ErrBadCredentials, "wrong password"},
	{ErrBadPassword, "wrong password"},
	{ErrBadCode, "wrong code"},
	{ErrBadPasskey, "passkey not accepted"},
	{ErrCopiedPasskey, "copied passkey"},
}

// settle ends an attempt to sign in that was counted against the limits. A failure
// stays counted and is written to the user's audit log; after a success the
// failures for this user from this client are forgotten. Those of the address as a
// whole stay: an attacker may own an account too. It returns the refusal.
func (s *Service) settle(ctx context.Context, email string, c Credentials, limits []Limit, refusal error) error {
	own := limits[0].Name // of the device
	if address, ok := clientNetwork(c.Address); ok && c.Device == "" {
		own = perUserAndAddress.limit("user and address", email, address).Name
	}
	return s.end(ctx, limits, own, refusal, audit.Entry{
		Actor: email, Action: audit.ActionSignInFailed, Subject: cleanUserAgent(c.UserAgent), Address: c.Address,
	})
}

// settleReauth ends a re-authentication as settle does a sign-in: a stranger may
// be at the user's screen.
func (s *Service) settleReauth(
	ctx context.Context, user User, address string, limits []Limit, refusal error,
) error {
	return s.end(ctx, limits, limits[0].Name, refusal, audit.Entry{
		Actor: user.Email, Action: audit.ActionReauthFailed, Address: address,
	})
}

func (s *Service) end(ctx context.Context, limits []Limit, own Hash, refusal error, entry audit.Entry) error {
	if refusal == nil {
		return s.giveBack(ctx, limits, own)
	}
	for _, f := range failures {
		if errors.Is(refusal, f.refusal) {
			entry.At, entry.Detail = s.now().UTC(), f.detail
			return also(refusal, s.store.FailSignIn(context.WithoutCancel(ctx), entry.Actor, limits[0].Name, entry))
		}
	}
	return also(refusal, s.giveBack(ctx, limits))
}

// also returns the refusal, with the error that came after it if there is one.
func also(refusal, err error) error {
	if err == nil {
		return refusal
	}
	return errors.Join(refusal, err)
}
