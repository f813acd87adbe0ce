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
	err = s.addSignUp(ctx, user, EmailChangeTTL, func(token secret.Text) (subject, text string) {
		if known {
			return "You have an account already", "Another user of Florin asked to sign in with this address, which has an " +
				"account of its own. Nothing was changed.\n\nTo use it there, change the address of this account first."
		}
		return "Your new e-mail address", "You asked Florin to sign you in with this address from now on.\n\n" +
			"Open this link within two days, and type your password:\n" + s.link("/verify?token=", token) + "\n\n" +
			"On a locked account it works after 24 hours. If it was not you, do nothing."
	})
	if err != nil {
		return err
	}
	return s.record(ctx, act.Record(user.ID, audit.ActionEmailAsked, email, "",
		s.emailMails(act, user.ID, act.Who,
			"Your e-mail address is about to change",
			"Florin was asked to sign you in as "+email+" instead of "+act.Who+
				". That is done when the link in the mail to the new address is opened.\n\n"+
				"If this was not you, set a new password now, which ends that and every session:\n"+s.forgot())...))
}

// emailMails are those of a change of the address of a user: to the one before, and to the owners of their teams.
func (s *Service) emailMails(act audit.Act, user int64, before, subject, text string) []mail.Mail {
	return append(s.opts.Mail.To(act.At, before, subject, text), s.opts.Mail.About(act.At, user,
		"The e-mail address of a member of your team", "This was sent to "+before+
			", who belongs to your Florin merchant account:\n\n“"+text+"”\n\nIf they know nothing of it, remove them.")...)
}

// finished is what is recorded when a sign-up is finished: that its address is the user's.
func (s *Service) finished(p Link, act audit.Act) audit.Record {
	if !p.changesEmail() {
		return act.Record(0, audit.ActionVerify, "", "")
	}
	const subject = "Your e-mail address was changed"
	text := "You sign in to Florin as " + p.User.Email + " from now on, and no longer as " + p.Before +
		". Every session was ended."
	mails := s.emailMails(act, p.User.ID, p.Before, subject, text+
		"\n\nIf this was not you, ask the operator of this Florin at once.")
	mails = append(mails, s.opts.Mail.To(act.At, p.User.Email, subject, text)...)
	return act.Record(p.User.ID, audit.ActionEmail, p.User.Email, "before: "+p.Before, mails...)
}
