package payment

import (
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// judgeStored judges a transaction by the payment's stored deposits; ok is
// false if none is of this transaction.
func judgeStored(
	p Payment, hash chain.TxHash, finalIn func(chain.Network) time.Duration, now time.Time,
) (LookupResult, bool) {
	best := LookupResult{}
	for _, d := range p.Deposits {
		if d.Transfer.Tx != hash || d.State == DepositVanished {
			continue
		}
		r := describeTransfer(d.Transfer)
		_, routed := routeTo(p, d.Transfer)
		switch {
		case !routed:
			r.Verdict = LookupOtherChain
		case !p.Counts(d):
			r.Verdict = LookupOtherToken
		case d.State == DepositSeen:
			r.Verdict = LookupNotFinal
			r.FinalIn = max(finalIn(d.Transfer.Network)-now.Sub(d.SeenAt), time.Second)
		case p.Status != Completed && p.Missing() > 0:
			r.Verdict, r.Missing = LookupShort, p.Missing()
		default:
			r.Verdict = LookupCredited
		}
		best = betterResult(best, r)
	}
	return best, best.Verdict != ""
}

// judgeFound judges a transaction that a network was asked for.
func judgeFound(p Payment, profile chain.Profile, found chain.Found, finalIn time.Duration) LookupResult {
	n := profile.Network
	if !found.Exists {
		return LookupResult{Verdict: LookupNotFound}
	}
	if found.Failed {
		return LookupResult{Verdict: LookupFailed, Network: n}
	}
	best := LookupResult{Verdict: LookupOtherAddress, Network: n}
	for _, t := range found.Transfers {
		best = betterResult(best, judgeTransfer(p, profile, t, found.Final, finalIn))
	}
	return best
}

func judgeTransfer(p Payment, profile chain.Profile, t chain.Transfer, final bool, finalIn time.Duration) LookupResult {
	r := describeTransfer(t)
	route, routed := routeTo(p, t)
	switch {
	case isContract(profile, t.To):
		r.Verdict = LookupTokenContract
	case !routed && !shownOnOtherNetwork(p, t):
		r.Verdict = LookupOtherAddress
	case t.Units.IsZero() || !isContract(profile, t.Asset.Contract):
		r.Verdict, r.Token, r.Amount = LookupWorthless, "", ""
	case !routed:
		r.Verdict = LookupOtherChain
	case t.Asset.Token == "" || !slices.Contains(route.Tokens, t.Asset.Token):
		r.Verdict = LookupOtherToken
	default:
		r.Verdict, r.FinalIn = LookupNotFinal, finalIn
		if final {
			r.FinalIn = time.Second // the watcher takes it in with its next round
		}
	}
	return r
}

func describeTransfer(t chain.Transfer) LookupResult {
	r := LookupResult{Hash: t.Tx, Network: t.Network, Token: t.Asset.Symbol}
	if t.Asset.Decimals > 0 {
		r.Amount = t.Units.Format(t.Asset.Decimals)
	}
	return r
}

// routeTo returns the route whose address the transfer pays, on its network.
func routeTo(p Payment, t chain.Transfer) (Route, bool) {
	for _, r := range p.Routes {
		if r.Network == t.Network && r.Address.Address == t.To {
			return r, true
		}
	}
	return Route{}, false
}

// shownOnOtherNetwork reports whether the payer was shown the address for
// another network: EVM addresses look the same on all of them.
func shownOnOtherNetwork(p Payment, t chain.Transfer) bool {
	return slices.ContainsFunc(p.Routes, func(r Route) bool { return r.Address.Address == t.To })
}

func isContract(profile chain.Profile, a chain.Address) bool {
	return slices.ContainsFunc(profile.Assets, func(x chain.Asset) bool { return x.Contract == a })
}
