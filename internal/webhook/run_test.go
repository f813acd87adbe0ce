package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/webhook"
)

// With two instances on one store, each event is sent once, and never in two attempts at the same time.
func TestRun_TwoInstances(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o outbox) {
		const events, receivers = 120, 6
		var mu sync.Mutex
		sending, sent := make(map[string]bool), make(map[string]int)
		shop := startReceiver(t, func(_ http.ResponseWriter, q *http.Request) {
			id := q.Header.Get(webhook.HeaderID)
			mu.Lock()
			if sending[id] {
				t.Errorf("%s is sent twice at once", id)
			}
			sending[id] = true
			sent[id]++
			mu.Unlock()
			time.Sleep(3 * time.Millisecond)
			mu.Lock()
			sending[id] = false
			mu.Unlock()
		})
		var ids []int64
		for i := range events {
			ids = append(ids, o.Enqueue(t, fmt.Sprintf("%s/%d", shop.URL, i%receivers), overdue()))
		}
		for i := range 2 {
			run(t, deliverer(o, fmt.Sprint("instance", i), time.Now))
		}
		for _, id := range ids {
			eventually(t, "the outcome", func() bool { return o.Look(t, id).State == webhook.Delivered })
		}
		mu.Lock()
		defer mu.Unlock()
		if len(sent) != events {
			t.Errorf("%d of %d events arrived", len(sent), events)
		}
		for id, n := range sent {
			if n != 1 {
				t.Errorf("%s arrived %d times", id, n)
			}
		}
	})
}

// More receivers hang than there are places for prompt ones, each with a longer queue than its bound. The events of the
// other receivers arrive meanwhile.
func TestRun_HangingReceiversDelayNoOther(t *testing.T) {
	t.Parallel()
	const hanging, each, fast, events = 300, 2, 10, 100
	wait := hang(t)
	slow := startReceiver(t, wait)
	shop := startReceiver(t, answer(200))
	o := newMemory()
	for i := range hanging {
		for range each {
			o.Enqueue(t, fmt.Sprintf("%s/%d", slow.URL, i), overdue())
		}
	}
	for i := range events {
		// later, so that the others come first
		o.Enqueue(t, fmt.Sprintf("%s/%d", shop.URL, i%fast), overdue().Add(time.Second))
	}
	started := time.Now()
	run(t, deliverer(o, "one", time.Now))
	eventually(t, "the events of prompt receivers", func() bool { return o.Count(webhook.Delivered) == events })
	if took := time.Since(started); took >= webhook.AttemptTimeout {
		t.Fatalf("the events took %v: they waited for hanging receivers", took)
	}
	if n := len(slow.requests()); n < hanging/2 {
		t.Errorf("only %d requests hang; the test needs more", n)
	}
}

func TestRun_StopFinishesAttempts(t *testing.T) {
	t.Parallel()
	arrived, answerNow := make(chan struct{}, 1), make(chan struct{})
	shop := startReceiver(t, func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-answerNow
	})
	o := newMemory()
	id := o.Enqueue(t, shop.URL, overdue())
	stop := run(t, deliverer(o, "one", time.Now))
	mustCome(t, arrived)
	time.AfterFunc(100*time.Millisecond, func() { close(answerNow) })
	stop()
	stop()
	if row := o.Look(t, id); row.State != webhook.Delivered {
		t.Fatalf("after an ordered stop: %+v", row)
	}
}

func TestRun_StopLetsHangingAttemptsEnd(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 1)
	wait := hang(t)
	shop := startReceiver(t, func(w http.ResponseWriter, q *http.Request) {
		arrived <- struct{}{}
		wait(w, q)
	})
	o := newMemory()
	id := o.Enqueue(t, shop.URL, overdue())
	stop := run(t, deliverer(o, "one", time.Now))
	mustCome(t, arrived)
	stop()
	row := o.Look(t, id)
	if row.State != webhook.Waiting || row.Made != 1 || !strings.Contains(row.Attempts[0].Error, "no answer within") {
		t.Fatalf("an attempt that ended by itself during the stop: %+v", row)
	}
}

// overrun is a sender that breaks its promise to end within AttemptTimeout.
type overrun struct{ began chan struct{} }

func (o overrun) Send(ctx context.Context, d webhook.Delivery) webhook.Result {
	o.began <- struct{}{}
	<-ctx.Done()
	return webhook.Result{Attempt: webhook.Attempt{URL: d.URL, Error: "cut"}}
}

