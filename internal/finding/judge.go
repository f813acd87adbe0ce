package finding

import (
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// known judges a transaction whose money the payment already holds; ok is
// false if it holds none of it.
func known(p payment.Payment, hash chain.TxHash, finalIn func(chain.Network) time.Duration, now time.Time) (Finding, bool) {
	best := Finding{}
	for _, d := range p.Deposits {
		if d.Transfer.Tx != hash || d.State == payment.DepositVanished {
			continue
		}
		f := describe(d.Transfer)
		_, here := routeTo(p, d.Transfer)
		switch {
		case !here:
			f.Verdict = OtherChain
		case !p.Counts(d):
			f.Verdict = OtherToken
		case d.State == payment.DepositSeen:
			f.Verdict = NotFinal
			f.FinalIn = max(finalIn(d.Transfer.Network)-now.Sub(d.SeenAt), time.Second)
		case p.Status != payment.Completed && p.Missing() > 0:
			f.Verdict, f.Missing = Short, p.Missing()
		default:
			f.Verdict = Credited
		}
		best = better(best, f)
	}
	return best, best.Verdict != ""
}

// judge says what a transaction found on a network means for the payment.
func judge(p payment.Payment, profile chain.Profile, found chain.Found, finalIn time.Duration) Finding {
	n := profile.Network
	if !found.Exists {
		return Finding{Verdict: NotFound}
	}
	if found.Failed {
		return Finding{Verdict: Failed, Network: n}
	}
	best := Finding{Verdict: OtherAddress, Network: n}
	for _, t := range found.Transfers {
		best = better(best, judgeTransfer(p, profile, t, found.Final, finalIn))
	}
	return best
}

func judgeTransfer(p payment.Payment, profile chain.Profile, t chain.Transfer, final bool, finalIn time.Duration) Finding {
	f := describe(t)
	route, here := routeTo(p, t)
	switch {
	case isContract(profile, t.To):
		f.Verdict = TokenContract
	case !here && !shownElsewhere(p, t):
		f.Verdict = OtherAddress
	case t.Units.IsZero() || !isAsset(profile, t.Asset):
		f.Verdict, f.Token, f.Amount = Worthless, "", ""
	case !here:
		f.Verdict = OtherChain
	case t.Asset.Token == "" || !slices.Contains(route.Tokens, t.Asset.Token):
		f.Verdict = OtherToken
	default:
		f.Verdict, f.FinalIn = NotFinal, finalIn
		if final {
			f.FinalIn = time.Second // the watcher takes it in next
		}
	}
	return f
}

func describe(t chain.Transfer) Finding {
	f := Finding{Hash: t.Tx, Network: t.Network, Token: t.Asset.Symbol}
	if t.Asset.Decimals > 0 {
		f.Amount = t.Units.Format(t.Asset.Decimals)
	}
	return f
}

// routeTo returns the payment's route on the transfer's network that it pays.
func routeTo(p payment.Payment, t chain.Transfer) (payment.Route, bool) {
	for _, r := range p.Routes {
		if r.Network == t.Network && r.Address.Address == t.To {
			return r, true
		}
	}
	return payment.Route{}, false
}

// shownElsewhere reports whether the payer was shown the address, for another
// network: EVM addresses look the same on all of them.
func shownElsewhere(p payment.Payment, t chain.Transfer) bool {
	return slices.ContainsFunc(p.Routes, func(r payment.Route) bool { return r.Address.Address == t.To })
}

func isContract(profile chain.Profile, a chain.Address) bool {
	return slices.ContainsFunc(profile.Assets, func(x chain.Asset) bool { return x.Contract == a })
}

func isAsset(profile chain.Profile, a chain.Asset) bool { return isContract(profile, a.Contract) }
