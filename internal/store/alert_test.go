package store_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/notification"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/webhook"
)

// installation is a database, a clock, and a way to the operator that can be down.
type installation struct {
	*storetest.World

	mu   sync.Mutex
	now  time.Time
	down bool
	sent []string
	ids  atomic.Int64
}

// onEach runs the test on each kind of database.
func onEachInstallation(t *testing.T, test func(t *testing.T, i *installation)) {
	t.Helper()
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, w *storetest.World) {
		t.Helper()
		test(t, &installation{World: w, now: storetest.Start})
	})
}

var errDown = errors.New("the mail server is down")

func (i *installation) clock() time.Time {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.now
}

func (i *installation) pass(d time.Duration) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.now = i.now.Add(d)
}

// take is the mail server.
func (i *installation) take(_ context.Context, m mail.Mail) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.down {
		return errDown
	}
	i.sent = append(i.sent, m.To+": "+m.Subject)
	return nil
}

// sendDue sends what is due, and what becomes due by that.
func (i *installation) sendDue() {
	i.T.Helper()
	log := slog.New(slog.DiscardHandler)
	outbox := webhook.NewDeliverer(webhook.Config{
		Store: i.Mails(), Holder: "one", Now: i.clock, Jitter: func() float64 { return 0.5 }, Log: log,
		Send: (&notification.Sender{
			Store: notification.Store{Mail: i.Mails().Mail}, Server: i.take, Now: i.clock, Log: log,
		}).Send,
	})
	for n := 1; n > 0; {
		var err error
		n, err = outbox.RunOnce(i.T.Context())
		i.Must(err)
	}
}

// instance returns a monitor as a program that has just started has it.
func (i *installation) instance(holder string, more func(*alert.MonitorOptions)) *alert.Monitor {
	o := alert.MonitorOptions{
		Works: i.Works,
		Store: i.Store.Alerts(), Channels: alert.Channels{Mail: []string{"ops@example.com"}}, Holder: holder,
		Now:   i.clock,
		NewID: func() string { return fmt.Sprint("ntc_", i.ids.Add(1)) }, Log: slog.New(slog.DiscardHandler),
		Observe: alert.Sources{
			Network: func(n chain.Network) (payment.OfferedNetwork, bool) {
				return payment.OfferedNetwork{Profile: chain.Profiles()[1]}, n == chain.Polygon
			},
			Health: func(chain.Network) payment.Health { return payment.Health{OK: true} },
			Stored: func(ctx context.Context, now time.Time) (alert.Stored, error) {
				s, err := i.Reports().Alerts(ctx, now, money.USD/20)
				s.OwnBackups = false
				return s, err
			},
		}.Observe,
	}
	if more != nil {
		more(&o)
	}
	return alert.NewMonitor(o)
}

// round lets an instance judge and send.
func (i *installation) round(m *alert.Monitor) {
	i.T.Helper()
	i.Must(m.RunOnce(i.T.Context()))
	i.sendDue()
}

func (i *installation) wants(name string, want ...string) {
	i.T.Helper()
	if got := strings.Join(i.sent, ", "); got != strings.Join(want, ", ") {
		i.T.Fatalf("%s: sent %q, want %q", name, got, strings.Join(want, ", "))
	}
}

// exec changes the database as no method of the store does.
func (i *installation) exec(text string, args ...any) {
	i.T.Helper()
	i.MustDo(i.SQL().Exec(text, args...))
}

// What the operator is mailed.
const (
	begins = "ops@example.com: [Florin] The ledger of credits does not agree with itself"
	over   = "ops@example.com: [Florin] Over: The ledger of credits does not agree with itself"
)

// breakLedger makes the last check of the ledger find a difference; mend makes it find none.
func (i *installation) breakLedger(differences ...string) {
	i.T.Helper()
	i.MustDo(i.AskLedgerCheck(i.T.Context(), "ops@example.com", i.clock(), i.clock(), audit.Record{}))
	i.Must(i.EndLedgerCheck(i.T.Context(), ledger.Check{
		AskedAt: i.clock(), EndedAt: i.clock(), Found: int64(len(differences)), Differences: differences,
	}))
}

// TestMonitor_Once: however many instances there are, and however often they are started again, the operator is
// notified once when it begins and once when it is over.
func TestMonitor_Once(t *testing.T) {
	onEachInstallation(t, func(t *testing.T, i *installation) {
		i.breakLedger("all accounts add up to 7")
		one, two := i.instance("one", nil), i.instance("two", nil)
		for range 3 {
			i.round(one)
			i.round(two)
			i.pass(time.Minute)
		}
		i.wants("two instances", begins)
		for range 3 {
			i.pass(2 * time.Minute)
			i.round(i.instance("again", nil))
		}
		i.wants("started again", begins)
		if list := two.Current(); len(list) != 1 || list[0].Kind != alert.LedgerDifference {
			t.Errorf("an instance without the lease shows %+v", list)
		}
		i.pass(time.Minute)
		i.breakLedger()
		for range 12 {
			i.pass(time.Minute)
			i.round(one)
			i.round(two)
		}
		i.wants("when it is over", begins, over)
		if len(one.Current())+len(two.Current()) > 0 {
			t.Errorf("it is over, and shown: %+v %+v", one.Current(), two.Current())
		}
	})
}