func TestRun_StopAbandonsOverrunningAttempts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newMemory()
		id := o.Enqueue(t, "https://shop.example/callback", time.Now().Add(-time.Minute))
		sender := overrun{began: make(chan struct{}, 1)}
		d := webhook.NewDeliverer(webhook.Config{
			Store: o, Send: sender.Send, Holder: "one", Now: time.Now,
			Jitter: func() float64 { return middle }, Log: quiet,
		})
		stop := run(t, d)
		<-sender.began
		stop()
		if row := o.Look(t, id); row.State != webhook.Waiting || row.Made != 0 {
			t.Fatalf("an abandoned attempt counts: %+v", row)
		}
		time.Sleep(webhook.Lease + time.Second)
		again := run(t, d)
		<-sender.began
		again()
	})
}

func TestRun_Stopped(t *testing.T) {
	t.Parallel()
	shop := startReceiver(t, answer(200))
	o := newMemory()
	d := deliverer(o, "one", time.Now)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	id := o.Enqueue(t, shop.URL, overdue())
	if err := d.Run(ctx); err != nil {
		t.Fatalf("stopped before it began: %v", err)
	}
	if len(shop.requests()) != 0 {
		t.Error("something was sent after the stop")
	}
	stop := run(t, d)
	stop()
	run(t, d) // again
	eventually(t, "the outcome", func() bool { return o.Look(t, id).State == webhook.Delivered })
}

// noNextDue is a store that reports nothing due, so that the loop claims only after Wake.
type noNextDue struct{ webhook.Store }

func (noNextDue) NextDue(context.Context, time.Time) (time.Time, bool, error) {
	return time.Time{}, false, nil
}

func TestRun_Wake(t *testing.T) {
	t.Parallel()
	shop := startReceiver(t, answer(200))
	o := newMemory()
	d := deliverer(noNextDue{o}, "one", time.Now)
	d.Wake() // before Run, and more than once
	d.Wake()
	run(t, d)
	for range 3 {
		id := o.Enqueue(t, shop.URL, overdue())
		d.Wake()
		eventually(t, "the outcome", func() bool { return o.Look(t, id).State == webhook.Delivered })
	}
}

// A receiver gets PerURL deliveries at once; each answer makes room for another.
func TestRun_LongQueueOfOneReceiver(t *testing.T) {
	t.Parallel()
	const events = 20 * webhook.PerURL
	shop := startReceiver(t, answer(200))
	o := newMemory()
	for range events {
		o.Enqueue(t, shop.URL, overdue())
	}
	d := deliverer(noNextDue{o}, "one", time.Now)
	d.Wake()
	run(t, d)
	eventually(t, "the last of them", func() bool { return o.Count(webhook.Delivered) == events })
}

func TestRun_PollsWithoutWake(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o outbox) {
		var failing atomic.Bool
		failing.Store(true)
		shop := startReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
			if failing.Swap(false) {
				w.WriteHeader(http.StatusInternalServerError)
			}
		})
		run(t, deliverer(o, "one", time.Now))
		id := o.Enqueue(t, shop.URL, overdue())
		eventually(t, "the second attempt, 5 s after the first", func() bool {
			return o.Look(t, id).State == webhook.Delivered
		})
		row := o.Look(t, id)
		if wait := row.Attempts[1].At.Sub(row.Attempts[0].At); row.Made != 2 || wait < 5*time.Second {
			t.Errorf("tried again after %v: %+v", wait, row)
		}
	})
}

// A Retry-After pauses all deliveries of its receiver.
func TestRun_HeedsRetryAfter(t *testing.T) {
	t.Parallel()
	const events = 30
	var full atomic.Bool
	full.Store(true)
	shop := startReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		if full.Swap(false) {
			w.Header().Set("Retry-After", "2")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	})
	o := newMemory()
	for range events {
		o.Enqueue(t, shop.URL, overdue())
	}
	run(t, deliverer(o, "one", time.Now))
	eventually(t, "all of them", func() bool { return o.Count(webhook.Delivered) == events })
	got := shop.requests()
	refused := got[0].at
	early := slices.IndexFunc(got[1:], func(r received) bool { return r.at.Sub(refused) < 1900*time.Millisecond })
	if early >= 0 {
		t.Errorf("sent %v after a Retry-After of 2 s", got[1+early].at.Sub(refused))
	}
}

