package web

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/notification"
	"github.com/florinpay/florin/internal/webhook"
)

// mailbox is a mail server that keeps what it takes, and the outbox whose mails it is given.
type mailbox struct {
	t      *testing.T
	outbox *webhook.Deliverer

	mu    sync.Mutex
	texts []string
	down  bool // it takes nothing
}

func newWriter(baseURL string) *mail.Writer { return &mail.Writer{BaseURL: baseURL, NewID: rand.Text} }

// newMailbox returns a mail server of the bundle. Its outbox sends what is due whenever the mailbox is read.
func (b *bundle) newMailbox() *mailbox {
	m := &mailbox{t: b.t}
	m.outbox = b.newOutbox(m)
	return m
}

// newOutbox returns the outbox of one more instance.
func (b *bundle) newOutbox(m *mailbox) *webhook.Deliverer {
	log := slog.New(slog.DiscardHandler)
	outbox := b.store.Mails()
	return webhook.NewDeliverer(webhook.Config{
		Store: outbox, Holder: rand.Text(), Now: b.clock.Now, Jitter: func() float64 { return 0 }, Log: log,
		Send: (&notification.Sender{
			Store: notification.Store{Mail: outbox.Mail, Allowed: outbox.Allowed, Add: outbox.Add},
			Users: b.accounts.users, Merchants: b.accounts.merchants, Server: m.take, Write: Written,
			Now: b.clock.Now, Log: log,
		}).Send,
	})
}

func (m *mailbox) take(_ context.Context, x mail.Mail) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down {
		return errors.New("the mail server is down")
	}
	m.texts = append(m.texts, x.To+"\n"+x.Subject+"\n"+x.Text.Reveal())
	return nil
}

func (m *mailbox) stop(down bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = down
}

// all sends what is due and returns what was taken up to now.
func (m *mailbox) all() []string {
	m.t.Helper()
	sendDue(m.t, m.outbox)
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.texts)
}

// sendDue sends what is due, and what becomes due by that.
func sendDue(t *testing.T, outbox *webhook.Deliverer) {
	t.Helper()
	for n := 1; n > 0; {
		var err error
		n, err = outbox.RunOnce(t.Context())
		must(t, err)
	}
}
