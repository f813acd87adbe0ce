package chain

import (
	"slices"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/money"
)

// Alone is what the operator lets one endpoint decide while the other one of two is silent for longer than AloneAfter.
// Its zero value allows nothing: two must say the same.
type Alone string

// The rules for one of two endpoints.
const (
	AloneStop  Alone = "stop"  // nothing is credited
	AloneSmall Alone = "small" // transactions of at most AloneMost are credited, larger ones wait
	AloneAll   Alone = "all"   // everything is credited
)

const (
	// AloneAfter is how long the newest block of the other endpoint has not moved.
	AloneAfter = 10 * time.Minute
	// AloneDepth is how long a block must have been final by the word of one endpoint.
	AloneDepth = 5 * time.Minute
	// AloneMost is what one endpoint that lies can invent at once under AloneSmall.
	AloneMost = 100 * money.USD
)

// Lone reports whether one of two voices is left, by when the newest block of each has moved.
func (a Alone) Lone(moved map[string]time.Time, now time.Time) bool {
	return (a == AloneSmall || a == AloneAll) && len(moved) == 2 && moving(moved, now) == 1
}

// LoneFinal returns the one voice that is left that says what is final, by when the final block of each has moved. Of
// more than two, enough must show newer blocks to confirm the money in them.
func (a Alone) LoneFinal(final, moved map[string]time.Time, now time.Time) (voice string, ok bool) {
	for v, at := range final {
		if now.Sub(at) <= AloneAfter {
			voice = v
		}
	}
	return voice, (a == AloneSmall || a == AloneAll) && len(final) > 1 && moving(final, now) == 1 &&
		(len(moved) == 2 || moving(moved, now) >= Quorum(len(moved)))
}

// moving counts the voices that have not stood still for AloneAfter.
func moving(moved map[string]time.Time, now time.Time) (n int) {
	for _, at := range moved {
		if now.Sub(at) <= AloneAfter {
			n++
		}
	}
	return n
}

// Allows reports whether the transfers of a transaction may be credited on the word of one endpoint.
func (a Alone) Allows(transfers []Transfer) bool {
	sum := money.Micros(0).Atto()
	for _, t := range transfers {
		sum = sum.Add(t.Units.Atto(t.Asset.Decimals))
	}
	return a == AloneAll || a == AloneSmall && sum.Cmp(AloneMost.Atto()) <= 0
}

// Aged keeps what one endpoint has reported to be final for AloneDepth, and has not gone back behind. Its zero value is
// ready for use, and it is safe for concurrent use.
type Aged[T any] struct {
	mu   sync.Mutex
	list []aged[T]
}

type aged[T any] struct {
	at     time.Time
	number uint64
	value  T
}

// agedEvery is how often a value is kept: it bounds the memory.
const agedEvery = 10 * time.Second

// Keep adds the value of now, which is about the block with the number, and drops those of higher blocks, which the
// endpoint does not call final any more.
func (g *Aged[T]) Keep(value T, number uint64, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.list = slices.DeleteFunc(g.list, func(v aged[T]) bool { return v.number > number })
	if n := len(g.list); n == 0 || now.Sub(g.list[n-1].at) >= agedEvery {
		g.list = append(g.list, aged[T]{now, number, value})
	}
	for len(g.list) > 1 && now.Sub(g.list[1].at) >= AloneDepth {
		g.list = g.list[1:]
	}
}

// Old returns the newest value that is as old as AloneDepth, if there is one.
func (g *Aged[T]) Old(now time.Time) (old T, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, v := range g.list {
		if now.Sub(v.at) < AloneDepth {
			break
		}
		old, ok = v.value, true
	}
	return old, ok
}

// Forget drops what is kept: the endpoints agree again.
func (g *Aged[T]) Forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.list = nil
}