func TestRun_PanicIsContained(t *testing.T) {
	t.Parallel()
	shop := startReceiver(t, answer(200))
	o := newMemory()
	bad := o.Enqueue(t, shop.URL+"/panic", overdue())
	good := o.Enqueue(t, shop.URL, overdue())
	d := deliverer(o, "one", time.Now)
	send := d.Send
	d.Send = func(ctx context.Context, d webhook.Delivery) webhook.Result {
		if strings.HasSuffix(d.URL, "/panic") {
			panic("an unexpected body")
		}
		return send(ctx, d)
	}
	run(t, d)
	eventually(t, "the outcome of the good one", func() bool { return o.Look(t, good).State == webhook.Delivered })
	eventually(t, "the outcome of the bad one", func() bool { return o.Look(t, bad).Made == 1 })
	row := o.Look(t, bad)
	if row.State != webhook.Waiting || row.Attempts[0].Error == "" || !row.NextAt.After(row.Attempts[0].At) {
		t.Fatalf("%+v", row)
	}
}

// unreliable is a store whose first reads fail, by errors and by panics.
type unreliable struct {
	webhook.Store
	lists, claims, dues atomic.Int64
}

func (u *unreliable) DueReceivers(ctx context.Context, now time.Time) ([]webhook.DueReceiver, error) {
	switch u.lists.Add(1) {
	case 1:
		return nil, errors.New("the database is down")
	case 2:
		panic("the driver failed")
	}
	return u.Store.DueReceivers(ctx, now)
}

func (u *unreliable) Claim(
	ctx context.Context, holder string, now, until time.Time, shares []webhook.Share,
) ([]webhook.Delivery, error) {
	switch u.claims.Add(1) {
	case 1:
		return nil, errors.New("the database is down")
	case 2:
		panic("the driver failed")
	}
	return u.Store.Claim(ctx, holder, now, until, shares)
}

func (u *unreliable) NextDue(ctx context.Context, now time.Time) (time.Time, bool, error) {
	switch u.dues.Add(1) {
	case 1:
		return time.Time{}, false, errors.New("the database is down")
	case 2:
		panic("the driver failed")
	}
	return u.Store.NextDue(ctx, now)
}

func TestRun_StoreFails(t *testing.T) {
	t.Parallel()
	shop := startReceiver(t, answer(200))
	o := newMemory()
	id := o.Enqueue(t, shop.URL, overdue())
	u := &unreliable{Store: o}
	d := deliverer(u, "one", time.Now)
	run(t, d)
	eventually(t, "the outcome", func() bool { return o.Look(t, id).State == webhook.Delivered })
	if u.lists.Load() < 3 || u.claims.Load() < 3 || u.dues.Load() < 3 {
		t.Errorf("%d lists, %d claims, %d reads of the next due time", u.lists.Load(), u.claims.Load(), u.dues.Load())
	}
	broken := deliverer(&unreliable{Store: o}, "two", time.Now)
	for range 2 {
		if _, err := broken.RunOnce(t.Context()); err == nil {
			t.Error("RunOnce does not fail with the store")
		}
	}
}

// When a custodian's callback URL is removed, its deliveries wait for another one, and lose no attempt.
func TestRunOnce_NoCallbackURL(t *testing.T) {
	t.Parallel()
	o := newMemory()
	id := o.Enqueue(t, "", noon)
	c := testkit.NewClock(noon)
	mustRunOnce(t, deliverer(o, "one", c.Now))
	if row := o.Look(t, id); row.State != webhook.Waiting || len(row.Attempts) != 0 {
		t.Fatalf("%+v", row)
	}
}

// Neither secrets nor the path and query of a callback URL are logged.
func TestRun_LogsNoSecret(t *testing.T) {
	t.Parallel()
	shop := startReceiver(t, answer(500))
	o := newMemory()
	id := o.Enqueue(t, shop.URL+"/path-token?key=query-token", noon)
	var log strings.Builder
	c := testkit.NewClock(noon)
	d := deliverer(o, "one", c.Now)
	d.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	for o.Look(t, id).State == webhook.Waiting {
		mustRunOnce(t, d)
		c.Pass(24 * time.Hour)
	}
	if log.Len() == 0 {
		t.Fatal("the failed delivery is not logged")
	}
	for _, text := range []string{"path-token", "query-token", "shop \\\"secret", "whsec_"} {
		if strings.Contains(log.String(), text) {
			t.Errorf("%q is logged:\n%s", text, log.String())
		}
	}
}
