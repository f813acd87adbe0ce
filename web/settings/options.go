package settings

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/chain"
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
		for _, t := range money.Tokens() {
			on := len(o.Tokens) == 0 || slices.Contains(o.Tokens, t)
			x.Tokens = append(x.Tokens, settings.TokenBox{Token: string(t), Offered: on})
		}
		x.Stored = storedTicks(f.Locale, x)
		if len(f.Values) > 0 {
			x.Enabled = ticked(f, n, "enabled")
			for i := range x.Tokens {
				x.Tokens[i].Offered = ticked(f, n, x.Tokens[i].Token)
			}
		}
		finality := ""
		if o.Finality != (chain.Finality{}) {
			finality = o.Finality.String()
		}
		x.Fields = []panel.Field{
			f.Field(
				panel.Field{
					Setting: true, Name: string(n) + ".min", Label: "Smallest payment ($)",
					Value: limitText(o.MinAmount), Mode: "decimal",
					Max: "20",
				},
			),
			f.Field(
				panel.Field{
					Setting: true, Name: string(n) + ".max", Label: "Largest payment ($)",
					Value: limitText(o.MaxAmount), Mode: "decimal",
					Max: "20",
				},
			),
			f.Field(
				panel.Field{
					Setting: true, Name: string(n) + ".finality", Label: "Final after", Hint: "A number of seconds such as 12s, safe or finalized.", Value: finality, Max: "20",
					Placeholder: offered.Profile.Finality.String(),
				},
			),
		}
		all = append(all, x)
	}
	return all
}

// storedTicks are the check boxes of a network as they are stored.
func storedTicks(l *views.Locale, x settings.NetworkForm) []panel.Field {
	var all []panel.Field
	add := func(name, choice string, on bool) {
		label := l.T("{{.Choice}} on {{.Network}}", "Choice", choice, "Network", x.Name)
		all = append(all, storedBox(x.Network+"."+name, label, on))
	}
	add("enabled", l.T("Offer it"), x.Enabled)
	for _, b := range x.Tokens {
		add(b.Token, b.Token, b.Offered)
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
			Setting: true, Name: "short", Label: "Accept payments that are short by up to (%)", Value: strconv.FormatFloat(float64(c.ShortBasis)/100, 'f', -1, 64), Mode: "decimal", Max: "6",
			Hint: "From 0 to 10. This applies to new payments.",
		}),
		f.Field(panel.Field{
			Setting: true, Name: "late", Label: "Accept money after expiry for (hours)", Value: strconv.FormatFloat(c.LateFor.Hours(), 'f', -1, 64), Mode: "numeric", Max: "4",
			Hint: "From 0 to 720 whole hours. This applies to new payments.",
		}),
		f.Field(panel.Field{
			Setting: true, Name: "over", Label: "Keep what is paid too much up to ($)", Value: limitText(c.KeepOver),
			Mode: "decimal", Max: "10",
			Hint: "From 0 to 100. You are asked about more than that. This applies to new payments.",
		}),
	}
}

// The check boxes of references that repeat by design, and of orders that may be started again.
const (
	repeatsName  = "repeats"
	restartsName = "restarts"
)

func repeatsBox(c merchant.Custodian) panel.Field {
	return storedBox(repeatsName, "Orders may be paid twice", c.Repeats)
}

func restartsBox(c merchant.Custodian) panel.Field {
	return storedBox(restartsName, "Expired orders may be started again", c.Restarts)
}

// storedBox is a check box as it is stored.
func storedBox(name, label string, ticked bool) panel.Field {
	box := panel.Field{Name: name, Label: label, Type: "checkbox"}
	if ticked {
		box.Value = "yes"
	}
	return box
}

// offerName is the check box of refunds that payers are offered.
const offerName = "offerRefunds"

func offerBox(c merchant.Custodian) panel.Field {
	return storedBox(offerName, "Refunds are offered to payers", c.OfferRefunds)
}

