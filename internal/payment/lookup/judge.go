package lookup

import (
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// judgeStored judges a transaction by the payment's stored deposits; ok is
// false if none is of this transaction.
func judgeStored(
	p payment.Payment, hash chain.TxHash, finalIn func(chain.Network) time.Duration, now time.Time,
) (Result, bool) {
	best := Result{}
	for _, d := range p.Deposits {
		if d.Transfer.Tx != hash || d.State == payment.DepositVanished {
			continue
		}
		r := describeTransfer(d.Transfer)
		here := routed(p, d.Transfer)
		switch {
		case !here && !p.Counts(d):
			r.Verdict = OtherChain
		case !p.Counts(d):
			r.Verdict = OtherToken
		case d.State == payment.DepositSeen:
			r.Verdict = NotFinal
			r.FinalIn = max(finalIn(d.Transfer.Network)-now.Sub(d.SeenAt), time.Second)
		case p.Status != payment.Completed && p.Missing() > 0:
			r.Verdict, r.Missing = Short, p.Missing()
		default:
			r.Verdict = Credited
		}
		best = betterResult(best, r)
	}
	return best, best.Verdict != ""
}

// judgeFound judges a transaction that a network was asked for.
func judgeFound(p payment.Payment, profile chain.Profile, found chain.Found, finalIn time.Duration) Result {
	n := profile.Network
	if !found.Exists {
		return Result{Verdict: NotFound}
	}
	if found.Failed {
		return Result{Verdict: Failed, Network: n}
	}
	if found.Block.Hash == "" {
		return Result{Verdict: NotFound} // it waits for a block; what it moves is not known yet
	}
	best := Result{Verdict: OtherAddress, Network: n}
	for _, t := range found.Transfers {
		best = betterResult(best, judgeTransfer(p, profile, t, found.Final, finalIn))
	}
	return best
}

// missed lists the final transfers to an address of the payment that no deposit records, and those to other token
// accounts under its key, which no scan reads before they are known. Dust that was folded is not distinguished from
// dust that was not.
func missed(p payment.Payment, profile chain.Profile, found chain.Found) (list []chain.Transfer) {
	for _, t := range found.Transfers {
		read := t.Account == "" && !(found.Final && isContract(profile, t.Asset.Contract))
		if read || found.Failed || t.Asset.Contract == "" || t.Units.IsZero() ||
			!routed(p, t) && !shownOnOtherNetwork(p, t) {
			continue
		}
		folded := isDust(t)
		if !slices.ContainsFunc(p.Deposits, func(d payment.Deposit) bool {
			return d.Transfer.Key == t.Key && d.State == payment.DepositFinal ||
				d.Folded() && folded && d.Transfer.To == t.To && d.Transfer.Asset.Contract == t.Asset.Contract
		}) {
			list = append(list, t)
		}
	}
	return list
}

// isDust reports whether a flooded payment folds the transfer.
func isDust(t chain.Transfer) bool {
	return t.Units.Atto(t.Asset.Decimals).Cmp(payment.DustFloor.Atto()) < 0
}

func judgeTransfer(
	p payment.Payment, profile chain.Profile, t chain.Transfer, final bool, finalIn time.Duration,
) Result {
	r := describeTransfer(t)
	here := routed(p, t)
	switch {
	case isContract(profile, t.To):
		r.Verdict = TokenContract
	case !here && !shownOnOtherNetwork(p, t):
		r.Verdict = OtherAddress
	case t.Account != "" && !isContract(profile, t.Asset.Contract) && !t.Units.IsZero():
		r.Verdict, r.Token = OtherToken, string(t.Asset.Contract)
	case t.Units.IsZero() || !isContract(profile, t.Asset.Contract):
		r.Verdict, r.Token, r.Amount = Worthless, "", ""
	case counts(p, t):
		r.Verdict, r.FinalIn, r.Late = NotFinal, finalIn, p.Status.Final()
		if final {
			r.FinalIn = time.Second // the watcher takes it in with its next round
		}
	case !here:
		r.Verdict = OtherChain
	default:
		r.Verdict = OtherToken
	}
	return r
}

// counts reports whether the payment takes the transfer.
func counts(p payment.Payment, t chain.Transfer) bool {
	return p.Counts(payment.Deposit{Transfer: t, State: payment.DepositSeen})
}

func describeTransfer(t chain.Transfer) Result {
	r := Result{Hash: t.Tx, Network: t.Network, Token: t.Asset.Symbol}
	if t.Asset.Decimals > 0 {
		r.Amount = t.Units.Format(t.Asset.Decimals)
	}
	return r
}

// routed reports whether the transfer pays an address of the payment on its network.
func routed(p payment.Payment, t chain.Transfer) bool {
	return slices.ContainsFunc(p.Routes, func(r payment.Route) bool {
		return r.Network == t.Network && r.Address.Address == t.To
	})
}

// shownOnOtherNetwork reports whether the payer was shown the address for
// another network: EVM addresses look the same on all of them.
func shownOnOtherNetwork(p payment.Payment, t chain.Transfer) bool {
	return slices.ContainsFunc(p.Routes, func(r payment.Route) bool { return r.Address.Address == t.To })
}

func isContract(profile chain.Profile, a chain.Address) bool {
	return slices.ContainsFunc(profile.Assets, func(x chain.Asset) bool { return x.Contract == a })
}
