package merchant_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/notification"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/webhook"
)

// postbox is a mail server: it keeps what it takes, and takes nothing while it
// is down.
type postbox struct {
	mu    sync.Mutex
	down  bool
	mails []string
}

var errDown = errors.New("mail server is down")

func (p *postbox) take(_ context.Context, m mail.Mail) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down {
		return errDown
	}
	p.mails = append(p.mails, m.To+"\n"+m.Subject+"\n"+m.Text.Reveal())
	return nil
}

// lowWorld is a key with credits, a mail server, and a clock.
type lowWorld struct {
	*world
	key    merchant.Key
	post   postbox
	posts  []string // to the chat
	server func(context.Context, mail.Mail) error
	now    time.Time
	refs   int
}

func newLowWorld(t *testing.T, w *world, credits int64) *lowWorld {
	t.Helper()
	w = newWorld(t, w.Store, w.URL)
	l := &lowWorld{world: w, key: w.NewKey(credits, 0), now: storetest.Start}
	l.server = l.post.take
	return l
}

func (w *lowWorld) spend(n int64) {
	w.T.Helper()
	for range n {
		w.refs++
		w.MustDo(w.Post(w.key.ID, []ledger.Entry{
			ledger.Spend(
				w.key.ID, ledger.Credit, ledger.ReasonOperation, fmt.Sprint("spend", w.key.ID, "-", w.refs), w.now,
			),
		}))
	}
}

func (w *lowWorld) buy(n int64) {
	w.T.Helper()
	w.refs++
	w.MustDo(w.Post(w.key.ID, []ledger.Entry{
		ledger.Grant(w.key.ID, ledger.Credit, n, ledger.ReasonTopUp, fmt.Sprint("buy", w.key.ID, "-", w.refs), w.now),
	}))
}

func (w *lowWorld) clock() time.Time { return w.now }

// sender sends mails, as a program that has just started would.
func (w *lowWorld) sender() *notification.Sender {
	return &notification.Sender{
		Store: notification.Store{Mail: w.Mails().Mail, Add: w.Mails().Add, Allowed: w.Mails().Allowed},
		Merchants: merchant.New(w.Merchant(), nil, w.clock,
			merchant.Options{Mail: &mail.Writer{BaseURL: "https://pay.example"}}),
		Server: w.server, Chat: w.chat, Customer: customer, Now: w.clock, Log: slog.New(slog.DiscardHandler),
	}
}

// send sends what is due, and what becomes due by that.
func (w *lowWorld) send() {
	w.T.Helper()
	outbox := webhook.NewDeliverer(webhook.Config{
		Store: w.Mails(), Holder: "one", Now: w.clock, Jitter: func() float64 { return 0 },
		Send: w.sender().Send, Log: slog.New(slog.DiscardHandler),
	})
	for n := 1; n > 0; {
		var err error
		n, err = outbox.RunOnce(w.T.Context())
		w.Must(err)
	}
}

// mailed fails unless so many mails were sent up to now.
func (w *lowWorld) mailed(name string, want int) {
	w.T.Helper()
	w.send()
	if len(w.post.mails) != want {
		w.T.Fatalf("%s: %d mails, not %d:\n%s", name, len(w.post.mails), want, strings.Join(w.post.mails, "\n---\n"))
	}
}

func TestStore_LowCredit(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		t.Run("OnceACrossing", func(t *testing.T) {
			l := newLowWorld(t, w, ledger.Low+2)
			l.spend(1)
			l.mailed("above the mark", 0)
			l.spend(1)
			l.mailed("at the mark", 1)
			for _, part := range []string{
				l.key.Email, "5 credits left", "“shop”",
				"https://pay.example/dashboard/credits?key=" + l.key.PublicID,
			} {
				if !strings.Contains(l.post.mails[0], part) {
					t.Errorf("the mail lacks %q:\n%s", part, l.post.mails[0])
				}
			}
			l.now = l.now.Add(time.Hour)
			l.spend(ledger.Low)
			l.mailed("each payment below the mark", 1)
			l.buy(3)
			l.spend(3)
			l.mailed("few were bought", 1)
			l.buy(20)
			l.spend(20 - ledger.Low)
			l.mailed("bought, and low again", 2)
		})
		t.Run("InOneChange", func(t *testing.T) {
			l := newLowWorld(t, w, ledger.Low+1)
			p := w.NewStarted(l.key)
			if p.Status != payment.Started {
				t.Fatal(p.Status)
			}
			l.mailed("a started payment", 1)
		})
		t.Run("BoughtInTime", func(t *testing.T) {
			l := newLowWorld(t, w, ledger.Low+1)
			l.spend(1)
			l.buy(20)
			l.mailed("bought before the mail went", 0)
		})
		t.Run("ServerDown", func(t *testing.T) {
			l := newLowWorld(t, w, ledger.Low+1)
			l.spend(2)
			l.post.down = true
			l.mailed("down", 0)
			l.post.down = false
			l.mailed("before the pause is over", 0)
			l.now = l.now.Add(time.Hour)
			l.mailed("up again", 1)
		})
		t.Run("NoServer", func(t *testing.T) {
			l := newLowWorld(t, w, ledger.Low+1)
			l.spend(1)
			l.server = nil
			l.send()
			l.server = l.post.take
			l.mailed("a server came later", 0)
		})
		t.Run("Revoked", func(t *testing.T) {
			l := newLowWorld(t, w, ledger.Low+1)
			l.spend(1)
			w.Must(w.RevokeKey(t.Context(), l.key.UserID, l.key.ID, storetest.Start, audit.Record{}))
			l.mailed("a revoked key", 0)
		})
	})
}

// TestStore_LowCredit_Crashed: an instance that ends after it made the mail of the owners and before it stored that, or
// before anything, leaves one mail.
func TestStore_LowCredit_Crashed(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		l := newLowWorld(t, w, ledger.Low+1)
		l.spend(1)
		list, err := webhook.ClaimDue(t.Context(), w.Mails(), "dead", l.now, l.now.Add(webhook.Lease), 9, 9)
		w.Must(err)
		if len(list) != 1 {
			t.Fatalf("claimed %+v", list)
		}
		storetest.Same(t, "status", l.sender().Send(t.Context(), list[0]).Attempt.Status, 250)
		storetest.Same(t, "mails to the owner", w.Count("SELECT count(*) FROM mails WHERE kind = 'PLAIN'"), 1)
		l.now = l.now.Add(webhook.Lease)
		l.mailed("the lease has run out", 1)
		storetest.Same(t, "mails that wait", w.Count("SELECT count(*) FROM mails WHERE state = 'WAITING'"), 0)
	})
}

// TestLowBalance_Unreadable: mails about keys that cannot be read hold up no other, and are given up in the end.
func TestLowBalance_Unreadable(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		l := newLowWorld(t, w, 0)
		const broken = 25
		for range broken {
			k := w.NewKey(0, 0)
			w.Must(w.RecordSales(t.Context(), mail.Refused, k.ID, l.now.Add(-time.Hour)))
			w.MustDo(w.SQL().Exec("UPDATE api_keys SET permissions = 'torn' WHERE id = $1", k.ID))
		}
		w.Must(w.RecordSales(t.Context(), mail.Refused, l.key.ID, l.now))
		l.mailed("of the key that can be read", 1)
		for range webhook.MaxAttempts {
			l.now = l.now.Add(25 * time.Hour)
			l.send()
		}
		storetest.Same(t, "mails given up", w.Count("SELECT count(*) FROM mails WHERE state = 'FAILED'"), broken)
		l.mailed("in the end", 1)
	})
}
