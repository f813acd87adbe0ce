package identity

import (
	"context"
	"crypto/subtle"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"golang.org/x/text/unicode/norm"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
)

// Time-based one-time passwords (RFC 6238) with the parameters every authenticator
// supports: SHA-1, six digits, 30 seconds. A code of the step before or after
// counts too, for clocks that differ.
const (
	totpStep        = 30 // seconds
	totpDigits      = otp.DigitsSix
	totpSkew        = 1
	totpSecretBytes = 20 // as RFC 4226 advises
	issuer          = "Florin"
)

// Recovery codes replace a lost authenticator; each works once. A code is written as seven groups of four.
const (
	recoveryCodes = 10
	recoveryChars = 28 // of base32: 140 bits
	recoveryGroup = 4
)

var plainBase32 = base32.StdEncoding.WithPadding(base32.NoPadding)

// SecondFactor is a user's authenticator.
type SecondFactor struct {
	UserID      int64
	Secret      secret.Text // base32, as authenticators take it
	Session     Hash        // of the token of the session that sets it up; zero once it is in force
	CreatedAt   time.Time
	ConfirmedAt time.Time // zero: shown, but not in force
	LastStep    int64     // time step of the last code that was taken
}

// InForce reports whether signing in requires it.
func (f SecondFactor) InForce() bool { return !f.ConfirmedAt.IsZero() }

// Enrolment is an authenticator to set up. Its texts are shown to the owner only.
type Enrolment struct {
	Secret secret.Text
	URI    secret.Text // otpauth://, for a QR code
}

// BeginFactor creates a second factor that is not in force until the same session
// calls ConfirmFactor. Another call, from any session, replaces it. It fails with
// ErrHasFactor.
func (s *Service) BeginFactor(ctx context.Context, user User, session secret.Text) (Enrolment, error) {
	holder, ok := SessionToken.Hash(session.Reveal())
	if !ok {
		return Enrolment{}, ErrBadSession
	}
	if err := s.RequireVerified(user); err != nil {
		return Enrolment{}, err
	}
	raw := make([]byte, totpSecretBytes)
	if _, err := io.ReadFull(s.opts.Random, raw); err != nil {
		return Enrolment{}, fmt.Errorf("make a second factor: %w", err)
	}
	text := secret.New(plainBase32.EncodeToString(raw))
	f := SecondFactor{UserID: user.ID, Secret: text, Session: holder, CreatedAt: s.now().UTC()}
	err := s.update(ctx, user.ID, func(a Account) (Change, error) { return a.PutFactor(f) })
	return enrolment(user, text), err
}

// PendingFactor returns the factor that BeginFactor created in the same session. It fails
// with ErrHasFactor or ErrNoFactor.
func (s *Service) PendingFactor(ctx context.Context, user User, session secret.Text) (Enrolment, error) {
	f, err := s.pending(ctx, user, session)
	if err != nil {
		return Enrolment{}, err
	}
	return enrolment(user, f.Secret), nil
}

// pending returns the user's factor that is not in force yet, only to the session
// that set it up: its secret yields every later code.
func (s *Service) pending(ctx context.Context, user User, session secret.Text) (SecondFactor, error) {
	if err := s.RequireVerified(user); err != nil {
		return SecondFactor{}, err
	}
	f, ok, err := s.store.SecondFactor(ctx, user.ID)
	if err != nil {
		return SecondFactor{}, err
	}
	if ok && f.InForce() {
		return SecondFactor{}, ErrHasFactor
	}
	if holder, valid := SessionToken.Hash(session.Reveal()); !ok || !valid || f.Session != holder {
		return SecondFactor{}, ErrNoFactor
	}
	return f, nil
}

func enrolment(user User, text secret.Text) Enrolment {
	q := url.Values{"secret": {text.Reveal()}, "issuer": {issuer}}
	return Enrolment{
		Secret: text, URI: secret.New("otpauth://totp/" + issuer + ":" + url.PathEscape(user.Email) + "?" + q.Encode()),
	}
}

// ConfirmFactor puts the factor that BeginFactor created in the same session in
// force if the code is correct, ends every other session of the user, and returns
// the recovery codes, which are shown only here. It fails with ErrHasFactor, ErrNoFactor or ErrBadCode.
func (s *Service) ConfirmFactor(ctx context.Context, user User, code string, act audit.Act) ([]secret.Text, error) {
	f, err := s.pending(ctx, user, act.Session)
	if err != nil {
		return nil, err
	}
	step, ok := stepOf(f.Secret, code, s.now())
	if !ok {
		return nil, ErrBadCode
	}
	texts, hashes, err := s.newRecoveryCodes(ctx, user)
	if err != nil {
		return nil, err
	}
	r := act.Record(user.ID, audit.ActionFactorOn, "", "", s.factorMails(act, user,
		mail.T("Your second factor was turned on"),
		mail.T("Signing in to Florin asks for a code of an authenticator from now on, and every other session was ended."),
		mail.T("If this was not you, change your password and turn it off at once:").Then(s.security()))...)
	return texts, s.update(ctx, user.ID, func(a Account) (Change, error) {
		return a.ConfirmFactor(f, step, hashes, s.now().UTC(), r)
	})
}