// postOptions changes what counts as paid, and how soon. A user who loosens
// that can obtain goods for too little, so it asks for re-authentication, mails
// the owners and writes an audit entry.
func (s *Surface) postOptions(c echo.Context, who session.Principal) error {
	f, key, custodian, err := s.ownCustodian(c, who)
	if err != nil {
		return err
	}
	stored := append(policyFields(shell.EmptyForm(c), custodian),
		repeatsBox(custodian), restartsBox(custodian), offerBox(custodian))
	stored = append(stored, pricingFields(shell.EmptyForm(c), key, custodian.Pricing)...)
	for _, n := range s.networkForms(shell.EmptyForm(c), custodian) {
		stored = append(append(stored, n.Stored...), n.Fields...)
	}
	if err := s.since(c, who, f, key, stored...); err != nil {
		return err
	}
	all := emptyPayoutForms(c)
	all.options = f
	return s.apply(c, who, f, change{
		asOf: custodian.UpdatedAt, key: key, in: s.optionsInput(f), subjects: optionSubjects,
		path: payoutsPath, saved: "The options are saved.",
		page: func(status int) error { return s.payoutsPage(c, who, status, key.PublicID, all) },
	})
}

// optionsInput reads the form; malformed values are reported beside their inputs.
func (s *Surface) optionsInput(f *shell.Form) merchant.CustodianInput {
	in := merchant.CustodianInput{Pricing: pricingInput(f)}
	for _, n := range chain.Networks() {
		if _, ok := s.Payments.Network(n); ok {
			in.Networks = append(in.Networks, networkInput(f, n))
		}
	}
	if basis, ok := parseHundredths(f.Amount("short")); !f.Touched("short") {
		in.ShortBasis = nil
	} else if !ok || basis > merchant.MaxShortBasis {
		f.Bad("short", "Enter a percentage from 0 to 10, with at most two decimals.")
	} else {
		in.ShortBasis = &basis
	}
	hours, err := strconv.ParseInt(f.Amount("late"), 10, 32)
	if late := time.Duration(hours) * time.Hour; !f.Touched("late") {
		in.LateFor = nil
	} else if err != nil || late < 0 || late > merchant.MaxLateFor {
		f.Bad("late", "Enter whole hours from 0 to 720.")
	} else {
		in.LateFor = &late
	}
	if over, err := merchant.ParseLimit("over", cmp.Or(f.Amount("over"), "0")); !f.Touched("over") {
		in.KeepOver = nil
	} else if err != nil || over > merchant.MaxKeepOver {
		f.Bad("over", "Enter an amount from 0 to 100.")
	} else {
		in.KeepOver = &over
	}
	if f.Touched(repeatsName) {
		repeats := f.Values.Get(repeatsName) == "yes"
		in.Repeats = &repeats
	}
	if f.Touched(restartsName) {
		restarts := f.Values.Get(restartsName) == "yes"
		in.Restarts = &restarts
	}
	if f.Touched(offerName) {
		offer := f.Values.Get(offerName) == "yes"
		in.OfferRefunds = &offer
	}
	return in
}

func networkInput(f *shell.Form, n chain.Network) merchant.NetworkInput {
	name := func(input string) string { return string(n) + "." + input }
	in := merchant.NetworkInput{Network: n, Finality: f.Changed(name("finality"))}
	boxes := []string{name("enabled")}
	for _, t := range money.Tokens() {
		boxes = append(boxes, name(string(t)))
	}
	if f.Touched(boxes...) {
		in.Enabled, in.Tokens = tokensTicked(f, n)
	}
	if in.Finality != nil && *in.Finality != "" {
		if _, err := chain.ParseFinality(*in.Finality); err != nil {
			f.Bad(name("finality"), "Enter finalized, safe, or whole seconds such as 12s.")
		}
	}
	// Both bounds are written where one was touched: they are checked against each other.
	for input, to := range map[string]**money.Micros{"min": &in.MinAmount, "max": &in.MaxAmount} {
		if !f.Touched(name("min"), name("max")) {
			break
		}
		m, err := merchant.ParseLimit(input, cmp.Or(f.Amount(name(input)), "0"))
		if err != nil {
			f.Refused(err, shell.Subject{Service: input, Input: name(input), Label: "The amount"})
			continue
		}
		*to = &m
	}
	if in.MinAmount != nil && in.MaxAmount != nil && *in.MaxAmount > 0 && *in.MinAmount > *in.MaxAmount {
		f.Bad(name("max"), "The largest payment must not be below the smallest.")
	}
	return in
}

// tokensTicked are the tokens that the form offers on a network: none for all. Without a token the network is off.
func tokensTicked(f *shell.Form, n chain.Network) (*bool, *[]money.Token) {
	tokens := slices.DeleteFunc(money.Tokens(), func(t money.Token) bool { return !ticked(f, n, string(t)) })
	enabled := ticked(f, n, "enabled") && len(tokens) > 0
	if len(tokens) == len(money.Tokens()) {
		tokens = []money.Token{}
	}
	return &enabled, &tokens
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
