package identity

import (
	"context"
	"errors"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/mail"
)

// failures say in the audit log how a sign-in or re-authentication failed, by its
// refusal.
var failures = []struct {
	refusal error
	detail  mail.Words
}{
	{ErrBadCredentials, mail.T("wrong password")},
	{ErrBadPassword, mail.T("wrong password")},
	{ErrBadCode, mail.T("wrong code")},
	{ErrBadPasskey, mail.T("passkey not accepted")},
	{ErrCopiedPasskey, mail.T("copied passkey")},
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

// settleReauth ends a re-authentication as settle does a sign-in: a stranger may be at the user's screen, or have
// their cookie. The user is mailed of some that failed in one session, and after more of them the session ends.
func (s *Service) settleReauth(ctx context.Context, user User, act audit.Act, limits []Limit, refusal error) error {
	token, inSession := SessionToken.Hash(act.Session.Reveal())
	if !inSession || !failed(refusal) {
		return s.end(ctx, limits, limits[0].Name, refusal, audit.Entry{
			Actor: user.Email, Action: audit.ActionReauthFailed, Address: act.Address,
		})
	}
	now := s.now().UTC()
	act.Who, act.At = user.Email, now
	count := func(wrong int) (end bool, r audit.Record) {
		r = act.Record(user.ID, audit.ActionReauthFailed, "", detailOf(refusal))
		switch wrong {
		case WrongMailed:
			r.Mails = s.opts.Mail.To(now, user.Email, mail.T("Wrong passwords in your account"),
				mail.T("In a browser that is signed in to your Florin account, a wrong password or code was entered "+
					"{{.Times}} times where Florin asks again. After {{.Most}} the session ends.",
					"Times", WrongMailed, "Most", WrongEnds),
				mail.T("If this was not you, change your password at once, which ends every session:").Then(s.security()))
		case WrongEnds:
			r.Entries = append(r.Entries, act.Entry(user.ID, audit.ActionRevokeSession, "",
				mail.T("too many wrong passwords").Kept()))
		}
		return wrong >= WrongEnds, r
	}
	return also(refusal, s.store.FailReauth(context.WithoutCancel(ctx), token, now, count))
}

// failed reports whether a refusal is counted as a failed attempt.
func failed(refusal error) bool { return refusal != nil && detailOf(refusal) != "" }

// detailOf says how an attempt failed; empty if it did not.
func detailOf(refusal error) string {
	for _, f := range failures {
		if errors.Is(refusal, f.refusal) {
			return f.detail.Kept()
		}
	}
	return ""
}

func (s *Service) end(ctx context.Context, limits []Limit, own Hash, refusal error, entry audit.Entry) error {
	if refusal == nil {
		return s.giveBack(ctx, limits, own)
	}
	if failed(refusal) {
		entry.At, entry.Detail = s.now().UTC(), detailOf(refusal)
		return also(refusal, s.store.FailSignIn(context.WithoutCancel(ctx), entry.Actor, limits[0].Name, entry))
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
