package identity

import (
	"context"
	"errors"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
)

// AskPasskey challenges for any passkey, to sign in. It returns the options and
// a token to be kept where only this browser has it, such as a sealed cookie. It
// fails with ErrNoPasskeys.
func (s *Service) AskPasskey(ctx context.Context) (options string, token secret.Text, err error) {
	if !s.HasPasskeys() {
		return "", secret.Text{}, ErrNoPasskeys
	}
	q, err := s.opts.RelyingParty.Ask(User{}, nil)
	if err != nil {
		return "", secret.Text{}, err
	}
	token, holder := challengeToken.New(s.opts.Random)
	return q.Options, token, s.keep(ctx, holder, PurposeSignIn, q)
}

// EnterWithPasskey starts a session for the user whose passkey answers the
// challenge of AskPasskey; of c only Address and UserAgent count. The
// authenticator has verified its user, so it is two factors in one: neither the
// password nor a code is needed. It fails with ErrBadPasskey, which is the same
// for known and unknown users, with ErrCopiedPasskey and the user, with
// ErrDisabled, or with fault.Limited after too many failures.
func (s *Service) EnterWithPasskey(ctx context.Context, token, answer string, c Credentials) (SignedIn, error) {
	if !s.HasPasskeys() {
		return SignedIn{}, ErrNoPasskeys
	}
	// An answer that cannot be parsed names no user and counts for the address.
	id, _ := s.opts.RelyingParty.Names(answer)
	limits := passkeyLimits(id, c.Address)
	if err := s.take(ctx, limits, tooManySignIns); err != nil {
		return SignedIn{}, err
	}
	user, err := s.answeredBy(ctx, token, id, answer, c.Address)
	if errors.Is(err, ErrBadPasskey) || errors.Is(err, ErrCopiedPasskey) {
		return SignedIn{User: user}, also(err, s.recordPasskey(ctx, id, c, limits))
	}
	if given := s.giveBack(ctx, limits); err != nil || given != nil {
		return SignedIn{}, errors.Join(err, given)
	}
	return s.startSession(ctx, user, c.UserAgent, s.signedIn(user, c, mail.T("with a passkey")))
}

// recordPasskey writes a refused passkey to the audit log of the user it claims to
// be of, if there is one.
func (s *Service) recordPasskey(ctx context.Context, publicID string, c Credentials, limits []Limit) error {
	user, err := s.user(ctx, By{PublicID: publicID})
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.store.FailSignIn(ctx, user.Email, limits[0].Name, audit.Entry{
		At: s.now().UTC(), Actor: user.Email, Action: audit.ActionSignInFailed, Subject: cleanUserAgent(c.UserAgent),
		Detail: detailOf(ErrBadPasskey), Address: c.Address,
	})
}

// passkeyLimits are what an answer counts against that claims to be of the user
// with the public id. Guesses at a signature are hopeless: the limits keep them
// from costing much.
func passkeyLimits(id, address string) []Limit {
	network, ok := clientNetwork(address)
	limits := []Limit{perUserAndAddress.limit("passkey", id, network)}
	if ok {
		limits = append(limits, perAddress.limit("address", network))
	}
	return limits
}

// challenge uses up the challenge that the holder was given for a purpose.
func (s *Service) challenge(ctx context.Context, holder Hash, p Purpose) (Challenge, error) {
	c, err := s.store.TakeChallenge(ctx, holder, p)
	if err == nil && !c.ExpiresAt.After(s.now()) {
		err = ErrBadPasskey
	}
	return c, err
}

// answeredBy uses the challenge of the token up and returns the user who
// answered. On failure it returns the user only with ErrCopiedPasskey.
func (s *Service) answeredBy(ctx context.Context, token, id, answer, address string) (User, error) {
	holder, ok := challengeToken.Hash(token)
	if !ok {
		return User{}, ErrBadPasskey
	}
	c, err := s.challenge(ctx, holder, PurposeSignIn)
	if err != nil {
		return User{}, err
	}
	user, err := s.user(ctx, By{PublicID: id})
	if fault.Is(err, fault.NotFound) {
		return User{}, ErrBadPasskey
	}
	if err != nil {
		return User{}, err
	}
	a, err := s.store.UserAccount(ctx, By{ID: user.ID})
	if err != nil {
		return User{}, err
	}
	err = s.use(ctx, user, a.Passkeys, c, answer, address)
	if err != nil && !errors.Is(err, ErrCopiedPasskey) {
		return User{}, err
	}
	return user, err
}

// AskToConfirm challenges the browser of the session for one of the user's passkeys.
// It fails with ErrNoPasskeys, or ErrUnknownPasskey for a user without one.
func (s *Service) AskToConfirm(ctx context.Context, user User, session secret.Text) (options string, err error) {
	have, holder, err := s.passkeysIn(ctx, user, session)
	if err != nil {
		return "", err
	}
	if len(have) == 0 {
		return "", ErrUnknownPasskey
	}
	q, err := s.opts.RelyingParty.Ask(user, have)
	if err != nil {
		return "", err
	}
	return q.Options, s.keep(ctx, holder, PurposeConfirm, q)
}

// ConfirmByPasskey is Confirm by an answer to AskToConfirm in the same session.
// It fails with ErrBadPasskey, ErrCopiedPasskey or fault.Limited.
func (s *Service) ConfirmByPasskey(ctx context.Context, user User, answer string, act audit.Act) error {
	limits := reauthLimits(user, act.Address)
	if err := s.take(ctx, limits, tooManySignIns); err != nil {
		return err
	}
	return s.settleReauth(ctx, user, act, limits, s.confirmedBy(ctx, user, act.Session, answer, act.Address))
}

func (s *Service) confirmedBy(ctx context.Context, user User, session secret.Text, answer, address string) error {
	have, holder, err := s.passkeysIn(ctx, user, session)
	if err != nil {
		return err
	}
	c, err := s.challenge(ctx, holder, PurposeConfirm)
	if err != nil {
		return err
	}
	return s.use(ctx, user, have, c, answer, address)
}

// use checks an answer and stores the counter it came with. Of two concurrent
// answers with the same counter the second is refused: one comes from a copy.
//
// The user is notified of an answer that only a copy gives.
func (s *Service) use(ctx context.Context, user User, have []Passkey, c Challenge, answer, address string) error {
	after, err := s.opts.RelyingParty.Answered(user, have, c.State, answer)
	if errors.Is(err, ErrCopiedPasskey) {
		act := audit.Act{Who: user.Email, At: s.now().UTC(), Address: address}
		return also(err, s.record(ctx, act.Record(user.ID, audit.ActionPasskeyCopied, "", "", s.opts.Mail.To(
			act.At, user.Email, mail.T("One of your passkeys may have been copied"),
			mail.T("Florin was shown a passkey of yours whose counter went back, as that of a copy would. It was not accepted."),
			mail.T("Sign in with your password, remove the passkey that was used last, and add a new one:").
				Then(s.security()))...)))
	}
	if err != nil {
		return err
	}
	after.UsedAt = s.now().UTC()
	for _, before := range have {
		if before.ID != after.ID {
			continue
		}
		return s.update(ctx, user.ID, func(a Account) (Change, error) { return a.UsePasskey(before, after) })
	}
	return ErrBadPasskey
}
