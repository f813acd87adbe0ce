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
	"github.com/florinpay/florin/internal/secret"
)

// sendTimeout bounds how long sending a mail may take.
const sendTimeout = 30 * time.Second

// Options are what a mailer needs.
type Options struct {
	Users     *identity.Service
	Merchants *merchant.Service
	// Send sends a plain text; nil sends no mail.
	Send func(ctx context.Context, to, subject, text string) error
	// BaseURL is the public address, Home that of the dashboard.
	BaseURL, Home string
	Log           *slog.Logger
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

// SendAsked is Send for a mail that a stranger can have sent, such as a link to a
// new password. An address gets few of them an hour (identity.Service.MailAllowed);
// others are not sent.
func (m *Mailer) SendAsked(ctx context.Context, to, subject, text string) {
	if !m.Enabled() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTimeout)
	go func() {
		defer cancel()
		switch ok, err := m.o.Users.MailAllowed(ctx, to); {
		case err != nil:
			m.o.Log.ErrorContext(ctx, "mail not sent", "subject", subject, "error", err)
		case !ok:
			m.o.Log.WarnContext(ctx, "mail not sent: its recipient got too many in the last hour", "subject", subject)
		default:
			m.Send(ctx, to, subject, text)
		}
	}()
}

// SignUp mails the link that finishes a sign-up. known: the address has an account,
// whose owner is notified instead.
func (m *Mailer) SignUp(ctx context.Context, email string, token secret.Text, known bool) {
	if known {
		m.SendAsked(ctx, email, "You have an account already",
			"A sign-up for Florin used this address, which already has an account.\n\n"+
				"Sign in, or set a new password if you have forgotten yours:\n"+m.o.BaseURL+"/signin\n"+m.o.BaseURL+"/forgot\n\n"+
				"If it was not you, you do not need to do anything.")
		return
	}
	m.SendAsked(ctx, email, "Finish signing up", "A sign-up for Florin used this address.\n\n"+
		"Open this link within 24 hours, and type the password you chose:\n"+m.o.BaseURL+"/verify?token="+token.Reveal()+"\n\n"+
		"If it was not you, do nothing: without the link there is no account.")
}

// Verification mails the link that verifies the address of a user.
func (m *Mailer) Verification(ctx context.Context, email string, token secret.Text) {
	m.SendAsked(ctx, email, "Verify your e-mail address", "Open this link within 24 hours, and type your password for Florin:\n"+
		m.o.BaseURL+"/verify?token="+token.Reveal()+"\n\n"+
		"If you did not make an account in Florin, another person made one with your address. Do not open the link. Take the account over here:\n"+
		m.o.BaseURL+"/forgot")
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
			m.SendAsked(ctx, user.Email, "Failed attempts to sign in to your account", guessedText+m.o.Home+
				"/security\n\nThis mail is sent at most once in 24 hours.")
		}
	}()
}

const guessedText = "There were too many failed attempts to sign in to your Florin account, so further attempts are " +
	"slowed down. The browsers you have signed in from before still work.\n\n" +
	"If it was you, wait a little and try again. If it was not you, no one has signed in so far. " +
	"Use a password that you use nowhere else, and a second factor or a passkey:\n"