// TestMonitor_AtOnce: instances that judge at the same moment make one notice.
func TestMonitor_AtOnce(t *testing.T) {
	onEachInstallation(t, func(t *testing.T, i *installation) {
		i.breakLedger("all accounts add up to 7")
		for _, err := range storetest.AtOnce(6, func(n int) error {
			return i.instance(fmt.Sprint("instance ", n), nil).RunOnce(t.Context())
		}) {
			i.Must(err)
		}
		i.round(i.instance("instance 0", nil))
		i.wants("six at once", begins)
	})
}

// TestMonitor_Paused: an instance that was stopped between judging and storing, and has lost its lease meanwhile,
// changes nothing.
func TestMonitor_Paused(t *testing.T) {
	onEachInstallation(t, func(t *testing.T, i *installation) {
		i.breakLedger("all accounts add up to 7")
		other := i.instance("other", nil)
		paused := i.instance("paused", func(o *alert.MonitorOptions) {
			judge := o.Observe
			o.Observe = func(ctx context.Context, now time.Time) (alert.Observation, error) {
				seen, err := judge(ctx, now)
				i.pass(10 * time.Minute) // SIGSTOP
				i.breakLedger()
				return seen, errors.Join(err, other.RunOnce(ctx))
			}
		})
		i.Must(paused.RunOnce(t.Context()))
		i.sendDue()
		i.wants("what was true before the pause")
	})
}

// TestMonitor_Stopped: an instance that stops gives its lease back.
func TestMonitor_Stopped(t *testing.T) {
	onEachInstallation(t, func(t *testing.T, i *installation) {
		led := func() bool { // by another's try to judge
			lease := alert.Lease{Holder: "two", Now: i.clock(), Until: i.clock()}
			_, mine, err := i.Store.Alerts().UpdateAlerts(t.Context(), lease,
				func([]alert.Alert) (c alert.Change, err error) { return c, nil })
			i.Must(err)
			return !mine
		}
		m := i.instance("one", nil)
		i.Must(m.RunOnce(t.Context()))
		ledBefore := led()
		m.Release(t.Context())
		if after := led(); after || !ledBefore {
			t.Errorf("led %v while it ran and %v afterwards", ledBefore, after)
		}
	})
}

// TestMonitor_Down: a mail server that is down loses no notice and changes no order.
func TestMonitor_Down(t *testing.T) {
	onEachInstallation(t, func(t *testing.T, i *installation) {
		m := i.instance("one", nil)
		i.down = true
		i.breakLedger("all accounts add up to 7")
		i.round(m)
		i.pass(time.Minute)
		i.breakLedger()
		i.pass(time.Minute)
		i.round(m)
		i.pass(6 * time.Minute)
		i.round(m)
		i.wants("down")
		i.down = false
		i.pass(4 * time.Hour)
		i.round(i.instance("two", nil))
		i.wants("up again", begins, over)
		i.pass(48 * time.Hour)
		i.round(m)
		i.wants("days later", begins, over)
	})
}

// TestMonitor_GivenUp: a notice that can never be sent is given up after days, and holds up no other.
func TestMonitor_GivenUp(t *testing.T) {
	onEachInstallation(t, func(t *testing.T, i *installation) {
		m := i.instance("one", nil)
		i.breakLedger("all accounts add up to 7")
		i.down = true
		for range 100 {
			i.round(m)
			i.pass(time.Hour)
		}
		storetest.Same(t, "notices given up", i.Count("SELECT count(*) FROM mails WHERE state = 'FAILED'"), 1)
		storetest.Same(t, "attempts", i.Count("SELECT max(attempt) FROM mails"), int64(webhook.MaxAttempts))
	})
}

// TestMonitor_Ledger: the ledger is checked once a day without being asked, by one instance.
func TestMonitor_Ledger(t *testing.T) {
	onEachInstallation(t, func(t *testing.T, i *installation) {
		asked := 0
		daily := func(o *alert.MonitorOptions) {
			o.Check = func(context.Context) error { asked++; i.breakLedger(); return nil }
			o.Checked = func(ctx context.Context) (time.Time, error) {
				last, _, err := i.LedgerCheck(ctx)
				return last.AskedAt, err
			}
		}
		one, two := i.instance("one", daily), i.instance("two", daily)
		for range 50 {
			i.round(one)
			i.round(two)
			i.pass(time.Hour)
		}
		storetest.Same(t, "checks in fifty hours", asked, 3)
	})
}
