package simulation

import (
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// topUpMoves is what somebody sends to the address of a top-up: the price, parts of it, too much, specks, in either
// token, whether or not the top-up has ended.
func (w *world) topUpMoves(l *testChain, to chain.Address, units uint64) []move {
	contract := l.profile.Assets[w.rng.IntN(2)].Contract
	switch w.rng.IntN(6) {
	case 0:
		units /= 2
	case 1:
		units += uint64(w.rng.IntN(200_000))
	case 2:
		units = 1 + uint64(w.rng.IntN(120_000)) // around the price of a credit
	case 3:
		return []move{{contract, payer, to, 1}, {contract, payer, to, units}, {contract, payer, to, units / 3}}
	}
	return []move{{contract, payer, to, units}}
}

// bought returns the least and the most credits that the money of a top-up may have bought. All money that is final
// at the end buys what its total is worth, once; credits for money that was final by a weaker rule than the chain's
// and has vanished since are not taken back.
func (w *world) bought(p payment.Payment) (least, most int64) {
	var stands, ever money.Micros
	for _, r := range p.Routes {
		l := w.of(r.Network)
		for _, in := range l.arrivals(len(l.blocks), r.Address.Address) {
			if w.counts(p, r, in.contract) {
				stands += money.Micros(in.units)
			}
		}
		ever += money.Micros(l.everFinal(r.Address.Address, func(c chain.Address) bool { return w.counts(p, r, c) }))
	}
	return ledger.Bought(stands), ledger.Bought(ever)
}

// settlesTo is where the money of a new address of the payment must go.
func (w *world) settlesTo(p payment.Payment, n chain.Network) chain.Address {
	switch {
	case n == chain.Solana && p.Kind == payment.KindTopUp:
		return solanaTreasury
	case n == chain.Solana:
		return solanaWallet
	case p.Kind == payment.KindTopUp:
		return treasury
	}
	return w.wallet
}
