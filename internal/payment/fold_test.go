package payment_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// specks are small transfers to the payment in one block, each in a transaction of
// its own.
func specks(p payment.Payment, block uint64, n int, micros int64) []chain.Transfer {
	list := make([]chain.Transfer, n)
	for i := range list {
		list[i] = transfer(usdcPolygon, strconv.FormatInt(micros, 10), block, "a", fmt.Sprintf("speck-%d-%d", block, i))
		list[i].To = p.Routes[0].Address.Address
	}
	return list
}

// units is all that counts, in the token's smallest unit.
func units(p payment.Payment) int64 { return int64(p.Received().Micros()) }

// TestFold_Specks: however many specks come, a few rows and events hold them, and
// each counts once.
func TestFold_Specks(t *testing.T) {
	t.Parallel()
	p := started(t, "1000000")
	events := 0
	const blocks, each = 32, 1_000
	for b := uint64(1); b <= blocks; b++ {
		v := view(chain.Polygon, b, b, b, specks(p, b, each, 7)...)
		for range 2 { // the same view again changes nothing
			c := observe(t, p, v, t0)
			if len(c.Deposits) > payment.FoldFrom+1 {
				t.Fatalf("block %d writes %d rows", b, len(c.Deposits))
			}
			p, events = c.Payment, events+len(c.Events)
		}
	}
	if len(p.Deposits) != payment.FoldFrom+1 || events > payment.FoldFrom+2 {
		t.Errorf("%d rows and %d events", len(p.Deposits), events)
	}
	if got := units(p); got != blocks*each*7 {
		t.Errorf("received %d, want %d", got, blocks*each*7)
	}
	last := p.Deposits[len(p.Deposits)-1]
	if last.Count != blocks*each-payment.FoldFrom || !last.Rechecked || last.State != payment.DepositFinal {
		t.Errorf("folded: %+v", last)
	}
	// Everything at once, as after an outage, adds nothing.
	var all []chain.Transfer
	for b := uint64(1); b <= blocks; b++ {
		all = append(all, specks(p, b, each, 7)...)
	}
	if c := observe(t, p, view(chain.Polygon, 1, blocks, blocks, all...), t0); !c.None() {
		t.Errorf("read again: %d rows, %d events", len(c.Deposits), len(c.Events))
	}
}

// TestFold_Money: what is worth a cent is recorded by itself beside any number of
// specks, and completes the payment; specks complete it too.
func TestFold_Money(t *testing.T) {
	t.Parallel()
	t.Run("BesideSpecks", func(t *testing.T) {
		p := observe(t, started(t, "10"), view(chain.Polygon, 1, 1, 1, specks(started(t, "10"), 1, 100, 1)...), t0).Payment
		c := observe(t, p, view(chain.Polygon, 2, 4, 2, transfer(usdcPolygon, "9999900", 3, "a", "money")), t0)
		if len(c.Deposits) != 1 || c.Deposits[0].Folded() || c.Payment.Incoming().IsZero() {
			t.Fatalf("money is seen as %+v", c.Deposits)
		}
		c = observe(t, c.Payment, view(chain.Polygon, 3, 3, 3, transfer(usdcPolygon, "9999900", 3, "a", "money")), t0)
		if c.Payment.Status != payment.Completed || c.Payment.Hash != "money" {
			t.Errorf("%s by %s", c.Payment.Status, c.Payment.Hash)
		}
	})
	t.Run("SpecksComplete", func(t *testing.T) {
		p := started(t, "10")
		c := observe(t, p, view(chain.Polygon, 1, 1, 1, specks(p, 1, 1_000, 9_999)...), t0)
		if c.Payment.Status != payment.Started {
			t.Fatalf("a tenth of a cent short: %s", c.Payment.Status)
		}
		c = observe(t, c.Payment, view(chain.Polygon, 2, 2, 2, specks(p, 2, 1, 1_000)...), t0)
		if c.Payment.Status != payment.Completed || units(c.Payment) != 10_000_000 {
			t.Errorf("%s with %d", c.Payment.Status, units(c.Payment))
		}
	})
	t.Run("TopUp", func(t *testing.T) {
		s := tellTopUp(t, "20")
		s.cancel()
		s.apply(s.p.Observe(view(chain.Polygon, 1, 1, 1, specks(s.p, 1, 1_000, 9_999)...), t0))
		s.wants(payment.Completed, 199)
		s.apply(s.p.Observe(view(chain.Polygon, 2, 2, 2, specks(s.p, 2, 1_000, 9_999)...), t0))
		s.wants(payment.Completed, 399)
	})
	t.Run("CentsByTheThousand", func(t *testing.T) {
		p := started(t, "1000000")
		for b := uint64(1); b <= 20; b++ {
			p = observe(t, p, view(chain.Polygon, b, b, b, specks(p, b, 500, 10_000)...), t0).Payment
		}
		if units(p) != 20*500*10_000 || len(p.Deposits) > 200 {
			t.Errorf("%d in %d rows", units(p), len(p.Deposits))
		}
		for b := uint64(21); b <= 40; b++ {
			p = observe(t, p, view(chain.Polygon, b, b, b, specks(p, b, 100, 2_000_000)...), t0).Payment
		}
		if units(p) != 20*500*10_000+20*100*2_000_000 || len(p.Deposits) > 1_100 {
			t.Errorf("%d in %d rows", units(p), len(p.Deposits))
		}
	})
}

