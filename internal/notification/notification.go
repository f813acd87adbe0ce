// Package notification sends the mails of the outbox, and posts to the operator's webhook.
//
// Its one invariant: what a mail still needs is decided from what is stored, the same in every attempt, so an attempt
// that a crash cut off is made again and not lost.
package notification

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/webhook"
)

// Store is what the sender needs of the outbox of mails.
type Store struct {
	Mail func(ctx context.Context, id int64) (mail.Mail, error)
	// Allowed reports whether a mail of kind Asked may be sent.
	Allowed func(ctx context.Context, id int64) (bool, error)
	Add     func(ctx context.Context, mails ...mail.Mail) error
}

// Sender makes single attempts to send mails, for the loop that delivers webhooks.
type Sender struct {
	Store     Store
	Users     *identity.Service
	Merchants *merchant.Service
	// Customer writes a mail to who pays; false: there is nothing to say any more.
	Customer func(ctx context.Context, m mail.Mail) (mail.Mail, bool, error)
	// Write writes a mail to a merchant in a language; nil: all are in English.
	Write func(m mail.Mail, lang string) mail.Mail
	// Server passes a mail to the mail server; nil: no mail is sent.
	Server func(ctx context.Context, m mail.Mail) error
	// Chat posts to the webhook of a merchant's chat.
	Chat func(ctx context.Context, m mail.Mail) webhook.Result
	// Hook posts to the operator's webhook.
	Hook func(ctx context.Context, m mail.Mail) webhook.Result
	Now  func() time.Time
	Log  *slog.Logger
}

// accepted is the reply of a mail server that has taken a mail (RFC 5321).
const accepted = 250

// Send makes one attempt. Its result is that of a webhook: without an address the mail is not to be sent.
func (s *Sender) Send(ctx context.Context, d webhook.Delivery) webhook.Result {
	ctx, cancel := context.WithTimeout(ctx, webhook.AttemptTimeout)
	defer cancel()
	a := webhook.Attempt{At: s.Now(), URL: "mailto:"}
	m, err := s.Store.Mail(ctx, d.ID)
	if err == nil && m.Kind == mail.Hook {
		return s.Hook(ctx, m)
	}
	if err == nil && m.Kind == mail.Chat {
		return s.Chat(ctx, m)
	}
	due := s.Server != nil || m.Key != 0 // news of a key may go to a chat
	if due && err == nil {
		due, err = s.send(ctx, d.ID, m)
	}
	a.Latency = max(s.Now().Sub(a.At), 0)
	switch {
	case err != nil:
		a.Error = err.Error()
		s.Log.Warn("a mail was not sent; it is tried again", "mail", d.EventID, "subject", m.Subject,
			"attempt", d.Attempt+1, "error", err)
	case due:
		a.Status = accepted
	default:
		a.URL = ""
	}
	return webhook.Result{Attempt: a}
}

// send does what is left to do for the kind of mail. It returns false for one that is not to be sent.
func (s *Sender) send(ctx context.Context, id int64, m mail.Mail) (bool, error) {
	switch m.Kind {
	case mail.Asked:
		if ok, err := s.Store.Allowed(ctx, id); err != nil || !ok {
			return false, err
		}
	case mail.Reset:
		ok, err := s.Store.Allowed(ctx, id)
		if err == nil && ok {
			m, ok, err = s.Users.ResetMail(ctx, m)
		}
		if err != nil || !ok {
			return false, err
		}
	case mail.Guessed:
		if due, err := s.Users.NoteGuesses(ctx, m.To, m.At); err != nil || !due {
			return false, err
		}
	case mail.Customer:
		var ok bool
		var err error
		if m, ok, err = s.Customer(ctx, m); err != nil || !ok {
			return false, err
		}
	case mail.Low, mail.Refused, mail.Crowded, mail.Completed, mail.Paid, mail.Attention:
		to, ok, err := s.Merchants.CreditMail(ctx, m)
		if err != nil || !ok {
			return false, err
		}
		return true, s.Store.Add(ctx, to)
	case mail.Plain, mail.Hook, mail.Chat:
	}
	m, err := s.written(ctx, m)
	if err != nil {
		return false, err
	}
	return true, s.Server(ctx, m)
}

// written is the mail in the language of the user with its address, or in the one it was made for if there is none.
func (s *Sender) written(ctx context.Context, m mail.Mail) (mail.Mail, error) {
	if m.Letter == nil || s.Write == nil {
		return m, nil
	}
	user, err := s.Users.UserByEmail(ctx, m.To)
	if err != nil && !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.Invalid) {
		return m, err
	}
	return s.Write(m, cmp.Or(user.Language, m.Letter.Lang)), nil
}
