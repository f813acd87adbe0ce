package simulation

import (
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// pay has a payer send money to one of the addresses that were shown.
func (w *world) pay() {
	p, ok := w.newest()
	for range 4 { // mostly one that waits for money
		if ok && len(p.Routes) > 0 && (p.Status == payment.Started || w.chance(20)) {
			break
		}
		p, ok = w.newest()
	}
	if !ok || len(p.Routes) == 0 {
		return
	}
	to := p.Routes[0].Address.Address
	asked, other := w.profile.Assets[0].Contract, w.profile.Assets[1].Contract
	if p.Choice.Token == money.USDC {
		asked, other = other, asked
	}
	units := uint64(p.Amount)
	t := &tx{hash: chain.TxHash(w.ledger.hash("t"))}
	switch at := w.rng.IntN(10); {
	case p.Kind == payment.KindTopUp:
		if w.paidTo(to) {
			return
		}
		t.moves = []move{{asked, payer, to, units}}
	case at < 5:
		t.moves = []move{{asked, payer, to, units}}
	case at == 5: // in two transfers, and a speck of nothing
		t.moves = []move{{asked, payer, to, units / 2}, {asked, payer, to, 0}, {asked, payer, to, units - units/2}}
	case at == 6: // too little
		t.moves = []move{{asked, payer, to, units / 3}}
	case at == 7: // too much
		t.moves = []move{{asked, payer, to, units + 1_000}}
	case at == 8: // what was not asked for: the other token, and a bridged twin
		twin := w.profile.Assets[len(w.profile.Assets)-1].Contract
		t.moves = []move{{other, payer, to, units}, {twin, payer, to, units}}
	default: // two payments at once
		t.moves = []move{{asked, payer, to, units}}
		if o, ok := w.newest(); ok && len(o.Routes) > 0 && o.Kind != payment.KindTopUp {
			t.moves = append(t.moves, move{asked, payer, o.Routes[0].Address.Address, uint64(o.Amount)})
		}
	}
	if w.chance(4) && len(t.moves) == 1 && !w.paidTo(to) && p.Status == payment.Started {
		w.hidden[t.hash], w.wasHidden[t.hash] = true, true
		w.tellf("hidden %s", t.hash)
	}
	w.ledger.send(t)
	w.tellf("pay %s to %s of %s", t.hash, to, p.ID)
}

// lastMinute has somebody pay just before the time of a payment runs out, and
// the expirer look before or after the watcher does.
func (w *world) lastMinute() {
	p, ok := w.newest()
	if !ok || p.Status != payment.Started || w.paidTo(p.Routes[0].Address.Address) {
		return
	}
	in := w.any()
	in.weather, in.skew = weather{}, 0
	const most = 150 // rounds: the time of a payment, and what outages added to it
	for range most {
		if left := p.ExpiresAt.Sub(w.clock); left < 20*time.Second {
			break
		}
		w.pass(min(45*time.Second, p.ExpiresAt.Sub(w.clock)-15*time.Second))
		w.ledger.mine(w.clock)
		in.round("watch")
		var err error
		p, err = w.books.Payment(w.Context(), p.ID)
		w.must(err)
	}
	asset, _ := w.profile.Asset(p.Choice.Token)
	t := &tx{hash: chain.TxHash(w.ledger.hash("t")), moves: []move{{asset.Contract, payer, p.Routes[0].Address.Address, uint64(p.Amount)}}}
	if w.chance(40) {
		w.hidden[t.hash], w.wasHidden[t.hash] = true, true
	}
	w.ledger.send(t)
	w.tellf("pay %s to %s in the last minute, hidden %t", t.hash, p.ID, w.hidden[t.hash])
	for range w.ledger.deepDepth + 1 {
		w.pass(time.Second)
		w.ledger.mine(w.clock)
	}
	for range 2 { // finality is as far as the payment's time
		w.pass(30 * time.Second)
		for range w.ledger.deepDepth + 1 {
			w.ledger.mine(w.clock)
		}
		if w.chance(60) {
			in.round("watch")
		}
		in.round("expire")
	}
}

// paidTo reports whether anybody has sent anything there.
func (w *world) paidTo(a chain.Address) bool {
	for _, t := range w.ledger.pool {
		if slices.ContainsFunc(t.moves, func(m move) bool { return m.to == a }) {
			return true
		}
	}
	return len(w.ledger.arrivals(len(w.ledger.blocks), a)) > 0
}