// TestFold_Reorg: a block is folded when it is finalized, so nothing that is folded
// can vanish, and a block that is replaced is counted as it ends up.
func TestFold_Reorg(t *testing.T) {
	t.Parallel()
	p := started(t, "10")
	p = observe(t, p, view(chain.Polygon, 1, 1, 1, specks(p, 1, payment.FoldFrom, 1)...), t0).Payment
	soft := view(chain.Polygon, 2, 3, 3, append(specks(p, 2, 50, 1), specks(p, 3, 50, 1)...)...)
	soft.Finalized.Number = 1
	if c := observe(t, p, soft, t0); !c.None() || units(c.Payment) != payment.FoldFrom {
		t.Fatalf("before finality: %d", units(c.Payment))
	}
	// The cursor is past blocks that are not finalized: nothing later is folded before them.
	ahead := view(chain.Polygon, 4, 4, 4, specks(p, 4, 5, 1)...)
	ahead.Unread = true
	if c := observe(t, p, ahead, t0); !c.None() {
		t.Fatalf("folded out of order: %+v", c.Deposits)
	}
	p = observe(t, p, view(chain.Polygon, 2, 4, 4, append(specks(p, 3, 70, 1), specks(p, 4, 5, 1)...)...), t0).Payment
	if units(p) != payment.FoldFrom+75 {
		t.Errorf("received %d", units(p))
	}
}

// TestFold_Swept: what comes after a folded deposit was swept is another one.
func TestFold_Swept(t *testing.T) {
	t.Parallel()
	p := started(t, "10")
	p = observe(t, p, view(chain.Polygon, 1, 1, 1, specks(p, 1, 100, 1)...), t0).Payment
	p.Deposits[len(p.Deposits)-1].Swept = true
	for b := uint64(2); b <= 4; b++ {
		p = observe(t, p, view(chain.Polygon, b, b, b, specks(p, b, 100, 1)...), t0).Payment
	}
	if n := len(p.Deposits); n != payment.FoldFrom+2 || p.Deposits[n-1].Count != 300 ||
		p.Deposits[n-2].Count != 100-payment.FoldFrom {
		t.Errorf("%d rows: %+v", n, p.Deposits[payment.FoldFrom:])
	}
	if c := observe(t, p, view(chain.Polygon, 1, 1, 1, specks(p, 1, 100, 1)...), t0); !c.None() {
		t.Error("a block that was swept is counted again")
	}
}

// TestFold_Missed: what an endpoint left out of blocks that are folded is found when
// all of them are read again, once.
func TestFold_Missed(t *testing.T) {
	t.Parallel()
	p := started(t, "10")
	var all []chain.Transfer
	for b := uint64(1); b <= 4; b++ {
		list := specks(p, b, 100, 1)
		all = append(all, list...)
		if b == 3 {
			list = list[:50]
		}
		p = observe(t, p, view(chain.Polygon, b, b, b, list...), t0).Payment
	}
	for range 2 {
		p = observe(t, p, view(chain.Polygon, 1, 4, 4, all...), t0).Payment
		if units(p) != 400 {
			t.Fatalf("received %d of 400", units(p))
		}
	}
}

