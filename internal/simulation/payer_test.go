package simulation

import (
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// pay sends money to one of the deposit addresses.
func (w *world) pay() {
	p, ok := w.newest()
	for range 4 { // prefer a payment that waits for money
		if ok && len(p.Routes) > 0 && (p.Status == payment.Started || w.chance(20)) {
			break
		}
		p, ok = w.newest()
	}
	if some := w.flooded(); len(some) > 0 && w.chance(40) {
		p = some[w.rng.IntN(len(some))]
	}
	if !ok || len(p.Routes) == 0 {
		return
	}
	route := p.Routes[w.rng.IntN(len(p.Routes))]
	l, to := w.of(route.Network), route.Address.Address
	asked, other := l.profile.Assets[0].Contract, l.profile.Assets[1].Contract
	if p.Choice.Token == money.USDC {
		asked, other = other, asked
	}
	units := uint64(p.Amount)
	t := &tx{hash: chain.TxHash(l.hash("7"))}
	at := w.rng.IntN(16)
	if p.Flooded() && w.chance(70) {
		at = 12
	}
	switch {
	case p.Kind == payment.KindTopUp:
		t.moves = w.topUpMoves(l, to, units)
	case at < 5, at == 14:
		t.moves = []move{{asked, payer, to, units}}
	case at == 5: // in two transfers, with an empty one between
		t.moves = []move{{asked, payer, to, units / 2}, {asked, payer, to, 0}, {asked, payer, to, units - units/2}}
	case at == 6: // too little
		t.moves = []move{{asked, payer, to, units / 3}}
	case at == 7: // too much
		t.moves = []move{{asked, payer, to, units + 1_000}}
	case at == 8: // not what was asked for: the other token, and a bridged twin
		twin := l.profile.Assets[len(l.profile.Assets)-1].Contract
		t.moves = []move{{other, payer, to, units}, {twin, payer, to, units}}
	case at == 9: // the asset depends on the fork
		twin := l.profile.Assets[len(l.profile.Assets)-1].Contract
		t.forks = [][]move{{{asked, payer, to, units}}, {{twin, payer, to, units}}}
	case at == 10: // the recipient depends on the fork
		t.forks = [][]move{{{asked, payer, to, units}}}
		if o, ok := w.newest(); ok && len(o.Routes) > 0 && o.Routes[0].Network == route.Network {
			t.forks = append(t.forks, []move{{asked, payer, o.Routes[0].Address.Address, units}})
		}
	case at == 11: // which transfer comes first depends on the fork
		a, b := move{asked, payer, to, units / 2}, move{asked, payer, to, units - units/2 + 1}
		t.forks = [][]move{{a, b}, {b, a}}
	case at == 12, at == 13: // specks, more of them than are recorded one by one
		for range 8 + w.rng.IntN(16) {
			t.moves = append(t.moves, move{asked, payer, to, 1 + uint64(w.rng.IntN(9_000))})
		}
		if w.chance(30) { // and one that is
			t.moves = append(t.moves, move{asked, payer, to, uint64(payment.DustFloor)})
		}
		if !route.Network.EVM() { // what one transaction brings to an account there is one transfer
			for _, m := range t.moves[1:] {
				l.send(&tx{hash: chain.TxHash(l.hash("7")), moves: []move{m}})
			}
			t.moves = t.moves[:1]
		}
	default: // two payments in one transaction
		t.moves = []move{{asked, payer, to, units}}
		if o, ok := w.newest(); ok && len(o.Routes) > 0 && o.Routes[0].Network == route.Network {
			t.moves = append(t.moves, move{asked, payer, o.Routes[0].Address.Address, uint64(o.Amount)})
		}
	}
	if w.chance(20) {
		w.hide(t)
	}
	l.send(t)
	w.tracef("pay %s to %s of %s", t.hash, to, p.ID)
}

// flooded lists the payments whose further small transfers are folded.
func (w *world) flooded() (list []payment.Payment) {
	for _, id := range w.known() {
		if p := w.last[id]; p.Flooded() {
			list = append(list, p)
		}
	}
	return list
}

// payThrough pays and watches the money from the pool to finality, with new faults on the way.
func (w *world) payThrough() {
	in := w.any()
	in.mend()
	w.pay()
	for range 3 {
		w.pass(2 * time.Second)
		w.mine(1 + w.rng.IntN(deepest))
		if w.chance(20) {
			w.reorg()
		}
		in.round("watch")
		w.spoil(in)
	}
	in.mend()
	in.round("watch")
}

// lastMinute pays just before a payment expires, and runs the expirer before or after the watcher.
func (w *world) lastMinute() {
	p, ok := w.newest()
	if !ok || p.Status != payment.Started || len(p.Routes) > 1 || w.paidTo(p.Routes[0].Address.Address) {
		return
	}
	l := w.of(p.Routes[0].Network)
	in := w.any()
	in.mend()
	in.skew = 0
	const most = 30 // rounds: the payment's time, and the extensions by outages
	for range most {
		if left := p.ExpiresAt.Sub(w.clock); left < 20*time.Second {
			break
		}
		w.pass(min(quietStep, p.ExpiresAt.Sub(w.clock)-15*time.Second))
		w.mine(1)
		in.round("watch")
		var err error
		p, err = w.observer.Payment(w.Context(), p.ID)
		w.must(err)
	}
	asset, _ := l.profile.Asset(p.Choice.Token)
	t := &tx{
		hash:  chain.TxHash(l.hash("7")),
		moves: []move{{asset.Contract, payer, p.Routes[0].Address.Address, uint64(p.Amount)}},
	}
	if w.chance(40) {
		w.hide(t)
	}
	l.send(t)
	w.tracef("pay %s to %s in the last minute", t.hash, p.ID)
	for range deepest + 1 {
		w.pass(time.Second)
		w.mine(1)
	}
	for range 2 { // until finality has passed the payment's time
		w.pass(30 * time.Second)
		w.mine(deepest + 1)
		if w.chance(60) {
			in.round("watch")
		}
		in.round("expire")
	}
}

// paidTo reports whether any transfer to the address exists.
func (w *world) paidTo(a chain.Address) bool {
	for _, l := range w.chains {
		for _, t := range l.pool {
			if slices.ContainsFunc(slices.Concat(append(t.forks, t.moves)...), func(m move) bool { return m.to == a }) {
				return true
			}
		}
		if len(l.arrivals(len(l.blocks), a)) > 0 {
			return true
		}
	}
	return false
}
