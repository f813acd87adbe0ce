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
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/storetest"

	"github.com/florinpay/florin/internal/payment"
)

// postbox is a mail server: it keeps what it takes, and takes nothing while it
// is down.
type postbox struct {
	mu    sync.Mutex
	down  bool
	mails []string
}

var errDown = errors.New("mail server is down")

func (p *postbox) send(_ context.Context, to, subject, text string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down {
		return errDown
	}
	p.mails = append(p.mails, to+"\n"+subject+"\n"+text)
	return nil
}

// lowWorld is a key with credits, a mail server, and a clock.
type lowWorld struct {
	*world
	key  merchant.Key
	post postbox
	now  time.Time
	refs int
}

func newLowWorld(t *testing.T, w *world, credits int64) *lowWorld {
	t.Helper()
	w = newWorld(t, w.Store, w.URL)
	return &lowWorld{world: w, key: w.NewKey(credits, 0), now: storetest.Start}
}

func (w *lowWorld) spend(n int64) {
	w.T.Helper()
	for range n {
		w.refs++
		_, err := w.Post(w.key.ID, []ledger.Entry{
			ledger.Spend(
				w.key.ID, ledger.Credit, ledger.ReasonOperation, fmt.Sprint("spend", w.key.ID, "-", w.refs), w.now,
			),
		})
		w.Must(err)
	}
}

func (w *lowWorld) buy(n int64) {
	w.T.Helper()
	w.refs++
	_, err := w.Post(w.key.ID, []ledger.Entry{
		ledger.Grant(w.key.ID, ledger.Credit, n, ledger.ReasonTopUp, fmt.Sprint("buy", w.key.ID, "-", w.refs), w.now),
	})
	w.Must(err)
}

// round runs the loop once, as a program that has just started would.
func (w *lowWorld) round() {
	w.T.Helper()
	w.Must(merchant.NewLowBalanceMailer(w.Merchant(), w.post.send, "https://pay.example", func() time.Time { return w.now },
		slog.New(slog.DiscardHandler)).RunOnce(w.T.Context()))
}

// mailed fails unless so many mails were sent up to now.
func (w *lowWorld) mailed(name string, want int) {
	w.T.Helper()
	w.round()
	w.round()
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
			w.Must(merchant.NewLowBalanceMailer(w.Merchant(), nil, "", func() time.Time { return l.now },
				slog.New(slog.DiscardHandler)).RunOnce(t.Context()))
			l.mailed("a server came later", 0)
		})
		t.Run("Crashed", func(t *testing.T) {
			l := newLowWorld(t, w, ledger.Low+1)
			l.spend(1)
			taken, err := w.TakeLow(t.Context(), l.now, 1)
			w.Must(err)
			if len(taken) != 1 || taken[0].Key.ID != l.key.ID || taken[0].Left != ledger.Low {
				t.Fatalf("took %+v", taken)
			}
			l.mailed("a mail that may have gone", 0)
			l.buy(20)
			l.spend(20)
			w.Must(w.EndLow(t.Context(), taken[0], merchant.AlertSent, l.now)) // of the crossing before
			l.mailed("the next crossing", 1)
		})
		t.Run("Revoked", func(t *testing.T) {
			l := newLowWorld(t, w, ledger.Low+1)
			l.spend(1)
			w.Must(w.RevokeKey(t.Context(), l.key.UserID, l.key.ID, storetest.Start, audit.Record{}))
			l.mailed("a revoked key", 0)
		})
	})
}

// However many instances look at once, a notice is taken by one.
func TestStore_LowCredit_Together(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		l := newLowWorld(t, w, ledger.Low+1)
		l.spend(1)
		var mu sync.Mutex
		took := 0
		for _, err := range storetest.AtOnce(8, func(int) error {
			list, err := w.TakeLow(t.Context(), l.now, 9)
			mu.Lock()
			defer mu.Unlock()
			took += len(list)
			return err
		}) {
			w.Must(err)
		}
		if took != 1 {
			t.Errorf("taken %d times", took)
		}
	})
}

// TestLowBalance_Unreadable: alerts of keys that cannot be read hold up no other, and are given up in the end.
func TestLowBalance_Unreadable(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		l := newLowWorld(t, w, 0)
		for range 25 { // more than one round takes
			broken := w.NewKey(0, 0)
			w.Must(w.RecordRefused(t.Context(), broken.ID, l.now.Add(-time.Hour)))
			_, err := w.SQL().Exec("UPDATE api_keys SET permissions = 'torn' WHERE id = $1", broken.ID)
			w.Must(err)
		}
		w.Must(w.RecordRefused(t.Context(), l.key.ID, l.now))
		l.mailed("of the key that can be read", 1)
		left := -1
		for range 20 {
			l.now = l.now.Add(12 * time.Hour)
			l.round()
			l.round()
		}
		w.Must(w.SQL().QueryRow("SELECT count(*) FROM low_credit WHERE state <> 'FAILED' AND key_id <> $1", l.key.ID).Scan(&left))
		storetest.Same(t, "alerts not given up", left, 0)
		l.mailed("in the end", 1)
	})
}