// TestFold_MissedOfSwept: what was left out of blocks whose folded deposit is swept by now is a deposit of its own,
// once, and an answer that leaves out what is folded takes nothing back.
func TestFold_MissedOfSwept(t *testing.T) {
	t.Parallel()
	p := started(t, "10")
	var all []chain.Transfer
	for b := uint64(1); b <= 4; b++ {
		list := specks(p, b, 100, 1)
		all = append(all, list...)
		if b == 3 {
			list = list[:50]
		}
		p = observe(t, p, view(chain.Polygon, b, b, b, list...), t0).Payment
	}
	if c := observe(t, p, view(chain.Polygon, 1, 4, 4, all[:250]...), t0); !c.None() {
		t.Errorf("an answer with less changes it to %+v", c.Deposits)
	}
	p.Deposits[len(p.Deposits)-1].Swept = true
	for range 2 {
		p = observe(t, p, view(chain.Polygon, 1, 4, 4, all...), t0).Payment
		last := p.Deposits[len(p.Deposits)-1]
		if units(p) != 400 || last.Swept || last.Count != 50 {
			t.Fatalf("received %d of 400, the last row is %+v", units(p), last)
		}
	}
	p.Deposits[len(p.Deposits)-1].Swept = true
	all = append(all, specks(p, 5, 100, 1)...)
	for range 2 {
		p = observe(t, p, view(chain.Polygon, 1, 5, 5, all...), t0).Payment
		last := p.Deposits[len(p.Deposits)-1]
		if units(p) != 500 || last.Swept || last.Count != 100 || last.Transfer.Tx != "speck-5-0" {
			t.Fatalf("received %d of 500, the last row is %+v", units(p), last)
		}
	}
}

// TestFold_Apart: a transfer without its place, of a transaction that is recorded by itself, is not folded, beside
// others that are. With its place it is that deposit, whatever that was worth before.
func TestFold_Apart(t *testing.T) {
	t.Parallel()
	p := started(t, "10")
	p = observe(t, p, view(chain.Polygon, 1, 1, 1, specks(p, 1, 100, 1)...), t0).Payment
	before := units(p)
	larger := specks(p, 2, 1, 20_000)
	p = observe(t, p, view(chain.Polygon, 2, 2, 1, larger...), t0).Payment
	list := specks(p, 2, 3, 5_000)
	for i := range list {
		list[i].Ordinal = -1 - i
	}
	v := view(chain.Polygon, 2, 2, 2, list...)
	v.Doubted = func(chain.Transfer) bool { return true }
	p = observe(t, p, v, t0).Payment
	if got := units(p) - before; got != 2*5_000 {
		t.Errorf("the view without places adds %d", got)
	}
	p = observe(t, p, view(chain.Polygon, 2, 2, 2, specks(p, 2, 3, 5_000)...), t0).Payment
	if got := units(p) - before; got != 3*5_000 {
		t.Errorf("the view with places adds %d", got)
	}
}

// TestFold_ShownAgain: an endpoint shows a transfer that is folded again, larger and in a later block, so that it is
// recorded by itself there. Read again where it is, it counts once.
func TestFold_ShownAgain(t *testing.T) {
	t.Parallel()
	for name, vanishes := range map[string]bool{"Stays": false, "Vanished": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := started(t, "10")
			p = observe(t, p, view(chain.Polygon, 1, 1, 1, specks(p, 1, 100, 1)...), t0).Payment
			truth := specks(p, 2, 3, 5_000)
			p = observe(t, p, view(chain.Polygon, 2, 2, 2, truth...), t0).Payment
			want := units(p)
			again := specks(p, 2, 1, 20_000)
			again[0].Block.Number = 7
			p = observe(t, p, view(chain.Polygon, 3, 7, 2, again...), t0).Payment
			if vanishes {
				p = observe(t, p, view(chain.Polygon, 3, 7, 7), t0).Payment
			}
			for range 2 {
				p = observe(t, p, view(chain.Polygon, 2, 2, 7, truth...), t0).Payment
			}
			p = observe(t, p, view(chain.Polygon, 3, 7, 7), t0).Payment
			if got := units(p); got != want {
				t.Errorf("received %d, want %d", got, want)
			}
		})
	}
}

// TestFold_Floor: a transfer that is worth the floor has a row of its own, and one that is worth a unit less has not.
func TestFold_Floor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ singles, floor int }{
		{15, 0}, {16, 10_000}, {127, 10_000}, {128, 1_000_000}, {1_023, 1_000_000},
	} {
		p := started(t, "1000000")
		p = observe(t, p, view(chain.Polygon, 1, 1, 1, specks(p, 1, tt.singles, 1_000_000)...), t0).Payment
		if n := len(p.Deposits); n != tt.singles {
			t.Fatalf("%d rows of %d dollars", n, tt.singles)
		}
		own := observe(t, p, view(chain.Polygon, 2, 2, 2, specks(p, 2, 1, int64(max(tt.floor, 1)))...), t0)
		if len(own.Deposits) != 1 || own.Deposits[0].Folded() {
			t.Errorf("after %d rows, what is worth the floor is %+v", tt.singles, own.Deposits)
		}
		if tt.floor == 0 {
			continue
		}
		less := observe(t, p, view(chain.Polygon, 2, 2, 2, specks(p, 2, 1, int64(tt.floor-1))...), t0)
		if len(less.Deposits) != 1 || !less.Deposits[0].Folded() {
			t.Errorf("after %d rows, what is worth less than the floor is %+v", tt.singles, less.Deposits)
		}
	}
	p := started(t, "1000000")
	p = observe(t, p, view(chain.Polygon, 1, 1, 1, specks(p, 1, 1_024, 1_000_000)...), t0).Payment
	c := observe(t, p, view(chain.Polygon, 2, 2, 2, specks(p, 2, 1, 1_000_000_000_000)...), t0)
	if len(c.Deposits) != 1 || !c.Deposits[0].Folded() || c.Payment.Status != payment.Completed {
		t.Errorf("after 1,024 rows a million is %+v, and the payment %s", c.Deposits, c.Payment.Status)
	}
}

