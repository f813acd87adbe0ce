package watch_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/wallet"
)

// Times of the slots chain.
const (
	slotTime  = 500 * time.Millisecond
	slotFinal = 32
)

// slots is a scripted reader of Solana, which makes a block in every slot, and counts what it is asked to scan.
type slots struct {
	chain.Reader
	r     *rig
	begin time.Time
	paid  []chain.Transfer
	asked map[chain.Address]int // scans by address
	hold  chain.Address         // cannot be read
	fails bool                  // nothing can be scanned
	large bool                  // nothing of more than two addresses can be scanned
	hides bool                  // no scan shows money
	alone bool                  // the other one of two endpoints is silent
	two   bool                  // endpoints, which say the same
}

func (s *slots) head(slot uint64) chain.Head {
	return chain.Head{
		Number: slot, Hash: fmt.Sprintf("slot %d", slot), Time: s.begin.Add(time.Duration(slot) * slotTime), //nolint:gosec // small
	}
}

func (s *slots) newest() uint64 { return uint64(s.r.now().Sub(s.begin) / slotTime) }

func (s *slots) Network() chain.Network            { return chain.Solana }
func (s *slots) Check(context.Context) error       { return nil }
func (s *slots) Endpoints() []chain.EndpointHealth { return nil }
func (s *slots) Heads(context.Context) (chain.Heads, error) {
	n := s.newest()
	return chain.Heads{Latest: s.head(n), Final: s.head(n - slotFinal), Finalized: s.head(n - slotFinal)}, nil
}

func (s *slots) BlockAt(_ context.Context, n uint64) (chain.Head, bool, error) {
	return s.head(n), n <= s.newest(), nil
}

func (s *slots) Scan(
	_ context.Context, from uint64, to chain.Head, set *chain.WatchSet, not ...string,
) (list []chain.Transfer, by string, err error) {
	if s.fails || s.alone && len(not) > 0 || s.large && set.Len() > 2 {
		return nil, "", chain.ErrNoEndpoint
	}
	by = "one"
	if slices.Contains(not, by) {
		by = "two"
	}
	for _, a := range set.All {
		s.asked[a]++
		if a == s.hold {
			err = &chain.UnreadError{Addresses: []chain.Address{a}, Reason: "it is held"}
		}
	}
	if s.hides {
		return nil, by, err
	}
	for _, t := range s.paid {
		in := slices.Collect(func(yield func(chain.Address) bool) {
			for _, a := range set.All {
				if a == t.To && a != s.hold && !yield(a) {
					return
				}
			}
		})
		if len(in) > 0 && t.Block.Number >= from && t.Block.Number <= to.Number {
			list = append(list, t)
		}
	}
	return list, by, err
}

func (s *slots) Quorum() int {
	if s.alone || s.two {
		return 2
	}
	return 1
}

func (s *slots) QuickRead(context.Context, chain.Look) (chain.QuickRead, error) {
	return chain.QuickRead{}, nil
}

func (s *slots) Judge(_ context.Context, list []chain.Transfer, _ chain.Head) ([]chain.Verdict, error) {
	return chain.Stands.Each(list, func(t chain.Transfer) bool {
		return slices.ContainsFunc(s.paid, func(p chain.Transfer) bool { return p.ID() == t.ID() })
	}), nil
}

func (s *slots) MostHeld(
	_ context.Context, asset chain.Asset, addresses []chain.Address, _ chain.Head,
) ([]money.Units, error) {
	list := make([]money.Units, len(addresses))
	for _, t := range s.paid {
		if i := slices.Index(addresses, t.To); i >= 0 && t.Asset.Contract == asset.Contract {
			list[i] = list[i].Add(t.Units)
		}
	}
	return list, nil
}

// pays puts 10 USDC to the payment's address into the newest slot.
func (s *slots) pays(p payment.Payment) { s.paysUnits(p, tenUSDC) }

func (s *slots) paysUnits(p payment.Payment, units uint64) {
	asset, _ := s.r.profile.Asset(money.USDC)
	s.paid = append(s.paid, chain.Transfer{
		Key:   chain.Key{Network: chain.Solana, Tx: chain.TxHash(fmt.Sprintf("transaction %d", len(s.paid)))},
		Asset: asset, To: p.Routes[0].Address.Address, Units: money.UnitsFromUint64(units),
		Block: s.head(s.newest()), Source: "one",
	})
}

// crowd is a store with addresses of payments that ended long ago and that nobody ever pays.
type crowd struct {
	*store.Store
	made int
}

func (c *crowd) Watches(
	ctx context.Context, networks []chain.Network, since watch.Mark, endedAfter time.Time,
) ([]watch.Address, watch.Mark, error) {
	list, mark, err := c.Store.Watches(ctx, networks, since, endedAfter)
	if since == (watch.Mark{}) {
		for i := range c.made {
			raw := make([]byte, 32)
			raw[0], raw[1], raw[2] = 0xcc, byte(i), byte(i>>8) //nolint:gosec // the low bytes
			list = append(list, watch.Address{
				Watched: chain.AddressOf(chain.Solana, raw), PaymentID: payment.ID(fmt.Sprintf("ended %d", i)),
				Network: chain.Solana,
			})
		}
	}
	return list, mark, err
}

// newSlotRig is a rig on Solana with so many ended payments beside those of the test.
func newSlotRig(t *testing.T, ended int) (*rig, *slots) {
	t.Helper()
	r := &rig{T: t}
	r.profile = solanaProfile()
	s := &slots{r: r, begin: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC), asked: make(map[chain.Address]int)}
	r.clock = s.begin.Add(time.Hour)
	r.openStore()
	r.newWatcher(s, ended)
	seed, _, err := wallet.GenerateSeed()
	r.must(err)
	r.serve(s, solana.NewDepositor(seed))
	return r, s
}

func solanaProfile() chain.Profile {
	list := chain.Profiles()
	return list[slices.IndexFunc(list, func(p chain.Profile) bool { return p.Network == chain.Solana })]
}

// newWatcher starts the program again.
func (r *rig) newWatcher(s *slots, ended int) {
	r.watcher = watch.NewWatcher(
		r.profile, s, &crowd{r.store, ended}, "one", r.now, slog.New(slog.DiscardHandler),
	)
}

// ended starts a payment and cancels it, long enough ago that its address rests.
func (r *rig) ended() payment.Payment {
	r.Helper()
	p := r.start()
	p, err := r.service.Cancel(r.Context(), string(p.ID), audit.Act{})
	r.must(err)
	r.rounds(12 * time.Minute)
	return p
}

// rounds lets time pass, with a round every minute.
func (r *rig) rounds(d time.Duration) {
	r.Helper()
	for range int(d / time.Minute) {
		r.pass(time.Minute)
		r.watch()
	}
}
