package checkout

import "github.com/florinpay/florin/views"

// words of a lookup: its meaning (wait, seen, good, bad), the sign, the sentence, the next step.
type words struct{ meaning, sign, title, detail string }

// lookupWords puts a verdict into a sentence and the next step.
func (p Props) lookupWords() words {
	f, l := p.Lookup, p.Locale()
	merchant := p.Merchant.Name
	network := views.Face(f.Network).Short
	switch f.Verdict {
	case VerdictCredited:
		return words{
			"good", "check", p.T("find.credited", "Amount", l.Money(f.Amount, f.Token)), p.T("find.credited_next"),
		}
	case VerdictNotFinal:
		return words{
			"seen", "eye", p.T("find.not_final"),
			l.Span(max(f.SecondsToFinal, 1), "status.final_seconds", "status.final_minutes"),
		}
	case VerdictShort:
		return words{
			"seen", "warn", p.T("status.short", "Missing", l.Money(f.Missing, f.Token)), p.T("find.short_next"),
		}
	case VerdictOtherChain:
		return words{
			"seen", "warn", p.T("find.other_chain", "Network", network),
			p.T("find.other_chain_next", "Merchant", merchant),
		}
	case VerdictOtherToken:
		return words{
			"seen", "warn", p.T("find.other_token", "Token", f.Token),
			p.T("find.other_token_next", "Merchant", merchant),
		}
	case VerdictOtherAddress:
		return words{"bad", "warn", p.T("find.other_address"), p.T("find.other_address_next")}
	case VerdictTokenContract:
		return words{"bad", "warn", p.T("find.contract"), p.T("find.contract_next", "Merchant", merchant)}
	case VerdictFailed:
		return words{"bad", "cross", p.T("find.failed"), p.T("find.failed_next")}
	case VerdictWorthless:
		return words{"bad", "cross", p.T("find.worthless"), p.T("find.worthless_next")}
	case VerdictInvalid:
		return words{"bad", "warn", p.T("find.invalid"), p.T("find.invalid_next")}
	case VerdictUnavailable:
		return words{"wait", "pause", p.T("find.unavailable"), p.T("find.unavailable_next")}
	case VerdictTooOften:
		return words{"wait", "pause", p.T("problem.too_often"), p.T("find.too_often_next")}
	}
	if f.ByAddress {
		return words{"wait", "clock", p.T("find.no_money"), p.T("find.no_money_next")}
	}
	return words{"wait", "clock", p.T("find.not_found"), p.T("find.not_found_next")}
}

// settledByMerchant reports whether the merchant holds the money, so that only the merchant can help.
func (f Lookup) settledByMerchant() bool {
	return f.Verdict == VerdictOtherChain || f.Verdict == VerdictOtherToken
}

// asked is what the payer typed.
func (p Props) asked() string {
	if p.Lookup == nil {
		return ""
	}
	return p.Lookup.Asked
}

func (p Props) lookupInvalid() bool {
	return p.Lookup != nil && p.Lookup.Verdict == VerdictInvalid
}
