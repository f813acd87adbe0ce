package settings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/views/settings"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// networkForms are the options of each configured network, from the form or as stored.
func (s *Surface) networkForms(f *shell.Form, c merchant.Custodian) []settings.NetworkForm {
	var all []settings.NetworkForm
	for _, n := range chain.Networks() {
		offered, ok := s.Payments.Network(n)
		if !ok {
			continue
		}
		o, known := c.Networks[n]
		x := settings.NetworkForm{Network: string(n), Name: views.NetworkName(string(n)), Enabled: !known || o.Enabled}
		x.USDT = len(o.Tokens) == 0 || slices.Contains(o.Tokens, money.USDT)
		x.USDC = len(o.Tokens) == 0 || slices.Contains(o.Tokens, money.USDC)
		if len(f.Values) > 0 {
			x.Enabled, x.USDT, x.USDC = ticked(f, n, "enabled"), ticked(f, n, "USDT"), ticked(f, n, "USDC")
		}
		finality := ""
		if o.Finality != (chain.Finality{}) {
			finality = o.Finality.String()
		}
		x.Fields = []panel.Field{
			f.Field(
				panel.Field{
					Name: string(n) + ".min", Label: "Smallest payment ($)",
					Value: limitText(o.MinAmount), Mode: "decimal",
					Max: "20",
				},
			),
			f.Field(
				panel.Field{
					Name: string(n) + ".max", Label: "Largest payment ($)",
					Value: limitText(o.MaxAmount), Mode: "decimal",
					Max: "20",
				},
			),
			f.Field(
				panel.Field{
					Name: string(n) + ".finality", Label: "Final after", Hint: "A number of seconds such as 12s, safe or finalized.", Value: finality, Max: "20",
					Placeholder: offered.Profile.Finality.String(),
				},
			),
		}
		all = append(all, x)
	}
	return all
}

func ticked(f *shell.Form, n chain.Network, name string) bool {
	return f.Values.Get(string(n)+"."+name) == "yes"
}

func limitText(m money.Micros) string {
	if m == 0 {
		return ""
	}
	return m.String()
}

func policyFields(f *shell.Form, c merchant.Custodian) []panel.Field {
	return []panel.Field{
		f.Field(panel.Field{
			Name: "short", Label: "Accept payments that are short by up to (%)", Value: strconv.FormatFloat(float64(c.ShortBasis)/100, 'f', -1, 64), Mode: "decimal", Max: "6",
			Hint: "From 0 to 10. This applies to new payments.",
		}),
		f.Field(panel.Field{
			Name: "late", Label: "Accept money after expiry for (hours)", Value: strconv.FormatFloat(c.LateFor.Hours(), 'f', -1, 64), Mode: "numeric", Max: "4",
			Hint: "From 0 to 720 whole hours. This applies to new payments.",
		}),
	}
}

// postOptions changes what counts as paid, and how soon. A user who loosens
// that can obtain goods for too little, so it asks for re-authentication, mails
// the owners and writes an audit entry.
func (s *Surface) postOptions(c echo.Context, who session.Principal) error {
	f, key, err := s.ownCustodian(c, who)
	if err != nil {
		return err
	}
	all := emptyPayoutForms()
	all.options = f
	return s.apply(c, who, f, change{
		key: key, in: s.optionsInput(f),
		path: payoutsPath, saved: "The options are saved.",
		page: func(status int) error { return s.payoutsPage(c, who, status, key.PublicID, all) },
	})
}

// optionsInput reads the form; malformed values are reported beside their inputs.
func (s *Surface) optionsInput(f *shell.Form) merchant.CustodianInput {
	var in merchant.CustodianInput
	for _, n := range chain.Networks() {
		if _, ok := s.Payments.Network(n); ok {
			in.Networks = append(in.Networks, networkInput(f, n))
		}
	}
	if basis, ok := parseHundredths(f.Text("short")); !ok || basis > merchant.MaxShortBasis {
		f.Bad("short", "Enter a percentage from 0 to 10, with at most two decimals.")
	} else {
		in.ShortBasis = &basis
	}
	hours, err := strconv.ParseInt(f.Text("late"), 10, 32)
	if late := time.Duration(hours) * time.Hour; err != nil || late < 0 || late > merchant.MaxLateFor {
		f.Bad("late", fmt.Sprintf("Enter whole hours from 0 to %d.", merchant.MaxLateFor/time.Hour))
	} else {
		in.LateFor = &late
	}
	return in
}

func networkInput(f *shell.Form, n chain.Network) merchant.NetworkInput {
	enabled, finality, tokens := ticked(f, n, "enabled"), f.Text(string(n)+".finality"), []money.Token{}
	usdt, usdc := ticked(f, n, "USDT"), ticked(f, n, "USDC")
	switch {
	case usdt && !usdc:
		tokens = []money.Token{money.USDT}
	case usdc && !usdt:
		tokens = []money.Token{money.USDC}
	case !usdt && !usdc:
		enabled = false // no token is left to offer
	}
	in := merchant.NetworkInput{Network: n, Enabled: &enabled, Tokens: &tokens, Finality: &finality}
	if finality != "" {
		if _, err := chain.ParseFinality(finality); err != nil {
			f.Bad(string(n)+".finality", "Enter finalized, safe, or whole seconds such as 12s.")
		}
	}
	for name, to := range map[string]**money.Micros{"min": &in.MinAmount, "max": &in.MaxAmount} {
		text := f.Text(string(n) + "." + name)
		if text == "" {
			text = "0"
		}
		m, err := merchant.ParseLimit("the amount", text)
		if err != nil {
			f.Bad(string(n)+"."+name, shell.Sentence(fault.Of(err).Message))
			continue
		}
		*to = &m
	}
	if in.MinAmount != nil && in.MaxAmount != nil && *in.MaxAmount > 0 && *in.MinAmount > *in.MaxAmount {
		f.Bad(string(n)+".max", "The largest payment must not be below the smallest.")
	}
	return in
}

// parseHundredths reads a number with at most two decimals, in hundredths.
func parseHundredths(text string) (int64, bool) {
	whole, part, _ := strings.Cut(text, ".")
	if len(part) > 2 || len(whole) > 3 {
		return 0, false
	}
	n, err := strconv.ParseUint(whole+part+strings.Repeat("0", 2-len(part)), 10, 32)
	return int64(n), err == nil
}
