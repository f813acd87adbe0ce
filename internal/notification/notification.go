// Package notification mails users and owners about changes to their accounts.
//
// Mails are sent in the background: how long one takes would reveal whether an
// account exists. A mail that cannot be sent is logged and not tried again.
package notification

import (
	"context"
	"log/slog"
	"time"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
)

// sendTimeout bounds how long sending a mail may take.
const sendTimeout = 30 * time.Second

// Options are what a mailer needs.
type Options struct {
	Users     *identity.Service
	Merchants *merchant.Service
	// Send sends a plain text; nil sends no mail.
	Send func(ctx context.Context, to, subject, text string) error
	// Home is the address of the dashboard.
	Home string
	Log  *slog.Logger
}

// Mailer sends mails. A nil Mailer sends none.
type Mailer struct{ o Options }

// New returns a mailer.
func New(o Options) *Mailer { return &Mailer{o} }

// Enabled reports whether mails are sent.
func (m *Mailer) Enabled() bool { return m != nil && m.o.Send != nil }

// Send sends a plain text. It does not end with ctx, since no response waits for
// the mail.
func (m *Mailer) Send(ctx context.Context, to, subject, text string) {
	if !m.Enabled() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTimeout)
	go func() {
		defer cancel()
		if err := m.o.Send(ctx, to, subject, text); err != nil {
			m.o.Log.WarnContext(ctx, "mail not sent", "subject", subject, "error", err)
		}
	}()
}

// SendOwners sends a mail to every owner of a merchant account.
func (m *Mailer) SendOwners(ctx context.Context, merchantID int64, subject, text string) {
	if !m.Enabled() {
		return
	}
	members, err := m.o.Merchants.Members(ctx, identity.User{ID: merchantID})
	if err != nil {
		m.o.Log.ErrorContext(ctx, "owners not notified", "subject", subject, "error", err)
	}
	for _, x := range members {
		if x.Role == merchant.RoleOwner {
			m.Send(ctx, x.User.Email, subject,
				text+"\n\nIf this was not meant, sign in at once and correct it:\n"+m.o.Home)
		}
	}
}

// SignInGuessed notifies the user whose sign-in was refused after too many
// failures, if the credentials name one. The lookup runs in the background, too.
func (m *Mailer) SignInGuessed(ctx context.Context, c identity.Credentials) {
	if !m.Enabled() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTimeout)
	go func() {
		defer cancel()
		user, due, err := m.o.Users.Guessed(ctx, c)
		if err != nil {
			m.o.Log.ErrorContext(ctx, "user not notified of guesses", "error", err)
		}
		if due {
			m.Send(ctx, user.Email, "Somebody is guessing at your sign-in", guessedText+m.o.Home+
				"/security\n\nThis mail is sent at most once in 24 hours.")
		}
	}()
}

const guessedText = "Signing in to Florin as you failed too often within a short time, so further tries are slowed. " +
	"The browsers you signed in from before go on as ever.\n\n" +
	"If it was you, wait a little and try again. If it was not you, nothing was opened so far; " +
	"a password you use nowhere else, a second factor or a passkey keeps it so:\n"
