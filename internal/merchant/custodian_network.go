package merchant

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

func setNetworks(c *Custodian, in CustodianInput) error {
	networks := maps.Clone(c.Networks)
	if networks == nil {
		networks = make(map[chain.Network]NetworkOptions)
	}
	seen := make(map[chain.Network]bool)
	for i, x := range in.Networks {
		field := fmt.Sprintf("networks[%d]", i)
		if _, err := chain.ParseNetwork(string(x.Network)); err != nil {
			return fault.Within(field, err)
		}
		if seen[x.Network] {
			return fault.Within(field, fault.New(fault.Invalid, "%s is listed twice", x.Network))
		}
		seen[x.Network] = true
		before, ok := networks[x.Network]
		if !ok {
			before = NetworkOptions{Enabled: true}
		}
		after, err := before.with(x)
		if err != nil {
			return fault.Within(field, err)
		}
		networks[x.Network] = after
	}
	c.Networks = networks
	return nil
}

// with returns the options changed by the input.
func (o NetworkOptions) with(in NetworkInput) (NetworkOptions, error) {
	if in.Enabled != nil {
		o.Enabled = *in.Enabled
	}
	if in.Tokens != nil {
		tokens, err := uniqueTokens(*in.Tokens)
		if err != nil {
			return o, err
		}
		o.Tokens = tokens
	}
	if in.Finality != nil {
		f, err := parseOwnFinality(*in.Finality)
		if err != nil {
			return o, err
		}
		o.Finality = f
	}
	return o.withAmounts(in)
}

func (o NetworkOptions) withAmounts(in NetworkInput) (NetworkOptions, error) {
	for _, a := range []struct {
		field string
		from  *money.Micros
		to    *money.Micros
	}{
		{"minAmount", in.MinAmount, &o.MinAmount},
		{"maxAmount", in.MaxAmount, &o.MaxAmount},
		{"sweepMinAmount", in.SweepMin, &o.SweepMin},
	} {
		if a.from == nil {
			continue
		}
		if *a.from < 0 {
			return o, fault.About(fault.Invalid, a.field, "must not be negative; 0 means no limit")
		}
		*a.to = *a.from
	}
	if o.MaxAmount > 0 && o.MinAmount > o.MaxAmount {
		return o, fault.About(fault.Invalid, "minAmount", "%s must not be greater than maxAmount %s", o.MinAmount, o.MaxAmount)
	}
	return o, nil
}

func uniqueTokens(tokens []money.Token) ([]money.Token, error) {
	for i, t := range tokens {
		if _, err := money.ParseToken(string(t)); err != nil {
			return nil, fault.Within("tokens", err)
		}
		if slices.Contains(tokens[:i], t) {
			return nil, fault.Within("tokens", fault.New(fault.Invalid, "%s is listed twice", t))
		}
	}
	return slices.Clone(tokens), nil
}

func parseOwnFinality(text string) (chain.Finality, error) {
	if text = strings.TrimSpace(text); text == "" {
		return chain.Finality{}, nil
	}
	return chain.ParseFinality(text)
}
