package app

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/mail/smtp"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/notification"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/webhook"
	"github.com/florinpay/florin/web"
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
		Users: a.Users, Merchants: a.Merchants, Hook: a.operatorHook(), Chat: a.chat(), Now: a.clock.Now, Log: log,
		Customer: func(ctx context.Context, m mail.Mail) (mail.Mail, bool, error) { return a.server.Letter(ctx, m) },
		Write:    web.Written,
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
		server.HTML = web.LetterHTML
		sender.Server = server.Send
	case o.SandboxMail != nil:
		sender.Server = func(_ context.Context, m mail.Mail) error {
			o.SandboxMail(m)
			return nil
		}
	}
	return webhook.NewDeliverer(webhook.Config{
		Store: a.Store.Mails(), Send: sender.Send, Holder: holder, Now: a.clock.Now, Jitter: rand.Float64, Log: log,
		Turned: a.loops.watch("mails", deliverBound),
	}), nil
}

// summaries is the loop that mails what was sold the day before, once the day has ended.
func (a *App) summaries() loop {
	var done time.Time // the midnight after the last day that this instance has looked at
	turn := func(ctx context.Context) error {
		now := a.clock.Now()
		midnight := now.UTC().Truncate(24 * time.Hour)
		if done.Equal(midnight) {
			return nil
		}
		err := a.Store.Summarize(ctx, a.holder, midnight, now, func(d merchant.Daily) mail.Mail {
			return d.Summary(midnight, a.Config.BaseURL)
		})
		if err == nil {
			done = midnight
		}
		return err
	}
	return loop{name: "summaries", every: pruneEvery, turn: turn, failed: "summaries of the day wait"}
}

// chat returns what posts to the chats of merchants, whose addresses are checked as those of callbacks are.
func (a *App) chat() func(context.Context, mail.Mail) webhook.Result {
	sender := a.sender()
	return func(ctx context.Context, m mail.Mail) webhook.Result {
		url, body, _ := strings.Cut(m.Text.Reveal(), "\n")
		return sender.Send(ctx, webhook.Delivery{EventID: m.ID, URL: url, Body: []byte(body)})
	}
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
