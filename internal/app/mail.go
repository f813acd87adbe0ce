package app

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/mail/smtp"
	"github.com/florinpay/florin/internal/notification"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/webhook"
)

// Writer returns what makes mails about accounts; nil where none is sent.
func Writer(cfg config.Config) *mail.Writer {
	if cfg.SMTPURL.Empty() {
		return nil
	}
	return &mail.Writer{BaseURL: cfg.BaseURL, NewID: func() string { return newULID(Now()) }}
}

// newOutbox returns the loop that sends mails and posts to the operator's webhook.
func (a *App) newOutbox(o Options, holder string) (*webhook.Deliverer, error) {
	log := a.log.With("outbox", "mails")
	sender := &notification.Sender{
		Store: notification.Store{
			Mail: a.Store.Mails().Mail, Add: a.Store.Mails().Add, Allowed: a.Store.Mails().Allowed,
		},
		Users: a.Users, Merchants: a.Merchants, Hook: a.operatorHook(), Now: a.clock.Now, Log: log,
	}
	a.send = func(ctx context.Context, m mail.Mail) error {
		if m.Kind == mail.Hook {
			const success = 2 // the first digit
			r := sender.Hook(ctx, m)
			if r.Attempt.Status/100 != success {
				return fmt.Errorf("the operator's webhook answers %d %s", r.Attempt.Status, r.Attempt.Error)
			}
			return nil
		}
		return sender.Server(ctx, m)
	}
	switch {
	case !a.Config.SMTPURL.Empty():
		server, err := smtp.New(a.Config.SMTPURL, a.Config.MailFrom)
		if err != nil {
			return nil, err
		}
		sender.Server = server.Send
	case o.Sandbox != nil: // mails hold secrets, so only the sandbox logs them
		sender.Server = func(_ context.Context, m mail.Mail) error {
			a.log.Warn("a mail, shown here because no mail server is set", "to", m.To, "subject", m.Subject,
				"text", m.Text.Reveal())
			return nil
		}
	}
	return webhook.NewDeliverer(webhook.Config{
		Store: a.Store.Mails(), Sender: sender, Holder: holder, Now: a.clock.Now, Jitter: rand.Float64, Log: log,
		Turned: a.loops.watch("mails", deliverBound),
	}), nil
}

// operatorHook returns what posts to the operator's webhook. The address is the operator's own, so it may be private.
func (a *App) operatorHook() func(context.Context, mail.Mail) webhook.Result {
	sender := webhook.NewSender(webhook.Options{AllowPrivate: true, Now: a.clock.Now})
	var keys []secret.Text
	if !a.Config.OperatorHookKey.Empty() {
		keys = []secret.Text{a.Config.OperatorHookKey}
	}
	return func(ctx context.Context, m mail.Mail) webhook.Result {
		return sender.Send(ctx, webhook.Delivery{
			EventID: m.ID, URL: a.Config.OperatorHook.Reveal(), Body: []byte(m.Text.Reveal()), SigningSecrets: keys,
		})
	}
}
