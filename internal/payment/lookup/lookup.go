package lookup

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// Finder answers "I have paid, find it": it looks a transaction up on every
// network it could be on and says what is wrong with it or when it is final.
// Money is credited by the Watcher alone; a final transaction that it has missed is read again (watch.Repair). It is
// safe for concurrent use.
type Finder struct {
	payments *payment.Service
	readers  map[chain.Network]chain.Reader
	repairs  watch.Store
	now      func() time.Time
	// Lists bounds on each network how often payers have token accounts listed; nil: nothing does.
	Lists map[chain.Network]*chain.Lists
}

// New returns a lookup over the readers of the configured networks.
func New(
	s *payment.Service, readers map[chain.Network]chain.Reader, repairs watch.Store, now func() time.Time,
) *Finder {
	return &Finder{payments: s, readers: readers, repairs: repairs, now: now}
}

// timeout bounds the time for all networks: a payer waits for the answer.
const timeout = 8 * time.Second

// Find says what became of a transaction of the payment, or of the money sent
// from or to an address. text is a transaction hash, a link to an explorer or
// an address; anything else fails with fault.Invalid. A payment that does not
// exist fails with ErrUnknown. Its calls to endpoints are those of a stranger.
func (l *Finder) Find(ctx context.Context, id, text string) (Result, error) {
	ctx = chain.AsStranger(ctx)
	p, err := l.payments.Get(ctx, id)
	if err != nil {
		return Result{}, err
	}
	hash, networks, err := ParseHash(text)
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
	own, others := split(p, networks)
	r := l.byHash(ctx, p, hash, own)
	if r.Verdict == NotFound || r.Verdict == Unavailable {
		r = betterResult(r, l.byHash(ctx, p, hash, others))
	}
	r.Hash = hash
	return r, nil
}

// split returns which of the networks the payment has an address for, and the others.
func split(p payment.Payment, networks []chain.Network) (own, others []chain.Network) {
	for _, n := range networks {
		if slices.ContainsFunc(p.Routes, func(r payment.Route) bool { return r.Network == n }) {
			own = append(own, n)
		} else {
			others = append(others, n)
		}
	}
	return own, others
}

// byHash asks the networks, in parallel.
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
			found.Transfers = claimed(p, network.Profile, reader, found.Transfers)
			r := judgeFound(p, network.Profile, found, l.finalIn(n))
			if list := missed(p, network.Profile, found); len(list) > 0 {
				r.Reread = l.reread(ctx, p, list, found.Final)
			} else if r.Verdict == OtherAddress || r.Verdict == NotFound {
				l.byAccounts(ctx, reader, p, network.Profile) // something else may have come meanwhile
			}
			return r
		})
	}
	return best.Wait()
}

// errFound: a payer has named a transaction that is final and not recorded.
var errFound = fault.New(fault.Unavailable, "a final transaction that pays the payment is not recorded; its block is read again")

// reread has the block of transfers of one transaction that are final, or came to token accounts that no scan reads,
// read at once, whether the network was read up to it or not. It reports whether they are recorded a moment from now;
// otherwise that comes when they are final.
func (l *Finder) reread(ctx context.Context, p payment.Payment, list []chain.Transfer, final bool) bool {
	n, block := list[0].Network, list[0].Block.Number
	accounts := accountsOf(list)
	c, ok, err := l.repairs.Cursor(ctx, n)
	// What waits for a block that the chain never has waits for good, and the payment with it.
	if err != nil || !ok || list[0].Block.After(c.Scanned, l.now()) != nil {
		return false
	}
	if shown := shownOf(list); !l.pending(ctx, p, n, block, shown, accounts) {
		err = watch.RepairShown(ctx, l.repairs, n, p.ID, block, errFound, l.now(), shown, accounts...)
	}
	return err == nil && (final || c.Scanned.Number >= block)
}

func accountsOf(list []chain.Transfer) (accounts []chain.Address) {
	for _, t := range list {
		if t.Account != "" {
			accounts = append(accounts, t.Account)
		}
	}
	return accounts
}

// shownOf returns the transfers that every scan reads, so that they are judged even if no endpoint lists them. Scans of
// a flood know dust by another place.
func shownOf(list []chain.Transfer) (shown []chain.Transfer) {
	for _, t := range list {
		if t.Account == "" && !isDust(t) {
			t.Holder = ""
			shown = append(shown, t)
		}
	}
	return shown
}

// pending reports whether the payment's addresses, with the accounts, are to be read again from the block on, and the
// transfers shown to be judged.
func (l *Finder) pending(
	ctx context.Context, p payment.Payment, n chain.Network, block uint64, shown []chain.Transfer,
	accounts []chain.Address,
) bool {
	asked, err := l.repairs.SetAsides(ctx, n)
	return err == nil && slices.ContainsFunc(asked, func(a watch.SetAside) bool {
		missing := func(k chain.Address) bool { return !slices.Contains(a.Accounts, k) }
		return a.PaymentID == p.ID && a.From <= block && !a.Show(shown) && !slices.ContainsFunc(accounts, missing)
	})
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
