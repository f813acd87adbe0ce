package payment_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// topUpOf is a top-up started on Polygon in USDC.
func topUpOf(t testing.TB, amount string) payment.Payment {
	t.Helper()
	p := started(t, amount)
	p.Kind, p.Credits, p.Terms.LateFor = payment.KindTopUp, ledger.Bought(p.Amount), payment.TopUpLate
	return p
}

// TestTopUp_EndedWithoutItsMoney: what the operator received buys what it is
// worth, once.
func TestTopUp_EndedWithoutItsMoney(t *testing.T) {
	t.Parallel()
	topUp := func() payment.Payment { return topUpOf(t, "10") }
	full := view(chain.Polygon, 1, 5, 5, transfer(usdcPolygon, "10000000", 3, "a", "x"))
	cancelled, err := topUp().Cancel(t0)
	if err != nil {
		t.Fatal(err)
	}
	c := observe(t, cancelled.Payment, full, t0)
	if c.Payment.Status != payment.Completed || len(c.Entries) != 1 || c.Entries[0].Count != 200 {
		t.Errorf("cancelled, then paid: %s, %v", c.Payment.Status, c.Entries)
	}
	if again := observe(t, c.Payment, full, t0); len(again.Entries) != 0 {
		t.Errorf("credited twice: %v", again.Entries)
	}
	more := observe(t, c.Payment, view(chain.Polygon, 6, 6, 6, transfer(usdcPolygon, "10000000", 6, "a", "y")), t0)
	if len(more.Entries) != 1 || more.Entries[0].Count != 200 || more.Entries[0].Ref == c.Entries[0].Ref {
		t.Errorf("the same again buys as much again: %v", more.Entries)
	}

	short := observe(
		t, topUp(), view(chain.Polygon, 1, 5, 5, transfer(usdcPolygon, "9990000", 3, "a", "x")), t0,
	).Payment
	c, err = short.Expire(payment.Coverage{chain.Polygon: short.ExpiresAt}, short.ExpiresAt)
	if err != nil || c.Payment.Status != payment.Completed || len(c.Entries) != 1 || c.Entries[0].Count != 199 ||
		c.Entries[0].To != ledger.Key(7) {
		t.Errorf("a cent short: %s, %v, %v", c.Payment.Status, c.Entries, err)
	}
	dust := observe(t, topUp(), view(chain.Polygon, 1, 5, 5, transfer(usdcPolygon, "1", 3, "a", "x")), t0).Payment
	if c, err = dust.Expire(payment.Coverage{chain.Polygon: dust.ExpiresAt}, dust.ExpiresAt); err != nil ||
		c.Payment.Status != payment.Expired {
		t.Errorf("dust: %s, %v", c.Payment.Status, err)
	}
}

// topUpStory applies what happens to a top-up and keeps the credits that its
// key has received, each Ref once, as the ledger does.
type topUpStory struct {
	*testing.T
	p       payment.Payment
	posted  map[string]int64
	credits int64
	block   uint64
}

func tellTopUp(t *testing.T, amount string) *topUpStory {
	return &topUpStory{T: t, p: topUpOf(t, amount), posted: map[string]int64{}}
}

func (s *topUpStory) apply(c payment.Change, err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
	s.p = c.Payment
	for _, e := range c.Entries {
		if n, known := s.posted[e.Ref]; known {
			s.Fatalf("entry %s is posted as %d and again as %d", e.Ref, n, e.Count)
		}
		if e.Count < 1 || e.To != ledger.Key(7) || e.From != ledger.Issued || e.Unit != ledger.Credit {
			s.Fatalf("entry %+v", e)
		}
		s.posted[e.Ref] = e.Count
		s.credits += e.Count
	}
	if s.p.Credited != s.credits {
		s.Fatalf("recorded are %d credits, posted %d", s.p.Credited, s.credits)
	}
}

// pay sends units of the asset in a final block of their own, twice seen.
func (s *topUpStory) pay(a chain.Asset, units string) {
	s.Helper()
	s.block++
	tr := transfer(a, units, s.block, "a", fmt.Sprint("tx", s.block))
	tr.To = s.p.Routes[0].Address.Address
	v := view(a.Network, s.block, s.block, s.block, tr)
	for range 2 {
		s.apply(s.p.Observe(v, t0))
	}
}

func (s *topUpStory) expire() {
	s.Helper()
	s.apply(s.p.Expire(payment.Coverage{chain.Polygon: s.p.ExpiresAt}, s.p.ExpiresAt))
}

func (s *topUpStory) cancel() {
	s.Helper()
	s.apply(s.p.Cancel(t0))
}

func (s *topUpStory) wants(status payment.Status, credits int64) {
	s.Helper()
	if s.p.Status != status || s.credits != credits {
		s.Errorf("%s with %d credits, want %s with %d", s.p.Status, s.credits, status, credits)
	}
}

