package metrics

import (
	"context"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/webhook"
)

// latencyTracker remembers when heads were first seen, and which webhooks that
// have not been sent yet were caused by one.
type latencyTracker struct {
	mu      sync.Mutex
	heads   map[chain.Network]seenHeads
	waiting map[string]waiting // by event
}

type seenHeads struct {
	heads chain.Heads
	at    time.Time
}

type waiting struct {
	network chain.Network
	seen    time.Time
}

const (
	// maxWaiting bounds how many unsent webhooks are remembered; beyond it none is
	// added until there is room.
	maxWaiting = 4096
	// waitingKept is how long one is remembered: another instance may send it, or
	// there may be no callback URL.
	waitingKept = 5 * time.Minute
)

func newLatencyTracker() *latencyTracker {
	return &latencyTracker{heads: make(map[chain.Network]seenHeads), waiting: make(map[string]waiting)}
}

func (s *latencyTracker) saw(n chain.Network, h chain.Heads, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := s.heads[n].heads; last.Latest.Hash != h.Latest.Hash || last.Final.Hash != h.Final.Hash ||
		last.Latest.Number != h.Latest.Number {
		s.heads[n] = seenHeads{h, now}
	}
}

// last returns the newest heads read of the network.
func (s *latencyTracker) last(n chain.Network) (chain.Heads, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, ok := s.heads[n]
	return x.heads, ok
}

// expect records that the newest head of the network caused the event.
func (s *latencyTracker) expect(event string, n chain.Network, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) >= maxWaiting {
		for id, w := range s.waiting {
			if now.Sub(w.seen) > waitingKept {
				delete(s.waiting, id)
			}
		}
	}
	if head, ok := s.heads[n]; ok && len(s.waiting) < maxWaiting {
		s.waiting[event] = waiting{n, head.at}
	}
}

// sent returns, once, the head that caused the event.
func (s *latencyTracker) sent(event string) (waiting, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, ok := s.waiting[event]
	delete(s.waiting, event)
	return w, ok
}

// Read returns the reader with its heads recorded.
func (m *Metrics) Read(r chain.Reader) chain.Reader { return reader{r, m} }

type reader struct {
	chain.Reader
	m *Metrics
}

// Heads records when heads are first seen.
func (r reader) Heads(ctx context.Context) (chain.Heads, error) {
	h, err := r.Reader.Heads(ctx)
	if err == nil {
		r.m.latency.saw(r.Network(), h, r.m.now())
	}
	return h, err
}

// TokenAccounts and Under are those of the reader (chain.TokenLister).
func (r reader) TokenAccounts(
	ctx context.Context, owners []chain.Address, l chain.Listing,
) ([]chain.TokenAccount, error) {
	return chain.TokenAccounts(ctx, r.Reader, owners, l)
}

func (r reader) Under(owner chain.Address) []chain.Address { return chain.Under(r.Reader, owner) }

// Webhooks measures, at the first attempt at each webhook, how long ago the block that caused it was seen.
func (m *Metrics) Webhooks(send webhook.Send) webhook.Send {
	return func(ctx context.Context, d webhook.Delivery) webhook.Result {
		if w, ok := m.latency.sent(d.EventID); ok && d.Attempt == 0 {
			m.toWebhook.WithLabelValues(network(w.network)).Observe(m.now().Sub(w.seen).Seconds())
		}
		return send(ctx, d)
	}
}