// TestFold_AnyOrder: whatever windows the blocks are read in, as often as one likes,
// the sum is that of the chain.
func TestFold_AnyOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 6))
		p := started(t, "1000000")
		byBlock := make(map[uint64][]chain.Transfer)
		want := int64(0)
		const blocks = 12
		for b := uint64(1); b <= blocks; b++ {
			for _, s := range specks(p, b, rng.IntN(40), 1) {
				micros := money.Micros(1 + rng.IntN(20_000))
				want += int64(micros)
				s.Units = micros.Units(6)
				byBlock[b] = append(byBlock[b], s)
			}
		}
		read := func(from, to, finalized uint64, unread bool) {
			v := view(chain.Polygon, from, to, to)
			v.Finalized.Number, v.Unread = finalized, unread
			for b := from; b <= to; b++ {
				v.Transfers = append(v.Transfers, byBlock[b]...)
			}
			p = observe(t, p, v, t0).Payment
		}
		for scanned, rechecked := uint64(0), uint64(0); rechecked < blocks; {
			if to := min(blocks, scanned+1+rng.Uint64N(4)); to > scanned {
				finalized := min(to, rechecked+rng.Uint64N(to-rechecked+1))
				read(scanned+1, to, finalized, rechecked < scanned)
				scanned = to
			}
			if to := min(scanned, rechecked+rng.Uint64N(4)); to > rechecked {
				read(rechecked+1, to, to, false)
				rechecked = to
			}
			if rng.IntN(3) == 0 && rechecked > 0 {
				from := 1 + rng.Uint64N(rechecked)
				read(from, rechecked, rechecked, false)
			}
		}
		if units(p) != want {
			t.Fatalf("seed %d: received %d, want %d", seed, units(p), want)
		}
	}
}

// TestUnexplained: dust excuses a little more of the same asset on the same address,
// and nothing else.
func TestUnexplained(t *testing.T) {
	t.Parallel()
	clean := started(t, "35")
	dusted := observe(t, clean, view(chain.Polygon, 1, 1, 1, specks(clean, 1, 40, 7)...), t0).Payment
	here, elsewhere := clean.Routes[0].Address.Address, routeOn(chain.BEP20).Address.Address
	for name, tt := range map[string]struct {
		p     payment.Payment
		asset chain.Asset
		at    chain.Address
		more  string
		want  bool
	}{
		"NothingMore":       {clean, usdcPolygon, here, "0", false},
		"Clean":             {clean, usdcPolygon, here, "1", true},
		"Dust":              {dusted, usdcPolygon, here, "999999", false},
		"MoreThanDust":      {dusted, usdcPolygon, here, "1000000", true},
		"OtherToken":        {dusted, usdtPolygon, here, "1", true},
		"OtherNetwork":      {dusted, usdtBSC, elsewhere, "1", true},
		"AnotherOfItsOwn":   {dusted, usdcPolygon, elsewhere, "1", true},
		"AllOfASmallAmount": {nearlyPaid(t), usdcPolygon, here, "500000", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			more, err := money.ParseUnits(tt.more)
			if err != nil {
				t.Fatal(err)
			}
			if got := tt.p.Unexplained(tt.asset, tt.at, more); got != tt.want {
				t.Errorf("unexplained is %v, want %v", got, tt.want)
			}
		})
	}
}

// nearlyPaid is a payment with dust that half a dollar is missing of.
func nearlyPaid(t *testing.T) payment.Payment {
	t.Helper()
	p := started(t, "10")
	p = observe(t, p, view(chain.Polygon, 1, 1, 1, specks(p, 1, 40, 7)...), t0).Payment
	return observe(t, p, view(chain.Polygon, 2, 2, 2, transfer(usdcPolygon, "9500000", 2, "a", "x")), t0).Payment
}
