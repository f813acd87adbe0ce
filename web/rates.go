package web

import (
	"context"
	"hash/maphash"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/static"
)

// Rate is how often something may be done: PerSecond in the long run, Burst at
// once.
type Rate struct {
	PerSecond float64
	Burst     int
}

// Rates are the limits. A program on the same machine that no proxy stands
// before is not limited.
type Rates struct {
	Client Rate // requests of one address
	Key    Rate // operations of one API key
	Costly Rate // operations of one address that cost much (operation.Limits)
	// Open is how many payments one address may open at a merchant's cost: each
	// donation takes a credit, and so may each use of a payment link.
	Open Rate
	// Streams is how many live pages one address may have open, NearStreams
	// those of its neighbourhood together (an IPv6 /48, which one customer of a
	// provider may have, or an IPv4 /24), PaymentStreams those of one payment,
	// and AllStreams how many there may be in all.
	Streams        int
	NearStreams    int
	PaymentStreams int
	AllStreams     int
}

// DefaultRates are more than any shop needs, whose own server is one address,
// and little enough that one client does not take the others' share.
func DefaultRates() Rates {
	return Rates{
		Client: Rate{PerSecond: 100, Burst: 400}, Key: Rate{PerSecond: 100, Burst: 400}, Costly: Rate{PerSecond: 0.5, Burst: 20},
		Open:    Rate{PerSecond: 1. / 30, Burst: 30},
		Streams: 100, NearStreams: 1_000, PaymentStreams: 200, AllStreams: 30_000,
	}
}

// limits counts what clients and keys do. It is safe for concurrent use.
type limits struct {
	clients, keys, costly, open *meter
	now                         func() time.Time
}

func newLimits(r Rates, now func() time.Time) *limits {
	return &limits{clients: newMeter(r.Client), keys: newMeter(r.Key), costly: newMeter(r.Costly), open: newMeter(r.Open), now: now}
}

// Key counts an operation of the API key.
func (l *limits) Key(ctx context.Context, keyID int64) error {
	if operation.CallOf(ctx).Client == "" {
		return nil
	}
	return refusedFor(l.keys.take(strconv.FormatInt(keyID, 10), l.now()))
}

// Costly counts an operation that costs much more than it costs to ask for.
func (l *limits) Costly(ctx context.Context) error { return l.ofClient(ctx, l.costly) }

// Open counts a payment that somebody opens at a merchant's cost.
func (l *limits) Open(ctx context.Context) error { return l.ofClient(ctx, l.open) }

func (l *limits) ofClient(ctx context.Context, m *meter) error {
	client := operation.CallOf(ctx).Client
	if client == "" {
		return nil
	}
	return refusedFor(m.take(client, l.now()))
}

func refusedFor(wait time.Duration) error {
	if wait <= 0 {
		return nil
	}
	return fault.Retry(fault.Limited, wait, "too many requests; try again in %d s", seconds(wait))
}

// perClient counts requests by address. What costs next to nothing is free: a
// page asks for its files all at once, and a monitor may ask as often as it likes.
func (s *Server) perClient(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		free := c.Path() == "/health" || strings.HasPrefix(c.Path(), static.Prefix)
		if client := callOf(c).Client; client != "" && !free {
			if err := refusedFor(s.limits.clients.take(client, s.d.Now())); err != nil {
				return err
			}
		}
		return next(c)
	}
}

// Sizes of a meter. A full shard forgets whoever has nothing against them
// first, and then anybody: an attack from that many addresses at once is for a
// firewall to stop, and must not fill the memory.
const (
	meterShards   = 16
	maxShardNames = 4_096 // 64 Ki names, about 6 MB, when full
)

// meter allows each name a rate, by the generic cell rate algorithm: it keeps
// one time for each, at which its allowance is whole again.
type meter struct {
	every  time.Duration // one more is allowed after it
	burst  time.Duration // how far ahead of now the time may be
	seed   maphash.Seed
	shards [meterShards]meterShard
}

type meterShard struct {
	mu    sync.Mutex
	whole map[string]time.Time
}

func newMeter(r Rate) *meter {
	every := time.Duration(float64(time.Second) / r.PerSecond)
	m := &meter{every: every, burst: every * time.Duration(r.Burst), seed: maphash.MakeSeed()}
	for i := range m.shards {
		m.shards[i].whole = make(map[string]time.Time)
	}
	return m
}

// take counts one and returns 0, or counts nothing and returns when to come back.
func (m *meter) take(name string, now time.Time) time.Duration {
	s := &m.shards[maphash.String(m.seed, name)%meterShards]
	s.mu.Lock()
	defer s.mu.Unlock()
	whole, known := s.whole[name]
	if whole.Before(now) {
		whole = now
	}
	next := whole.Add(m.every)
	if wait := next.Sub(now) - m.burst; wait > 0 {
		return wait
	}
	if !known && len(s.whole) >= maxShardNames {
		s.makeRoom(now)
	}
	s.whole[name] = next
	return 0
}

func (s *meterShard) makeRoom(now time.Time) {
	for name, whole := range s.whole {
		if whole.Before(now) {
			delete(s.whole, name)
		}
	}
	for name := range s.whole {
		if len(s.whole) < maxShardNames*3/4 {
			return
		}
		delete(s.whole, name)
	}
}
