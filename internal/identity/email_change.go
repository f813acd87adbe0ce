package identity

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
)

const (
	// EmailChangeTTL is how long the link is valid that makes another address the one a user signs in with.
	EmailChangeTTL = 48 * time.Hour
	// EmailChangeWait is how long that link waits where an account of the user is locked: long enough to read the mail
	// that goes to the present address.
	EmailChangeWait = 24 * time.Hour
)

// Refusals about another e-mail address.
var (
	ErrSameEmail = fault.About(fault.Invalid, "email", "is the one you sign in with already")
	ErrNoMail    = fault.New(fault.Conflict, "this installation sends no mail, so it cannot find out whose an address is")
	// ErrEmailWaits: the link is opened before EmailChangeWait is over.
	ErrEmailWaits = fault.New(fault.Conflict,
		"your account is locked: this link works 24 hours after you asked for it; open it again then")
)

// BeginEmailChange mails the holder of an address a link that makes it the one the user signs in with, and tells the
// present address. The caller has re-authenticated the user. Who does not hold the address learns nothing of whose it
// is: where it is another user's, that one is notified instead.
func (s *Service) BeginEmailChange(ctx context.Context, user User, email string, act audit.Act) error {
	email, err := NormalizeEmail(email)
	if err != nil {
		return err
	}
	if email == user.Email {
		return ErrSameEmail
	}
	if !s.opts.Mail.Enabled() {
		return ErrNoMail
	}
	_, err = s.user(ctx, By{Email: email})
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	known := err == nil
	user.Email = email
	err = s.addSignUp(ctx, user, EmailChangeTTL, func(token secret.Text) (mail.Words, []mail.Words) {
		if known {
			return mail.T("You have an account already"), []mail.Words{
				mail.T("Another user of Florin asked to sign in with this address, which has an account of its own. " +
					"Nothing was changed."),
				mail.T("To use it there, change the address of this account first."),
			}
		}
		return mail.T("Your new e-mail address"), []mail.Words{
			mail.T("You asked Florin to sign you in with this address from now on."),
			mail.T("Open this link within two days, and type your password:").Then(s.link("/verify?token=", token)),
			mail.T("On a locked account it works after 24 hours. If it was not you, do nothing."),
		}
	})
	if err != nil {
		return err
	}
	asked := mail.T("Florin was asked to sign you in as {{.New}} instead of {{.Old}}. That is done when the link in the "+
		"mail to the new address is opened.", "New", email, "Old", act.Who)
	return s.record(ctx, act.Record(user.ID, audit.ActionEmailAsked, email, "",
		s.emailMails(act, user, act.Who, mail.T("Your e-mail address is about to change"), asked,
			mail.T("If this was not you, set a new password now, which ends that and every session:").
				Then(s.forgot()))...))
}

// emailMails are those of a change of the address of a user: to the one before, and to the owners of their teams.
func (s *Service) emailMails(
	act audit.Act, user User, before string, subject mail.Words, text ...mail.Words,
) []mail.Mail {
	about := append([]mail.Words{mail.T("This was sent to {{.Email}}, who belongs to your Florin merchant account:",
		"Email", before)}, text...)
	about = append(about, mail.T("If they know nothing of it, remove them."))
	return append(mail.In(user.Language, s.opts.Mail.To(act.At, before, subject, text...)),
		s.opts.Mail.About(act.At, user.ID, mail.T("The e-mail address of a member of your team"), about...)...)
}

// finished is what is recorded when a sign-up is finished: that its address is the user's.
func (s *Service) finished(p Link, act audit.Act) audit.Record {
	if !p.changesEmail() {
		return act.Record(0, audit.ActionVerify, "", "")
	}
	subject := mail.T("Your e-mail address was changed")
	text := mail.T("You sign in to Florin as {{.New}} from now on, and no longer as {{.Old}}. Every session was ended.",
		"New", p.User.Email, "Old", p.Before)
	mails := s.emailMails(act, p.User, p.Before, subject, text,
		mail.T("If this was not you, ask the operator of this Florin at once."))
	mails = append(mails, s.opts.Mail.To(act.At, p.User.Email, subject, text)...)
	return act.Record(p.User.ID, audit.ActionEmail, p.User.Email,
		mail.T("before: {{.Before}}", "Before", p.Before).Kept(), mails...)
}
