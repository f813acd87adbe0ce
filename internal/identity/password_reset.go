package identity

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
)

// ResetTTL is how long a reset link is valid: long enough for slow mail, short
// enough that a link in an old mailbox is worthless.
const ResetTTL = time.Hour

// BeginReset orders a mail to the user with the address, with a link by which they set a new password. It does the same
// for an address of nobody, so that neither the answer nor its time says who has an account: ResetMail finds that out.
// near is the neighbourhood that the request came from; empty: not known.
func (s *Service) BeginReset(ctx context.Context, email, near string) error {
	email, err := NormalizeEmail(email)
	if err != nil {
		return err
	}
	return s.record(ctx, audit.Record{Mails: s.opts.Mail.Reset(s.now().UTC(), email, near)})
}

// ResetMail makes the mail that BeginReset has ordered. ok is false where no user has the address.
func (s *Service) ResetMail(ctx context.Context, m mail.Mail) (out mail.Mail, ok bool, err error) {
	user, err := s.UserByEmail(ctx, m.To)
	if fault.Is(err, fault.NotFound) {
		return mail.Mail{}, false, nil
	}
	if err != nil {
		return mail.Mail{}, false, err
	}
	token, err := s.addReset(ctx, user, func(secret.Text) audit.Record { return audit.Record{} })
	m = m.And(
		mail.T("We got a request to set a new password for your Florin account."),
		mail.T("Set it here within one hour:").Then(s.link("/reset?token=", token)),
		mail.T("If it was not you, ignore this mail: your password stays as it is."),
	)
	return m, err == nil, err
}

// MailResetLink mails a user a link to a new password on behalf of an operator. Where no mail is sent, the caller shows
// it: the token is returned only here.
func (s *Service) MailResetLink(ctx context.Context, user User, act audit.Act) (secret.Text, error) {
	return s.addReset(ctx, user, func(token secret.Text) audit.Record {
		return act.Record(user.ID, audit.ActionResetLink, user.Email, "", s.byOperator(act, user,
			mail.T("Set a new password"),
			mail.T("An operator of this installation sends you this link, by which you set a new password within one hour:").
				Then(s.link("/reset?token=", token)))...)
	})
}

// ResetLink returns the token of a link to a new password, which an operator passes on to the user. The mail about it
// has no link.
func (s *Service) ResetLink(ctx context.Context, user User, act audit.Act) (secret.Text, error) {
	return s.addReset(ctx, user, func(secret.Text) audit.Record {
		return act.Record(user.ID, audit.ActionResetLink, user.Email, "",
			s.byOperator(act, user, mail.T("A link to a new password was made"),
				mail.T("The operator of this installation made a link by which a new password for your account can be set "+
					"within an hour. You should get it from them."))...)
	})
}

func (s *Service) addReset(ctx context.Context, user User, record func(secret.Text) audit.Record) (secret.Text, error) {
	token, hash := resetToken.New(s.opts.Random)
	now := s.now().UTC()
	return token, s.addLink(ctx, Link{
		Kind: LinkReset, Token: hash, User: user, CreatedAt: now, ExpiresAt: now.Add(ResetTTL),
	}, record(token))
}

// Reset is what a new password by mail has changed.
type Reset struct {
	User User
	// Dropped: the address was not verified, so factors, passkeys, keys and other
	// members were dropped: somebody else may have made them.
	Dropped bool
}

// FinishReset sets a new password by the token of BeginReset, once, and ends
// all sessions of the user. Where addresses are verified it verifies this one, and
// takes away what was made before. It fails with ErrBadReset, or fault.Invalid for a
// password that breaks a rule, which leaves the token valid.
func (s *Service) FinishReset(
	ctx context.Context, token string, next secret.Text, act audit.Act,
) (Reset, error) {
	hash, ok := resetToken.Hash(token)
	if !ok {
		return Reset{}, ErrBadReset
	}
	if err := checkPassword(next, ""); err != nil {
		return Reset{}, err
	}
	a, err := s.resetBy(ctx, hash)
	if err != nil {
		return Reset{}, err
	}
	if err := s.checkWordsOf(ctx, next, a.User); err != nil {
		return Reset{}, err
	}
	password, err := s.hashOf(ctx, next)
	if err != nil {
		return Reset{}, err
	}
	mails, err := s.resetMail(ctx, a.User, act)
	if err != nil {
		return Reset{}, err
	}
	var done Reset
	a, err = s.store.UpdateUser(ctx, By{Link: LinkReset, Token: hash}, func(a Account) (c Change, err error) {
		c, err = a.FinishReset(password, s.opts.VerifyEmail, s.now().UTC(),
			act.Record(0, audit.ActionReset, "", "", mails...))
		done.Dropped = c.Dropped
		return c, err
	})
	if err != nil {
		return Reset{}, fmt.Errorf("reset a password: %w", err)
	}
	done.User = a.User
	return done, nil
}

// resetBy returns the account whose password a token sets, or ErrBadReset.
func (s *Service) resetBy(ctx context.Context, token Hash) (Account, error) {
	a, err := s.linked(ctx, LinkReset, token)
	if err == nil && !a.Link.good(LinkReset, s.now()) {
		err = ErrBadReset
	}
	return a, err
}

// CheckReset fails with ErrBadReset if the token sets no password any more, so that nobody types one in vain.
func (s *Service) CheckReset(ctx context.Context, token string) error {
	hash, ok := resetToken.Hash(token)
	if !ok {
		return ErrBadReset
	}
	_, err := s.resetBy(ctx, hash)
	return err
}

// resetMail says what a new password by mail has ended. The link proves only that the user reads their mail, so
// passkeys stay: the mail names each.
func (s *Service) resetMail(ctx context.Context, user User, act audit.Act) ([]mail.Mail, error) {
	if !s.opts.Mail.Enabled() {
		return nil, nil
	}
	text := []mail.Words{mail.T("A new password was set for your account in Florin by a link that was mailed to you. " +
		"Every session was ended.")}
	if s.opts.VerifyEmail && user.VerifiedAt.IsZero() {
		text = append(text, mail.T("Your address was not verified before, so another person may have used the account: "+
			"every authenticator, passkey, API key and other member was removed."))
	} else {
		passkeys, err := s.PasskeysOf(ctx, user)
		if err != nil {
			return nil, err
		}
		factor, _, err := s.Factor(ctx, user)
		if err != nil {
			return nil, err
		}
		text = append(text, stillSignsIn(passkeys, factor)...)
	}
	text = append(text, mail.T("Your passkeys, your authenticator and who did what are here:").Then(s.security()),
		mail.T("If this was not you, another person can read your mail: secure it first, then set a new password:").
			Then(s.forgot()))
	return s.opts.Mail.To(act.At, user.Email, mail.T("Your password was reset"), text...), nil
}

func stillSignsIn(passkeys []Passkey, factor bool) (text []mail.Words) {
	if len(passkeys) > 0 {
		text = append(text, mail.T("These passkeys still sign in as you. Remove those you do not know:"))
	}
	for _, p := range passkeys {
		line := mail.T("- “{{.Name}}”, added on {{.Added}}", "Name", p.Name, "Added", mail.Day(p.CreatedAt))
		if !p.UsedAt.IsZero() {
			line = mail.T("- “{{.Name}}”, added on {{.Added}}, used last on {{.Used}}",
				"Name", p.Name, "Added", mail.Day(p.CreatedAt), "Used", mail.Day(p.UsedAt))
		}
		text = append(text, line.Next())
	}
	if factor {
		text = append(text, mail.T("Your authenticator is still asked for."))
	}
	return text
}