// factorMails mails the user how they sign in from now on, and the owners of their teams that it changed.
func (s *Service) factorMails(act audit.Act, user User, subject mail.Words, text ...mail.Words) []mail.Mail {
	return append(s.opts.Mail.To(act.At, user.Email, subject, text...), s.opts.Mail.About(act.At, user.ID,
		mail.T("How a member of your team signs in was changed"),
		mail.T("This was sent to {{.Email}}, who belongs to your Florin merchant account: “{{.Subject}}”. "+
			"If they know nothing of it, remove them from the team until they have set a new password.",
			"Email", user.Email, "Subject", mail.English(subject.Text)))...)
}

// Factor reports whether signing in requires a code, and how many recovery
// codes are left.
func (s *Service) Factor(ctx context.Context, user User) (inForce bool, left int, err error) {
	a, err := s.store.UserAccount(ctx, By{ID: user.ID})
	if err != nil || !a.Factor.InForce() {
		return false, 0, err
	}
	return true, a.CodesLeft(), nil
}

// RemoveFactor removes the second factor of a user, whom the caller has re-authenticated, and
// ends every session of theirs but this one.
func (s *Service) RemoveFactor(ctx context.Context, user User, act audit.Act) error {
	keep, ok := SessionToken.Hash(act.Session.Reveal())
	if !ok {
		return ErrBadSession
	}
	mails := s.factorMails(act, user, mail.T("Your second factor was turned off"),
		mail.T("Signing in to Florin asks for the password alone now, and every other session was ended."),
		mail.T("If this was not you, change your password at once:").Then(s.security()))
	r := act.Record(user.ID, audit.ActionFactorOff, "", "", mails...)
	return s.update(ctx, user.ID, func(a Account) (Change, error) {
		return a.RemoveFactor(keep, s.now().UTC(), r), nil
	})
}

// checkCode takes a code of the user's authenticator, or a recovery code, from
// a client at the address. A user without a second factor needs none.
func (s *Service) checkCode(ctx context.Context, user User, code, address string) error {
	f, ok, err := s.store.SecondFactor(ctx, user.ID)
	if err != nil || !ok || !f.InForce() {
		return err
	}
	if plainCode(code) == "" {
		return ErrNeedCode
	}
	// Counted before the code is checked, so that concurrent guesses cannot all
	// pass; a correct code is given back.
	limits := codeLimits(user)
	if err := s.take(ctx, limits, tooManyCodes); err != nil {
		return err
	}
	err = s.takeCode(ctx, user, f, code, address)
	if errors.Is(err, ErrBadCode) {
		return err
	}
	return errors.Join(err, s.giveBack(ctx, limits))
}

// takeCode uses up a code of the authenticator, or a recovery code.
func (s *Service) takeCode(ctx context.Context, user User, f SecondFactor, code, address string) error {
	if step, ok := stepOf(f.Secret, code, s.now()); ok {
		return s.update(ctx, user.ID, func(a Account) (Change, error) { return a.TakeStep(step) })
	}
	if !isRecoveryCode(code) {
		return ErrBadCode
	}
	hash, err := s.recoveryHash(ctx, user, code)
	if err != nil {
		return err
	}
	act := audit.Act{Who: user.Email, At: s.now().UTC(), Address: address}
	r := act.Record(user.ID, audit.ActionRecovery, "", "")
	return s.update(ctx, user.ID, func(a Account) (Change, error) { return a.TakeCode(hash, act.At, r) })
}

// stepOf returns the time step of the code.
func stepOf(text secret.Text, code string, now time.Time) (int64, bool) {
	code = plainCode(code)
	current := now.Unix() / totpStep
	for step := current - totpSkew; step <= current+totpSkew; step++ {
		want, err := hotp.GenerateCodeCustom(
			text.Reveal(), uint64(step), hotp.ValidateOpts{Digits: totpDigits, Algorithm: otp.AlgorithmSHA1},
		)
		if err == nil && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			return step, true
		}
	}
	return 0, false
}

// plainCode is a code without what keyboards, phones and pages add to it: spaces and dashes of every kind, and
// characters without width. Digits of other scripts, and of full width, are those that they mean.
func plainCode(code string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Pd, r), r == '\u2212':
			return -1
		case r > unicode.MaxASCII && unicode.Is(unicode.Nd, r):
			return '0' + digitOf(r)
		}
		return r
	}, norm.NFKC.String(code))
}

// digitOf is the value of a decimal digit: every script has its ten in a row, from a zero on.
func digitOf(r rune) rune {
	for _, of := range unicode.Nd.R16 {
		if rune(of.Lo) <= r && r <= rune(of.Hi) {
			return (r - rune(of.Lo)) % 10 //nolint:mnd // digits of a script
		}
	}
	for _, of := range unicode.Nd.R32 {
		if rune(of.Lo) <= r && r <= rune(of.Hi) {
			return (r - rune(of.Lo)) % 10 //nolint:mnd // digits of a script
		}
	}
	return r
}

// IsCode reports whether the text has the form of an authenticator's code. No password is that short.
func IsCode(text string) bool {
	digits := plainCode(text)
	return len(digits) == int(totpDigits) && strings.Trim(digits, "0123456789") == ""
}
