package finding

import (
	"context"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// Reader looks transactions and balances up on one network.
type Reader interface {
	Find(ctx context.Context, tx chain.TxHash) (chain.Found, error)
	Balances(ctx context.Context, asset chain.Asset, addresses []chain.Address, at chain.Head) ([]money.Units, error)
}

// Payments gives what is known of payments and networks.
type Payments interface {
	Get(ctx context.Context, id string) (payment.Payment, error)
	Lane(n chain.Network) (payment.Lane, bool)
	Health(n chain.Network) payment.Health
}

// Service finds transactions. It is safe for concurrent use.
type Service struct {
	payments Payments
	readers  map[chain.Network]Reader
	now      func() time.Time
}

// New returns the service; readers are those of the configured networks.
func New[R Reader](p Payments, readers map[chain.Network]R, now func() time.Time) *Service {
	s := &Service{payments: p, readers: make(map[chain.Network]Reader, len(readers)), now: now}
	for n, r := range readers {
		s.readers[n] = r
	}
	return s
}

// lookTime bounds a look at all networks: a person waits for it.
const lookTime = 8 * time.Second

// Find says what became of the transaction for the payment, or of the money
// sent from or to an address. It fails with fault.Invalid for a text that is
// neither, and with payment.ErrUnknown.
func (s *Service) Find(ctx context.Context, id, text string) (Finding, error) {
	p, err := s.payments.Get(ctx, id)
	if err != nil {
		return Finding{}, err
	}
	if a, networks, ok := parseAddress(text); ok {
		f := s.from(ctx, p, a, networks)
		f.ByAddress = true
		return f, nil
	}
	hash, networks, err := parse(text)
	if err != nil {
		return Finding{}, err
	}
	if f, ok := known(p, hash, s.finalIn, s.now()); ok {
		return f, nil
	}
	f := s.look(ctx, p, hash, networks)
	f.Hash = hash
	return f, nil
}

// look asks every network the hash can be on, all at once.
func (s *Service) look(ctx context.Context, p payment.Payment, hash chain.TxHash, networks []chain.Network) Finding {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	var (
		mu   sync.Mutex
		wg   sync.WaitGroup
		best = Finding{Verdict: NotFound}
	)
	for _, n := range networks {
		reader, ok := s.readers[n]
		lane, configured := s.payments.Lane(n)
		if !ok || !configured {
			continue
		}
		wg.Go(func() {
			f := Finding{Verdict: Unavailable, Network: n}
			if found, err := reader.Find(ctx, hash); err == nil {
				f = judge(p, lane.Profile, found, s.finalIn(n))
			}
			mu.Lock()
			defer mu.Unlock()
			best = better(best, f)
		})
	}
	wg.Wait()
	return best
}

// finalIn is how long the network takes at present until money is final.
func (s *Service) finalIn(n chain.Network) time.Duration {
	if h := s.payments.Health(n); h.FinalIn > 0 {
		return h.FinalIn
	}
	lane, _ := s.payments.Lane(n)
	return lane.Profile.TypicalFinal
}
