package webhook_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/webhook"
)

const (
	needed     = 1000   // deliveries a second, of spec.md section 12
	promptMany = 50     // receivers that answer at once
	allEvents  = 15_000 // for these together
	hangMany   = 100    // receivers that never answer
	hangEvents = 20     // for each of these
	singles    = 200    // events that are measured one by one, from commit to request
	writers    = 64     // events written at once; they share commits
)

// BenchmarkDeliver measures how many webhooks a second reach receivers that answer at once, without and with others
// that never answer. Only the merchants are simulated: a delivery counts once its outcome is stored.
func BenchmarkDeliver(b *testing.B) {
	for name, open := range map[string]func(testing.TB) *stored{"SQLite": openSQLite, "PostgreSQL": openPostgres} {
		for _, hanging := range []int{0, hangMany} {
			b.Run(fmt.Sprintf("%s/%dHang", name, hanging), func(b *testing.B) {
				for b.Loop() {
					m := &measured{stored: open(b), b: b, over: make(chan struct{}), done: make(chan struct{})}
					m.run(hanging)
				}
			})
		}
	}
}

// measured is an outbox that counts the stored outcomes, and the receivers it delivers to.
type measured struct {
	*stored

	b         *testing.B
	over      chan struct{} // closed when those that hang may end
	delivered atomic.Int64
	done      chan struct{} // closed when all prompt receivers have everything
}

func (m *measured) Settle(ctx context.Context, holder string, o webhook.Outcome) error {
	err := m.stored.Settle(ctx, holder, o)
	if err == nil && o.State == webhook.Delivered && m.delivered.Add(1) == allEvents {
		close(m.done)
	}
	return err
}

func (m *measured) run(hanging int) {
	hang := func(_ http.ResponseWriter, q *http.Request) {
		_, _ = io.Copy(io.Discard, q.Body) // otherwise the server does not notice that the sender gave up
		select {
		case <-m.over:
		case <-q.Context().Done():
		}
	}
	prompt := func(_ http.ResponseWriter, q *http.Request) { _, _ = io.Copy(io.Discard, q.Body) }
	m.fill(m.receivers(hanging, hang), hanging*hangEvents) // they are due first
	m.fill(m.receivers(promptMany, prompt), allEvents)
	d := webhook.NewDeliverer(webhook.Config{
		Store: m, Send: webhook.NewSender(webhook.Options{AllowPrivate: true, Now: time.Now}).Send, Holder: "bench",
		Now: time.Now, Jitter: rand.Float64, Log: quiet,
	})
	m.OnChange(func(payment.ID) { d.Wake() })
	ctx, stop := context.WithCancel(m.b.Context())
	var loops sync.WaitGroup
	defer func() {
		stop()
		close(m.over)
		loops.Wait()
	}()
	loops.Go(func() { _ = m.Listen(ctx, func() {}) }) // on PostgreSQL it receives the wake-ups
	began := time.Now()
	loops.Go(func() { _ = d.Run(ctx) })
	select {
	case <-m.done:
	case <-time.After(5 * time.Minute):
		m.b.Fatalf("%d of %d delivered", m.delivered.Load(), allEvents)
	}
	rate := allEvents / time.Since(began).Seconds()
	m.b.ReportMetric(rate, "deliveries/s")
	if rate < needed {
		m.b.Fatalf("%.0f deliveries a second are fewer than %d", rate, needed)
	}
	m.single()
}

// receivers starts n of them and returns their callback URLs.
func (m *measured) receivers(n int, answer http.HandlerFunc) []string {
	urls := make([]string, n)
	for i := range urls {
		s := httptest.NewServer(answer)
		m.b.Cleanup(s.Close)
		urls[i] = s.URL + "/webhooks"
		m.key(m.b, urls[i])
	}
	return urls
}

// event cancels a payment, which creates an event for its merchant.
func (m *measured) event(ctx context.Context, url string) error {
	p, err := m.CreatePayment(ctx, payment.New(payment.Request{
		ID: payment.ID(newULID()), KeyID: m.keys[url], Kind: payment.KindMerchant, Amount: 12_500_000,
		ValidFor: time.Hour, Details: payment.Details{Reference: "order 4711"},
	}, time.Now()))
	if err != nil {
		return err
	}
	_, err = m.UpdatePayment(ctx, p.ID, func(p payment.Payment) (payment.Change, error) { return p.Cancel(time.Now()) })
	return err
}

// fill writes events for the receivers in turn.
func (m *measured) fill(urls []string, events int) {
	g, ctx := errgroup.WithContext(m.b.Context())
	g.SetLimit(writers)
	for i := range events {
		g.Go(func() error { return m.event(ctx, urls[i%len(urls)]) })
	}
	if err := g.Wait(); err != nil {
		m.b.Fatalf("write %d events: %v", events, err)
	}
}

// single measures from the commit of an event to its request, while others hang.
func (m *measured) single() {
	received := make(chan time.Time, singles)
	urls := m.receivers(1, func(http.ResponseWriter, *http.Request) { received <- time.Now() })
	waits := make([]time.Duration, singles)
	for i := range waits {
		testkit.Must(m.b, m.event(m.b.Context(), urls[0]))
		stored := time.Now()
		select {
		case at := <-received:
			waits[i] = max(at.Sub(stored), 0)
		case <-time.After(time.Minute):
			m.b.Fatal("an event does not reach its receiver within a minute")
		}
		time.Sleep(10 * time.Millisecond)
	}
	slices.Sort(waits)
	m.b.ReportMetric(float64(waits[singles/2].Microseconds())/1000, "p50-ms")
	m.b.ReportMetric(float64(waits[singles*99/100].Microseconds())/1000, "p99-ms")
}
