package lookup

import (
	"context"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// Finder answers "I have paid, find it": it looks a transaction up on every
// network it could be on and says what is wrong with it or when it is final.
// It only reads: money is credited by the Watcher alone. It is safe for
// concurrent use.
type Finder struct {
	payments *payment.Service
	readers  map[chain.Network]chain.Reader
	now      func() time.Time
}

// New returns a lookup over the readers of the configured networks.
func New(s *payment.Service, readers map[chain.Network]chain.Reader, now func() time.Time) *Finder {
	return &Finder{payments: s, readers: readers, now: now}
}

// timeout bounds the time for all networks: a payer waits for the answer.
const timeout = 8 * time.Second

// Find says what became of a transaction of the payment, or of the money sent
// from or to an address. text is a transaction hash, a link to an explorer or
// an address; anything else fails with fault.Invalid. A payment that does not
// exist fails with ErrUnknown.
func (l *Finder) Find(ctx context.Context, id, text string) (Result, error) {
	p, err := l.payments.Get(ctx, id)
	if err != nil {
		return Result{}, err
	}
	hash, networks, err := parseHash(text)
	if err != nil {
		a, networks, ok := parseAddress(text)
		if !ok {
			return Result{}, err
		}
		r := l.byAddress(ctx, p, a, networks)
		r.ByAddress = true
		return r, nil
	}
	if r, ok := judgeStored(p, hash, l.finalIn, l.now()); ok {
		return r, nil
	}
	r := l.byHash(ctx, p, hash, networks)
	r.Hash = hash
	return r, nil
}

// byHash asks every network the hash can be on, in parallel.
func (l *Finder) byHash(ctx context.Context, p payment.Payment, hash chain.TxHash, networks []chain.Network) Result {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var best bestResult
	for _, n := range networks {
		reader, ok := l.readers[n]
		network, configured := l.payments.Network(n)
		if !ok || !configured {
			continue
		}
		best.Go(func() Result {
			found, err := reader.Find(ctx, hash)
			if err != nil {
				return Result{Verdict: Unavailable, Network: n}
			}
			return judgeFound(p, network.Profile, found, l.finalIn(n))
		})
	}
	return best.Wait()
}

// finalIn is how long the network takes at present until money is final.
func (l *Finder) finalIn(n chain.Network) time.Duration {
	if h := l.payments.Health(n); h.FinalIn > 0 {
		return h.FinalIn
	}
	network, _ := l.payments.Network(n)
	return network.Profile.TypicalFinal
}

// bestResult runs lookups in parallel and keeps the result of highest rank.
type bestResult struct {
	wg   sync.WaitGroup
	mu   sync.Mutex
	best Result
}

// Go runs the lookup in a goroutine of its own.
func (b *bestResult) Go(look func() Result) {
	b.wg.Go(func() {
		r := look()
		b.mu.Lock()
		defer b.mu.Unlock()
		b.best = betterResult(b.best, r)
	})
}

// Wait returns the best result once all lookups have ended, NotFound
// where there was none.
func (b *bestResult) Wait() Result {
	b.wg.Wait()
	return betterResult(Result{Verdict: NotFound}, b.best)
}
