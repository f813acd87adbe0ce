package simulation

import (
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// checkArrivals: every final transfer to a payment's address is recorded once and swept, and decides the
// payment as it should.
func (w *world) checkArrivals(p payment.Payment) {
	w.Helper()
	recorded := map[chain.Key]payment.Deposit{}
	folded := map[holding]payment.Deposit{}
	for _, d := range p.Deposits {
		switch {
		case d.Folded():
			at := holding{d.Transfer.To, d.Transfer.Asset.Contract}
			sum := folded[at]
			sum.Count, sum.Transfer.Units = sum.Count+d.Count, sum.Transfer.Units.Add(d.Transfer.Units)
			folded[at] = sum
			if !d.Swept || d.State != payment.DepositFinal {
				w.failf("the folded deposits of %s are %s, swept %t at the end", p.ID, d.State, d.Swept)
			}
		case d.State != payment.DepositVanished:
			recorded[d.Transfer.Key] = d
		}
	}
	small, floor := map[holding]tally{}, uint64(max(payment.Floor(len(recorded)), payment.DustFloor))
	var inTime, late money.Micros
	for _, r := range p.Routes {
		l := w.of(r.Network)
		for k, in := range l.arrivals(len(l.blocks), r.Address.Address) {
			if w.counts(p, r, in.contract) && !in.block.Time.After(p.ExpiresAt) {
				inTime += money.Micros(in.units)
			}
			if w.counts(p, r, in.contract) && !in.block.Time.After(p.ExpiresAt.Add(p.Terms.LateFor)) &&
				in.units >= uint64(payment.DustFloor) {
				late += money.Micros(in.units)
			}
			d, ok := recorded[k]
			delete(recorded, k)
			at := holding{in.to, in.contract}
			if !ok && in.units < floor {
				small[at] = tally{small[at].units + in.units, small[at].count + 1}
				continue
			}
			w.checkArrival(p, k, in, d, ok)
		}
	}
	for k := range recorded {
		w.failf("deposit %v of %s is in no block", k, p.ID)
	}
	w.checkFolded(p, folded, small)
	if p.Status == payment.Expired && max(inTime, late) >= p.Amount {
		w.failf("payment %s of %s expired although %s came in time, %s not too late", p.ID, p.Amount, inTime, late)
	}
}

// tally is what came in transfers that are not recorded one by one.
type tally struct {
	units uint64
	count int
}

// checkFolded: folded deposits hold all the small transfers that are not recorded one by one, and nothing else.
func (w *world) checkFolded(p payment.Payment, folded map[holding]payment.Deposit, small map[holding]tally) {
	w.Helper()
	for at, d := range folded {
		if got, want := d.Transfer.Units.Big().Uint64(), small[at].units; got > want || d.Count > small[at].count {
			w.failf("%d in %d small transfers are folded for %s, want %d in %d", got, d.Count, p.ID, want, small[at].count)
		}
	}
	for at, s := range small {
		got := folded[at]
		if units := got.Transfer.Units.Big().Uint64(); units != s.units || got.Count != s.count {
			w.failf("%d in %d small transfers are folded for %s, want %d in %d", units, got.Count, p.ID, s.units, s.count)
		}
	}
}

// checkArrival: a final transfer is recorded and swept.
func (w *world) checkArrival(p payment.Payment, k chain.Key, in arrival, d payment.Deposit, ok bool) {
	w.Helper()
	switch {
	case !ok:
		w.failf("%d came to %s in block %d (%s), but payment %s (%s) does not have it", in.units, in.to, in.block.Number, k.Tx, p.ID, p.Status)
	case d.State != payment.DepositFinal || !d.Swept || !d.Rechecked:
		w.failf("deposit %v of %s is %s, rechecked %t, swept %t at the end", k, p.ID, d.State, d.Rechecked, d.Swept)
	}
}

// checkHoldings: deposit addresses are empty, each settlement wallet holds what came to its addresses, and no
// transaction of the gas wallet is pending.
func (w *world) checkHoldings() {
	w.Helper()
	for _, l := range w.chains {
		w.checkHoldingsOf(l)
	}
}

func (w *world) checkHoldingsOf(l *testChain) {
	w.Helper()
	state := l.head().state
	want := map[holding]uint64{}
	unknown := map[chain.Address]bool{}
	for _, p := range w.last {
		for _, r := range p.Routes {
			if r.Network != l.profile.Network {
				continue
			}
			for _, in := range l.arrivals(len(l.blocks), r.Address.Address) {
				want[holding{r.Settlement, in.contract}] += in.units
			}
		}
	}
	for _, a := range w.lostAddresses(l) {
		unknown[a] = true
		for _, in := range l.arrivals(len(l.blocks), a) {
			want[holding{w.recorded[a], in.contract}] += in.units
		}
	}
	for at, units := range state {
		if to, deposit := w.recorded[at.address]; deposit && units > 0 {
			if !unknown[at.address] {
				w.failf("%d of %s are still on %s", units, at.contract, at.address)
			}
			want[holding{to, at.contract}] -= units
		}
	}
	for at, units := range want {
		if state[at] != units {
			w.failf("settlement wallet %s holds %d of %s, want %d", at.address, state[at], at.contract, units)
		}
	}
	if slices.ContainsFunc(l.pool, func(t *tx) bool { return len(t.flush) > 0 }) {
		w.failf("a sweep is still pending")
	}
}
