package settings

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/views/settings"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// payoutForms holds the state of the forms of the page.
type payoutForms struct{ money, options, lock *shell.Form }

func emptyPayoutForms(c echo.Context) payoutForms {
	return payoutForms{money: shell.EmptyForm(c), options: shell.EmptyForm(c), lock: shell.EmptyForm(c)}
}

func (s *Surface) getPayouts(c echo.Context, who session.Principal) error {
	return s.payoutsPage(c, who, http.StatusOK, c.QueryParam("key"), emptyPayoutForms(c))
}

func (s *Surface) payoutsPage(c echo.Context, who session.Principal, status int, asked string, f payoutForms) error {
	key, ok, choice, err := who.KeyChoice(payoutsPath, asked)
	if err != nil {
		return err
	}
	p := settings.PayoutsProps{
		Frame: s.Frame(c, who, "Payouts", payoutsPath), Key: choice, HasKey: ok,
		Problem: f.money.Problem, OptionsProblem: f.options.Problem,
	}
	if !ok {
		return s.Show(c, status, p.Frame, settings.Payouts(p))
	}
	if err := s.lockFields(c, who, f.lock, &p); err != nil {
		return err
	}
	custodian, has, err := s.CustodianOf(c.Request().Context(), key)
	if err != nil {
		return err
	}
	p.Exists = has
	p.Money = moneyFields(f.money, custodian, who.Membership.Role.May(merchant.ActMoney))
	if p.Password, err = s.GateFieldIfAsked(c, who, f.money); err != nil {
		return err
	}
	p.Repeats, p.RepeatsStored = custodian.Repeats, repeatsBox(custodian)
	p.Restarts, p.RestartsStored = custodian.Restarts, restartsBox(custodian)
	p.Offer, p.OfferStored = custodian.OfferRefunds, offerBox(custodian)
	if len(f.options.Values) > 0 {
		p.Repeats = f.options.Values.Get(repeatsName) == "yes"
		p.Restarts = f.options.Values.Get(restartsName) == "yes"
		p.Offer = f.options.Values.Get(offerName) == "yes"
	}
	p.Networks, p.Policy = s.networkForms(f.options, custodian), policyFields(f.options, custodian)
	p.Pricing = pricingFields(f.options, key, custodian.Pricing)
	if p.OptionsPassword, err = s.GateFieldIfAsked(c, who, f.options); err != nil {
		return err
	}
	p.OptionsPassword.Form = "options"
	return s.Show(c, status, p.Frame, settings.Payouts(p))
}

// walletNames map the inputs of wallets to the names in refusals.
var walletNames = map[chain.Network]shell.Subject{
	chain.BEP20:   {Service: "wallets.bep20", Input: "wallet.BEP20", Label: "The address"},
	chain.Polygon: {Service: "wallets.polygon", Input: "wallet.POLYGON", Label: "The address"},
	chain.Base:    {Service: "wallets.base", Input: "wallet.BASE", Label: "The address"},
	chain.Solana:  {Service: "wallets.solana", Input: "wallet.SOL", Label: "The address"},
}

// moneyFields shows the wallets to every member; only some roles may change them.
func moneyFields(f *shell.Form, c merchant.Custodian, wallets bool) []panel.Field {
	fields := []panel.Field{
		f.Field(
			panel.Field{
				Name: "name", Label: "Name of your shop", Value: c.Name, Hint: "Your customers see it while they pay.",
				Max: "100", ReadOnly: !wallets, Setting: true,
			},
		),
	}
	for i, n := range chain.Networks() {
		hint := ""
		switch {
		case !wallets && i == 0:
			hint = "Only an owner can change the wallets."
		case !wallets:
		case i == 0: // one label for the inputs that follow
			hint = "Enter the address of a wallet of your own. You can use the same address for several networks. " +
				"Do not enter one of an exchange, unless the exchange takes deposits from contracts. " +
				"A network without a wallet is not offered to your customers."
		case n == chain.Solana:
			hint = "Enter the address of the wallet itself, not that of a token account."
		}
		fields = append(fields, f.Field(panel.Field{
			Name: walletNames[n].Input, Label: f.Locale.T("Wallet on {{.Network}}", "Network", views.NetworkName(string(n))), Value: string(c.Wallets[n]), Mono: true, Max: "64", Hint: hint, ReadOnly: !wallets, Whole: true, Setting: true,
		}))
	}
	return fields
}

// postPayouts changes where the money goes. It asks for re-authentication, notifies
// the owners by mail and writes the audit log.
func (s *Surface) postPayouts(c echo.Context, who session.Principal, f *shell.Form) error {
	key, err := who.Key(f.Values.Get("key"))
	if err != nil {
		return err
	}
	custodian, _, err := s.CustodianOf(c.Request().Context(), key)
	if err != nil {
		return err
	}
	if err := s.since(c, who, f, key, moneyFields(shell.EmptyForm(c), custodian, true)...); err != nil {
		return err
	}
	all := emptyPayoutForms(c)
	all.money = f
	return s.apply(c, who, f, change{
		asOf: custodian.UpdatedAt, key: key, in: moneyInput(f), subjects: moneySubjects(),
		path: payoutsPath, saved: "The wallets are saved.",
		page: func(status int) error { return s.payoutsPage(c, who, status, key.PublicID, all) },
	})
}

// moneySubjects map the fields a refusal of postPayouts can name to inputs.
func moneySubjects() []shell.Subject {
	all := []shell.Subject{{Service: "name", Input: "name", Label: "The name"}}
	for _, n := range chain.Networks() {
		all = append(all, walletNames[n])
	}
	return all
}

// moneyInput reads the form.
func moneyInput(f *shell.Form) merchant.CustodianInput {
	in := merchant.CustodianInput{Name: f.Changed("name"), Wallets: make(map[chain.Network]string)}
	for _, n := range chain.Networks() {
		if to := f.Changed(walletNames[n].Input); to != nil {
			in.Wallets[n] = *to
		}
	}
	return in
}
