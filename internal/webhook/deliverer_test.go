package webhook_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/webhook"
)

var quiet = slog.New(slog.DiscardHandler)

// deliverer returns a deliverer for loopback, without jitter.
func deliverer(s webhook.Store, holder string, now func() time.Time) *webhook.Deliverer {
	return webhook.NewDeliverer(webhook.Config{
		Store: s, Send: webhook.NewSender(webhook.Options{AllowPrivate: true, Now: now}).Send,
		Holder: holder, Now: now, Jitter: func() float64 { return middle }, Log: quiet,
	})
}

// run runs the deliverer until the returned function is called.
func run(t *testing.T, d *webhook.Deliverer) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	over := make(chan error, 1)
	go func() { over <- d.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-over:
			if err != nil {
				t.Errorf("Run: %v", err)
			}
		case <-time.After(webhook.LongestStop):
			t.Error("Run does not end")
		}
	})
	t.Cleanup(stop)
	return stop
}

// eventually waits for a condition, far longer than it takes.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	testkit.Until(t, time.Minute, what, ok)
}

// overdue returns a due time in the past, so that Run sends the delivery at once.
func overdue() time.Time { return time.Now().Add(-time.Hour) }

func mustCome(t *testing.T, arrived <-chan struct{}) {
	t.Helper()
	select {
	case <-arrived:
	case <-time.After(time.Minute):
		t.Fatal("no request arrived")
	}
}

func mustRunOnce(t *testing.T, d *webhook.Deliverer) int {
	t.Helper()
	n, err := d.RunOnce(t.Context())
	testkit.Must(t, err)
	return n
}

// answerByPath returns a handler whose path selects the answer; /redirect points to the other URL.
func answerByPath(other string) http.HandlerFunc {
	return func(w http.ResponseWriter, q *http.Request) {
		switch q.URL.Path {
		case "/redirect":
			http.Redirect(w, q, other, http.StatusTemporaryRedirect)
		case "/gone":
			w.WriteHeader(http.StatusGone)
		case "/full":
			w.Header().Set("Retry-After", "120")
			w.WriteHeader(http.StatusTooManyRequests)
		case "/broken":
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = w.Write([]byte("\x00Traceback \xff of " + shopSecret.Reveal()))
		default:
			body, _ := io.ReadAll(q.Body)
			_, _ = w.Write(append([]byte("ok "), body...))
		}
	}
}

func TestRunOnce_Outcomes(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o outbox) {
		elsewhere := startReceiver(t, answer(200))
		shop := startReceiver(t, answerByPath(elsewhere.URL))
		c := testkit.NewClock(noon)
		d := deliverer(o, "one", c.Now)
		for _, want := range []struct {
			url    string
			state  webhook.State
			status int
			wait   time.Duration
		}{
			{shop.URL + "/", webhook.Delivered, 200, 0},
			{shop.URL + "/gone", webhook.Stopped, 410, 0},
			{shop.URL + "/redirect", webhook.Waiting, 307, 5 * time.Second},
			{shop.URL + "/full", webhook.Waiting, 429, 126 * time.Second},
			{shop.URL + "/broken", webhook.Waiting, 500, 5 * time.Second},
			{"http://127.0.0.1:1/", webhook.Waiting, 0, 5 * time.Second},
		} {
			id := o.Enqueue(t, want.url, noon)
			if n := mustRunOnce(t, d); n != 1 {
				t.Fatalf("%s: %d claimed", want.url, n)
			}
			row := o.Look(t, id)
			if row.State != want.state || row.Made != 1 || len(row.Attempts) != 1 ||
				row.Attempts[0].Status != want.status {
				t.Errorf("%s: %+v", want.url, row)
				continue
			}
			if wait := row.NextAt.Sub(noon); want.state == webhook.Waiting && wait != want.wait {
				t.Errorf("%s: next in %v, want %v", want.url, wait, want.wait)
			}
			if a := row.Attempts[0]; a.URL != want.url || !a.At.Equal(noon) || a.Request == "" ||
				strings.ContainsRune(a.Response, 0) {
				t.Errorf("%s: %+v", want.url, a)
			}
			mustNotHold(t, row, `"secret" <7>`, `\"secret\" <7>`)
		}
		if n := len(elsewhere.requests()); n != 0 {
			t.Errorf("%d redirects were followed", n)
		}
		if n := mustRunOnce(t, d); n != 0 {
			t.Errorf("%d claimed when nothing is due", n)
		}
	})
}

