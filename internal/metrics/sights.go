package metrics

import (
	"context"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/webhook"
)

// sights remembers when heads were first seen, and which webhooks that have
// not been sent yet tell of one.
type sights struct {
	mu      sync.Mutex
	heads   map[chain.Network]sight
	waiting map[string]waiting // by event
}

type sight struct {
	heads chain.Heads
	at    time.Time
}

type waiting struct {
	network chain.Network
	seen    time.Time
}

const (
	// maxWaiting bounds how many webhooks are waited for; beyond it none is
	// measured until there is room.
	maxWaiting = 4096
	// waitingKept is how long one is waited for: it may be sent by another
	// instance, or there is no callback URL.
	waitingKept = 5 * time.Minute
)

func newSights() *sights {
	return &sights{heads: make(map[chain.Network]sight), waiting: make(map[string]waiting)}
}

func (s *sights) saw(n chain.Network, h chain.Heads, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := s.heads[n].heads; last.Latest.Hash != h.Latest.Hash || last.Final.Hash != h.Final.Hash || last.Latest.Number != h.Latest.Number {
		s.heads[n] = sight{h, now}
	}
}

// last returns the newest heads read of the network, whatever came after.
func (s *sights) last(n chain.Network) (chain.Heads, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, ok := s.heads[n]
	return x.heads, ok
}

// expect notes that the event tells of the head seen last on the network.
func (s *sights) expect(event string, n chain.Network, now time.Time) {
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

// sent returns, once, which head the event tells of.
func (s *sights) sent(event string) (waiting, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, ok := s.waiting[event]
	delete(s.waiting, event)
	return w, ok
}

// Read returns the reader with its heads noted.
func (m *Metrics) Read(r chain.Reader) chain.Reader { return reader{r, m} }

type reader struct {
	chain.Reader
	m *Metrics
}

// Heads notes when heads are seen first.
func (r reader) Heads(ctx context.Context) (chain.Heads, error) {
	h, err := r.Reader.Heads(ctx)
	if err == nil {
		r.m.sights.saw(r.Network(), h, r.m.now())
	}
	return h, err
}

// Posts returns the sender with the first attempts at webhooks timed.
func (m *Metrics) Posts(p webhook.Posts) webhook.Posts { return posts{p, m} }

type posts struct {
	next webhook.Posts
	m    *Metrics
}

// Send measures how long ago the block that the webhook tells of was seen.
func (p posts) Send(ctx context.Context, d webhook.Delivery) webhook.Result {
	if w, ok := p.m.sights.sent(d.EventID); ok && d.Attempt == 0 {
		p.m.toWebhook.WithLabelValues(network(w.network)).Observe(p.m.now().Sub(w.seen).Seconds())
	}
	return p.next.Send(ctx, d)
}
