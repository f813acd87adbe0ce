package main

import (
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/webhook"
)

// singles is how many events are measured one by one, and distance the time between them.
const (
	singles  = 200
	distance = 10 * time.Millisecond
)

type figures struct {
	rate      float64 // deliveries a second
	delivered int
	took      time.Duration // until the last outcome was written
	cpu       time.Duration // CPU time of this process, receivers included
	hanging   int64         // requests without a response at the end
	p50, p99  time.Duration // from the event's commit to its request
	singles   int
	claim     time.Duration // mean time of Store.Claim
	settle    time.Duration // mean time of Store.Settle
}

// counting counts the stored outcomes, and measures the time of the store.
type counting struct {
	webhook.Store
	claims, settles mean
	delivered       atomic.Int64
	all             int64
	done            chan struct{}
}

type mean struct{ n, nanos atomic.Int64 }

func (m *mean) since(t time.Time) {
	m.n.Add(1)
	m.nanos.Add(int64(time.Since(t)))
}

func (m *mean) value() time.Duration { return time.Duration(m.nanos.Load() / max(m.n.Load(), 1)) }

func (c *counting) Claim(
	ctx context.Context, holder string, now, until time.Time, shares []webhook.Share,
) ([]webhook.Delivery, error) {
	defer c.claims.since(time.Now())
	return c.Store.Claim(ctx, holder, now, until, shares)
}

func (c *counting) Settle(ctx context.Context, holder string, o webhook.Outcome) error {
	defer c.settles.since(time.Now())
	err := c.Store.Settle(ctx, holder, o)
	if err == nil && o.State == webhook.Delivered && c.delivered.Add(1) == c.all {
		close(c.done)
	}
	return err
}

// merchants are the receivers, each a separate server.
type merchants struct {
	servers  []*httptest.Server
	tls      bool
	hanging  atomic.Int64
	over     chan struct{}
	received chan time.Time
}

func openMerchants(useTLS bool) *merchants {
	return &merchants{tls: useTLS, over: make(chan struct{}), received: make(chan time.Time, singles)}
}

func (m *merchants) close() {
	close(m.over)
	for _, s := range m.servers {
		s.Close()
	}
}

// keys creates n merchants whose receivers respond that way.
func (m *merchants) keys(ctx context.Context, o *outbox, n int, answer http.HandlerFunc) ([]int64, error) {
	keys := make([]int64, n)
	for i := range keys {
		s := httptest.NewUnstartedServer(answer)
		if m.tls {
			s.StartTLS()
		} else {
			s.Start()
		}
		m.servers = append(m.servers, s)
		var err error
		if keys[i], err = o.merchant(ctx, s.URL+"/webhooks"); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

func (m *merchants) prompt(_ http.ResponseWriter, q *http.Request) {
	_, _ = io.Copy(io.Discard, q.Body)
}

func (m *merchants) note(http.ResponseWriter, *http.Request) { m.received <- time.Now() }

func (m *merchants) hang(_ http.ResponseWriter, q *http.Request) {
	m.hanging.Add(1)
	defer m.hanging.Add(-1)
	_, _ = io.Copy(io.Discard, q.Body) // otherwise the server does not notice that the sender gave up
	select {
	case <-m.over:
	case <-q.Context().Done():
	}
}

// sender returns a sender that trusts the servers, which all have the same certificate.
func (m *merchants) sender() *webhook.Sender {
	o := webhook.Options{AllowPrivate: true, Now: time.Now}
	if m.tls {
		o.RootCAs = x509.NewCertPool()
		o.RootCAs.AddCert(m.servers[0].Certificate())
	}
	return webhook.NewSender(o)
}

// measure runs a deliverer on a new database until the fast receivers have everything, then sends single events.
func measure(ctx context.Context, s settings) (f figures, err error) {
	log := slog.New(slog.DiscardHandler)
	o, err := openOutbox(ctx, s.database, log)
	if err != nil {
		return f, err
	}
	m := openMerchants(s.tls)
	hanging, err := m.keys(ctx, o, s.hanging, m.hang)
	if err != nil {
		return f, err
	}
	if s.hanging > 0 { // they are due first
		if err := o.fill(ctx, hanging, s.hanging*s.queued); err != nil {
			return f, err
		}
	}
	fast, err := m.keys(ctx, o, s.fast, m.prompt)
	if err != nil {
		return f, err
	}
	if err := o.fill(ctx, fast, s.events); err != nil {
		return f, err
	}
	c := &counting{Store: o, all: int64(s.events), done: make(chan struct{})}
	d := webhook.NewDeliverer(webhook.Config{
		Store: c, Sender: m.sender(), Holder: "bench", Now: time.Now, Jitter: rand.Float64, Log: log,
	})
	o.OnChange(func(payment.ID) { d.Wake() })
	running, stop := context.WithCancel(ctx)
	var loops sync.WaitGroup
	loops.Go(func() { _ = o.Listen(running, func() {}) }) // on PostgreSQL it receives the wake-ups
	started, spent := time.Now(), cpu()
	loops.Go(func() { _ = d.Run(running) }) // always nil
	defer func() {
		stop()
		m.close()
		loops.Wait()
		if e := o.close(); err == nil {
			err = e
		}
	}()
	select {
	case <-c.done:
	case <-ctx.Done():
		return f, fmt.Errorf("%d of %d delivered: %w", c.delivered.Load(), s.events, ctx.Err())
	}
	f.took, f.cpu = time.Since(started), cpu()-spent
	f.delivered = s.events
	f.rate = float64(s.events) / f.took.Seconds()
	f.hanging, f.claim, f.settle = m.hanging.Load(), c.claims.value(), c.settles.value()
	return f, m.single(ctx, o, &f)
}

// cpu returns the CPU time of this process. Unlike wall time it does not depend on the machine's other load.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// single measures from the commit of an event to its request.
func (m *merchants) single(ctx context.Context, o *outbox, f *figures) error {
	keys, err := m.keys(ctx, o, 1, m.note)
	if err != nil {
		return err
	}
	waits := make([]time.Duration, 0, singles)
	for range singles {
		if err := o.event(ctx, keys[0]); err != nil {
			return err
		}
		stored := time.Now()
		select {
		case at := <-m.received:
			waits = append(waits, max(at.Sub(stored), 0))
		case <-ctx.Done():
			return ctx.Err()
		}
		time.Sleep(distance)
	}
	slices.Sort(waits)
	f.p50, f.p99, f.singles = waits[len(waits)/2], waits[len(waits)*99/100], len(waits)
	return nil
}