// The receiver is down for the whole schedule: every attempt has the same id, a new timestamp and a valid signature,
// and the last one fails the delivery.
func TestRunOnce_WholeSchedule(t *testing.T) {
	t.Parallel()
	shop := startReceiver(t, answer(500))
	o := newMemory()
	c := testkit.NewClock(noon)
	d := deliverer(o, "one", c.Now)
	id := o.Enqueue(t, shop.URL, noon)
	for made := 1; made <= webhook.MaxAttempts; made++ {
		if n := mustRunOnce(t, d); n != 1 {
			t.Fatalf("attempt %d: %d claimed", made, n)
		}
		row := o.Look(t, id)
		if row.Made != made {
			t.Fatalf("%d attempts made, want %d", row.Made, made)
		}
		if row.State == webhook.Waiting {
			c.Pass(row.NextAt.Sub(c.Now()) - time.Millisecond)
			if n := mustRunOnce(t, d); n != 0 {
				t.Fatalf("attempt %d was early", made+1)
			}
			c.Pass(time.Millisecond)
		}
	}
	if row := o.Look(t, id); row.State != webhook.Failed {
		t.Fatalf("after all attempts: %+v", row)
	}
	got := shop.requests()
	if len(got) != webhook.MaxAttempts {
		t.Fatalf("%d requests", len(got))
	}
	if took := c.Now().Sub(noon); took < 75*time.Hour || took > 76*time.Hour {
		t.Errorf("given up after %v", took)
	}
	seen := make(map[string]bool)
	for _, q := range got {
		if q.header.Get(webhook.HeaderID) != got[0].header.Get(webhook.HeaderID) {
			t.Errorf("the id changed: %v", q.header)
		}
		if at := q.header.Get(webhook.HeaderTimestamp); seen[at] {
			t.Errorf("the timestamp %s was used twice", at)
		} else {
			seen[at] = true
		}
	}
}

// crashing is a store that loses outcomes, like a process that dies between the POST and the writing of its outcome.
type crashing struct {
	webhook.Store
	lost atomic.Int64
}

func (c *crashing) Settle(context.Context, string, webhook.Outcome) error {
	c.lost.Add(1)
	return errors.New("the database is gone")
}

func TestRunOnce_CrashBetweenPostAndSettle(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o outbox) {
		shop := startReceiver(t, answer(200))
		c := testkit.NewClock(noon)
		id := o.Enqueue(t, shop.URL, noon)
		dying := &crashing{Store: o}
		mustRunOnce(t, deliverer(dying, "one", c.Now))
		if dying.lost.Load() < 2 {
			t.Errorf("writing the outcome was tried %d times", dying.lost.Load())
		}
		other := deliverer(o, "two", c.Now)
		c.Pass(webhook.Lease - time.Second)
		if n := mustRunOnce(t, other); n != 0 {
			t.Fatalf("%d claimed during another instance's lease", n)
		}
		c.Pass(2 * time.Second)
		if n := mustRunOnce(t, other); n != 1 {
			t.Fatalf("%d claimed after the lease", n)
		}
		got := shop.requests()
		if len(got) != 2 || got[0].header.Get(webhook.HeaderID) != got[1].header.Get(webhook.HeaderID) {
			t.Fatalf("%d requests: %+v", len(got), got)
		}
		if row := o.Look(t, id); row.State != webhook.Delivered {
			t.Errorf("after the second attempt: %+v", row)
		}
	})
}

// flaky fails the first write of every outcome.
type flaky struct {
	webhook.Store
	mu    sync.Mutex
	tried map[int64]bool
}

func (f *flaky) Settle(ctx context.Context, holder string, o webhook.Outcome) error {
	f.mu.Lock()
	first := !f.tried[o.DeliveryID]
	f.tried[o.DeliveryID] = true
	f.mu.Unlock()
	if first {
		panic("a connection that is no connection")
	}
	return f.Store.Settle(ctx, holder, o)
}

func TestRunOnce_RetriesSettle(t *testing.T) {
	t.Parallel()
	shop := startReceiver(t, answer(200))
	o := newMemory()
	id := o.Enqueue(t, shop.URL, noon)
	c := testkit.NewClock(noon)
	mustRunOnce(t, deliverer(&flaky{Store: o, tried: make(map[int64]bool)}, "one", c.Now))
	if row := o.Look(t, id); row.State != webhook.Delivered || row.Made != 1 || len(shop.requests()) != 1 {
		t.Fatalf("%+v after %d requests", row, len(shop.requests()))
	}
}
