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

// singles is how many events are measured one by one, at this distance.
const (
	singles  = 200
	distance = 10 * time.Millisecond
)

type figures struct {
	rate      float64 // deliveries a second
	delivered int
	took      time.Duration // until the last outcome was written
	cpu       time.Duration // that this process, receivers included, spent meanwhile
	hanging   int64         // requests without an answer at the end
	p50, p99  time.Duration // from the event's commit to its request
	singles   int
}

// counting counts the outcomes that were written.
type counting struct {
	webhook.Store
	delivered atomic.Int64
	all       int64
	done      chan struct{}
}

func (c *counting) Settle(ctx context.Context, holder string, o webhook.Outcome) error {
	err := c.Store.Settle(ctx, holder, o)
	if err == nil && o.State == webhook.Delivered && c.delivered.Add(1) == c.all {
		close(c.done)
	}
	return err
}

// merchants are the receivers of all merchants in one server.
type merchants struct {
	*httptest.Server
	hanging  atomic.Int64
	over     chan struct{}
	received chan time.Time
}

func openMerchants(useTLS bool) *merchants {
	m := &merchants{over: make(chan struct{}), received: make(chan time.Time, singles)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /fast/{n}", func(_ http.ResponseWriter, q *http.Request) { _, _ = io.Copy(io.Discard, q.Body) })
	mux.HandleFunc("POST /single", func(http.ResponseWriter, *http.Request) { m.received <- time.Now() })
	mux.HandleFunc("POST /hang/{n}", func(_ http.ResponseWriter, q *http.Request) {
		m.hanging.Add(1)
		defer m.hanging.Add(-1)
		_, _ = io.Copy(io.Discard, q.Body) // or nobody notices when the sender gives up
		select {
		case <-m.over:
		case <-q.Context().Done():
		}
	})
	m.Server = httptest.NewUnstartedServer(mux)
	if useTLS {
		m.StartTLS()
	} else {
		m.Start()
	}
	return m
}

func (m *merchants) close() {
	close(m.over)
	m.Close()
}

// keys makes n merchants whose receivers are below the path.
func (m *merchants) keys(ctx context.Context, o *outbox, path string, n int) ([]int64, error) {
	keys := make([]int64, n)
	for i := range keys {
		var err error
		if keys[i], err = o.merchant(ctx, fmt.Sprintf("%s/%s/%d", m.URL, path, i)); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

func (m *merchants) sender() *webhook.Sender {
	o := webhook.Options{AllowPrivate: true, Now: time.Now}
	if c := m.Certificate(); c != nil {
		o.RootCAs = x509.NewCertPool()
		o.RootCAs.AddCert(c)
	}
	return webhook.NewSender(o)
}

// measure runs a deliverer on a new database until the fast receivers have
// everything, then sends single events.
func measure(ctx context.Context, s settings) (f figures, err error) {
	log := slog.New(slog.DiscardHandler)
	o, err := openOutbox(ctx, s.database, log)
	if err != nil {
		return f, err
	}
	m := openMerchants(s.tls)
	hanging, err := m.keys(ctx, o, "hang", s.hanging)
	if err != nil {
		return f, err
	}
	if s.hanging > 0 { // they are due first
		if err := o.fill(ctx, hanging, s.hanging*s.queued); err != nil {
			return f, err
		}
	}
	fast, err := m.keys(ctx, o, "fast", s.fast)
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
	o.OnChange(func(payment.ID) { d.Nudge() })
	running, stop := context.WithCancel(ctx)
	var loops sync.WaitGroup
	loops.Go(func() { _ = o.Listen(running) }) // on PostgreSQL it brings the nudges
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
	f.hanging = m.hanging.Load()
	return f, m.single(ctx, o, &f)
}

// cpu is the processor time of this process. Unlike the clock's it does not
// grow with what else the machine does.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// single measures from the commit of an event to its request.
func (m *merchants) single(ctx context.Context, o *outbox, f *figures) error {
	key, err := o.merchant(ctx, m.URL+"/single")
	if err != nil {
		return err
	}
	waits := make([]time.Duration, 0, singles)
	for range singles {
		if err := o.event(ctx, key); err != nil {
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
