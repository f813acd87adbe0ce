package checkout

import (
	"cmp"
	"slices"
	"strconv"
)

// way is one network of the step "choose how to pay", as it is offered for one token.
type way struct {
	NetworkChoice
	// reason is why it cannot be chosen with the token.
	reason Reason
	// best marks the first of several that can be chosen.
	best bool
}

// tokens are the tokens that some network offers, the payer's last one first.
func (p Props) tokens() []string {
	var all []string
	for _, c := range p.Choices {
		for _, t := range c.Tokens {
			if !slices.Contains(all, t.Token) {
				all = append(all, t.Token)
			}
		}
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Compare(b, a) }) // USDT, which more payers hold, first
	return all
}

// usedBefore reports whether the payer has chosen a network for this payment before.
func (p Props) usedBefore() bool {
	return slices.ContainsFunc(p.Choices, func(c NetworkChoice) bool { return c.Last })
}

// canChoose reports whether any way to pay can be chosen.
func (p Props) canChoose() bool { return len(p.choosable()) > 0 }

// choosable are the ways to pay that can be chosen.
func (p Props) choosable() (all []string) {
	for _, c := range p.Choices {
		for _, t := range c.Tokens {
			if cmp.Or(c.Reason, t.Reason) == ReasonNone {
				all = append(all, c.Network+"-"+t.Token)
			}
		}
	}
	return all
}

// firstToken is the one that the step opens with.
func (p Props) firstToken() string {
	all := p.tokens()
	if slices.Contains(all, p.Token) {
		return p.Token
	}
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

// waysOf are the networks for a token: what the payer used last, then the cheapest for money that comes from
// there, then the fastest; those that cannot be chosen come last.
func (p Props) waysOf(via Via, token string) []way {
	var all []way
	for _, c := range p.Choices {
		i := slices.IndexFunc(c.Tokens, func(t TokenChoice) bool { return t.Token == token })
		if i < 0 {
			continue
		}
		all = append(all, way{NetworkChoice: c, reason: cmp.Or(c.Reason, c.Tokens[i].Reason)})
	}
	slices.SortStableFunc(all, func(a, b way) int {
		return cmp.Or(
			first(a.reason == ReasonNone, b.reason == ReasonNone), first(a.Last, b.Last),
			cmp.Compare(a.fee(via), b.fee(via)), cmp.Compare(a.Seconds, b.Seconds),
		)
	})
	if len(all) > 1 && all[0].reason == ReasonNone {
		all[0].best = true
	}
	return all
}

// first sorts what holds before what does not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// fee is what the payer pays for sending, in US dollars; a fee that is not known counts as high.
func (w way) fee(via Via) float64 {
	text := w.FeeUSD
	if via == ViaExchange {
		text = w.ExchangeFeeUSD
	}
	usd, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return unknownFee
	}
	return usd
}

// unknownFee is more than any real one, in US dollars.
const unknownFee = 1e6

// facts are fee and time of the network for money that comes from there, in one line, as far as they are known.
func (p Props) facts(via Via, c NetworkChoice) string {
	fee, duration := c.FeeUSD, ""
	if via == ViaExchange {
		fee = c.ExchangeFeeUSD
	}
	if fee != "" {
		fee = p.feeText(fee)
	}
	if c.Seconds > 0 {
		duration = p.Locale().Span(c.Seconds, "choose.seconds", "time.minutes")
	}
	if fee != "" && duration != "" {
		return fee + " · " + duration
	}
	return fee + duration
}

// viaClass is the class of what is shown for money that comes from there.
func viaClass(via Via) string {
	if via == ViaWallet {
		return "w"
	}
	return "x"
}

// of is the data-testid of an element of the form for money that comes from there; the exchange's is the plain one.
func of(via Via, testID string) string {
	if via == ViaWallet {
		return testID + "-wallet"
	}
	return testID
}