// TestTopUp_EveryUnitBuys: the total of a top-up's final money buys what it is
// worth, once, in however many parts and whenever it comes.
func TestTopUp_EveryUnitBuys(t *testing.T) {
	t.Parallel()
	t.Run("HalfThenHalfAfterExpiry", func(t *testing.T) {
		s := tellTopUp(t, "20")
		s.pay(usdcPolygon, "10000000")
		s.wants(payment.Started, 0)
		s.expire()
		s.wants(payment.Completed, 200)
		s.pay(usdcPolygon, "10000000")
		s.wants(payment.Completed, 400)
	})
	t.Run("StrangersDustOnACancelledOne", func(t *testing.T) {
		s := tellTopUp(t, "20")
		s.cancel()
		s.pay(usdcPolygon, "50000")
		s.wants(payment.Completed, 1)
		s.pay(usdcPolygon, "20000000")
		s.wants(payment.Completed, 401)
	})
	t.Run("PartsTooSmallForACredit", func(t *testing.T) {
		s := tellTopUp(t, "20")
		s.expire()
		s.pay(usdcPolygon, "49999")
		s.wants(payment.Expired, 0)
		s.pay(usdcPolygon, "49999")
		s.wants(payment.Completed, 1)
		s.pay(usdcPolygon, "1")
		s.wants(payment.Completed, 1)
		s.pay(usdcPolygon, "1")
		s.wants(payment.Completed, 2)
	})
	t.Run("Over", func(t *testing.T) {
		s := tellTopUp(t, "20")
		s.pay(usdcPolygon, "20000000")
		s.pay(usdcPolygon, "20049999")
		s.wants(payment.Completed, 800)
	})
	t.Run("OtherListedToken", func(t *testing.T) {
		s := tellTopUp(t, "20")
		s.pay(usdtPolygon, "20000000")
		s.wants(payment.Completed, 400)
		s.pay(bridged, "20000000") // never counted automatically
		s.wants(payment.Completed, 400)
	})
	t.Run("OtherEVMNetwork", func(t *testing.T) {
		s := tellTopUp(t, "20")
		s.expire()
		s.pay(usdtBSC, "19999999999999999999")
		s.wants(payment.Completed, 399)
		s.pay(usdtBSC, "1")
		s.wants(payment.Completed, 400)
	})
	t.Run("NotYetFinal", func(t *testing.T) {
		s := tellTopUp(t, "20")
		s.pay(usdcPolygon, "20000000")
		tr := transfer(usdcPolygon, "20000000", 9, "a", "y")
		s.apply(s.p.Observe(view(chain.Polygon, 9, 9, 8, tr), t0))
		s.wants(payment.Completed, 400)
		s.apply(s.p.Observe(view(chain.Polygon, 9, 9, 9, tr), t0))
		s.wants(payment.Completed, 800)
	})
}

// TestTopUp_Reorg: money that vanishes after its credits were posted is reported,
// and what replaces it buys nothing again.
func TestTopUp_Reorg(t *testing.T) {
	t.Parallel()
	s := tellTopUp(t, "20")
	s.pay(usdcPolygon, "20000000")
	soft := view(chain.Polygon, 9, 9, 9, transfer(usdcPolygon, "5000000", 9, "a", "y"))
	soft.Finalized.Number = 8
	s.apply(s.p.Observe(soft, t0))
	s.wants(payment.Completed, 500)
	s.apply(s.p.Observe(view(chain.Polygon, 9, 10, 8), t0))
	s.wants(payment.Completed, 500)
	if !s.p.Reorged {
		t.Error("100 credits whose money vanished are not reported")
	}
	s.apply(s.p.Observe(view(chain.Polygon, 11, 11, 11, transfer(usdcPolygon, "5000000", 11, "b", "y")), t0))
	s.wants(payment.Completed, 500)
	s.block = 11
	s.pay(usdcPolygon, "50000")
	s.wants(payment.Completed, 501)
}

// TestTopUp_AnyOrder: whatever parts come in whatever order, with an end anywhere
// between, the credits are what the total is worth.
func TestTopUp_AnyOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 12))
		s := tellTopUp(t, "20")
		total := money.Micros(0)
		for range 1 + rng.IntN(8) {
			units := money.Micros(1 + rng.IntN(8_000_000))
			if rng.IntN(3) == 0 {
				units = money.Micros(1 + rng.IntN(60_000))
			}
			total += units
			s.pay([]chain.Asset{usdcPolygon, usdtPolygon}[rng.IntN(2)], strconv.FormatInt(int64(units), 10))
			if rng.IntN(4) == 0 && !s.p.Status.Final() {
				s.expire()
			}
		}
		if !s.p.Status.Final() {
			s.expire()
		}
		if s.credits != ledger.Bought(total) {
			t.Fatalf("seed %d: %d credits for %s, want %d", seed, s.credits, total, ledger.Bought(total))
		}
	}
}
