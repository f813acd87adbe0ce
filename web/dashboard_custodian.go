package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/shell"
)

const custodianPath = "/dashboard/custodian"

// custodianForm is what the forms of the page have to say, each in its place.
type custodianForm struct {
	money, secret, options *shell.Form
	signing                secret.Text
}

func emptyCustodianForm() custodianForm {
	return custodianForm{money: shell.NewForm(url.Values{}), secret: shell.NewForm(url.Values{}), options: shell.NewForm(url.Values{})}
}

func (d *desk) getCustodian(c echo.Context, v visitor) error {
	return d.custodianPage(c, v, http.StatusOK, c.QueryParam("key"), emptyCustodianForm())
}

func (d *desk) custodianPage(c echo.Context, v visitor, status int, asked string, f custodianForm) error {
	key, ok, choice, err := d.chosenKey(v, custodianPath, asked)
	if err != nil {
		return err
	}
	p := dashboard.CustodianProps{
		Frame: d.frame(c, v, "Custodian", custodianPath), Key: choice, HasKey: ok, Signing: f.signing.Reveal(),
		Problem: f.money.Problem, SecretProblem: f.secret.Problem, OptionsProblem: f.options.Problem,
	}
	if !ok {
		return d.show(c, status, p.Frame, dashboard.Custodian(p))
	}
	custodian, has, err := d.custodianOf(c.Request().Context(), key)
	if err != nil {
		return err
	}
	p.Exists, p.SigningCount, p.SecretSet = has, len(custodian.SigningSecrets), !custodian.Secret.Empty()
	p.Money = moneyFields(f.money, custodian, v.seat.Role.May(merchant.ActMoney))
	if p.Password, err = d.proofField(c, v, f.money); err != nil {
		return err
	}
	p.Secret = f.secret.Field(panel.Field{Name: "secret", Label: "Shared secret in the body (optional)", Hint: "Sent as “secret” in every webhook, for receivers that compare it.", Max: "256"})
	p.SecretReauth.Posted = f.secret.Posted
	if p.SecretReauth.Field, err = d.proofField(c, v, f.secret); err != nil {
		return err
	}
	p.Networks, p.Policy = d.networkForms(f.options, custodian), policyFields(f.options, custodian)
	if p.OptionsPassword, err = d.proofField(c, v, f.options); err != nil {
		return err
	}
	p.OptionsPassword.Form = "options"
	return d.show(c, status, p.Frame, dashboard.Custodian(p))
}

func (d *desk) custodianOf(ctx context.Context, key merchant.Key) (merchant.Custodian, bool, error) {
	custodian, err := d.d.Accounts.Custodian(ctx, key.ID)
	if errors.Is(err, merchant.ErrNoCustodian) {
		return merchant.Custodian{}, false, nil
	}
	return custodian, err == nil, err
}

// walletNames are the inputs of wallets and how services call them.
var walletNames = map[chain.Network]shell.Subject{
	chain.BEP20:   {Service: "wallets.bep20", Input: "wallet.BEP20", Label: "The address"},
	chain.Polygon: {Service: "wallets.polygon", Input: "wallet.POLYGON", Label: "The address"},
	chain.Base:    {Service: "wallets.base", Input: "wallet.BASE", Label: "The address"},
	chain.Solana:  {Service: "wallets.solana", Input: "wallet.SOL", Label: "The address"},
}

// moneyFields shows wallets to everybody, for changing to whom they are entrusted.
func moneyFields(f *shell.Form, c merchant.Custodian, wallets bool) []panel.Field {
	fields := []panel.Field{f.Field(panel.Field{Name: "name", Label: "Name of your shop", Value: c.Name, Hint: "Your customers see it while they pay.", Max: "100"})}
	for i, n := range chain.Networks() {
		hint := ""
		switch {
		case !wallets && i == 0:
			hint = "Only an owner can change the wallets."
		case !wallets:
		case i == 0: // said once, for all that follow
			hint = "The address of a wallet of your own; the same may stand for several networks. " +
				"Not one of an exchange, unless the exchange takes deposits from contracts. A network without a wallet is not offered."
		case n == chain.Solana:
			hint = "Your wallet's own address, not that of a token account."
		}
		fields = append(fields, f.Field(panel.Field{
			Name: walletNames[n].Input, Label: "Wallet on " + views.NetworkName(string(n)), Value: string(c.Wallets[n]), Mono: true, Max: "64", Hint: hint, ReadOnly: !wallets, Whole: true,
		}))
	}
	return append(fields, f.Field(panel.Field{
		Name: "callbackUrl", Label: "Callback address", Type: "url", Value: c.CallbackURL, Mono: true, Max: "2048",
		Hint: "An https address of your shop. Left empty, no webhook is sent.", Placeholder: "https://shop.example/florin",
	}))
}

// postCustodian changes where the money goes and how the merchant is told. It
// asks once more who is there, tells the owners by mail and enters the audit log.
func (d *desk) postCustodian(c echo.Context, v visitor) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	f, ctx := emptyCustodianForm(), c.Request().Context()
	f.money = shell.NewForm(values)
	key, err := v.key(values.Get("key"))
	if err != nil {
		return err
	}
	before, _, err := d.custodianOf(ctx, key)
	if err != nil {
		return err
	}
	in, err := moneyInput(v.seat, f.money, before)
	if err != nil {
		return err
	}
	err = d.confirm(c, v, f.money)
	if err != nil && d.badProof(f.money, err) {
		return d.custodianPage(c, v, proofStatus(err), key.PublicID, f)
	}
	if err == nil {
		var changes []string
		entry := d.auditChanges(c, v, func(before, after merchant.Custodian) []audit.Entry {
			changes = after.Destinations(before)
			return moneyLines(key, before, after)
		})
		if _, f.signing, err = d.x.Members.ArrangeCustodian(c.Request().Context(), key, in, entry); err == nil {
			d.tellMoney(c, v, key, changes)
			return d.custodianSaved(c, v, key, f.signing, "Wallets and callback are saved.")
		}
	}
	subjects := []shell.Subject{{Service: "name", Input: "name", Label: "The name"}, {Service: "callbackUrl", Input: "callbackUrl", Label: "The callback address"}}
	for _, n := range chain.Networks() {
		subjects = append(subjects, walletNames[n])
	}
	if !f.money.Refused(err, subjects...) {
		return err
	}
	return d.custodianPage(c, v, fault.KindOf(err).Code(), key.PublicID, f)
}

// moneyInput reads the form. From somebody who may not say where the money goes
// it is refused if a wallet is not what it was.
func moneyInput(seat merchant.Membership, f *shell.Form, before merchant.Custodian) (merchant.CustodianInput, error) {
	name, callback := f.Text("name"), f.Text("callbackUrl")
	in := merchant.CustodianInput{Name: &name, CallbackURL: &callback}
	denied := seat.Allow(merchant.ActMoney)
	if denied == nil {
		in.Wallets = make(map[chain.Network]string)
	}
	for _, n := range chain.Networks() {
		input := walletNames[n].Input
		if denied == nil {
			in.Wallets[n] = f.Text(input)
		} else if f.Values.Has(input) && f.Text(input) != string(before.Wallets[n]) {
			return merchant.CustodianInput{}, denied
		}
	}
	return in, nil
}

// custodianSaved shows a fresh signing secret in the answer itself, for a
// redirect would have to carry it somewhere.
func (d *desk) custodianSaved(c echo.Context, v visitor, key merchant.Key, signing secret.Text, said string) error {
	if signing.Empty() {
		return d.cookies.Redirect(c, custodianPath+"?key="+key.PublicID, said)
	}
	f := emptyCustodianForm()
	f.signing = signing
	return d.custodianPage(c, v, http.StatusOK, key.PublicID, f)
}

// moneyLines say what changed of wallets, callback and name.
func moneyLines(key merchant.Key, before, after merchant.Custodian) []audit.Entry {
	var lines []audit.Entry
	add := func(action audit.Action, detail string) {
		lines = append(lines, audit.Entry{Action: action, Subject: labelOf(key), Detail: detail})
	}
	if wallets := after.WalletChanges(before); len(wallets) > 0 {
		add(audit.ActionWallets, strings.Join(wallets, ", "))
	}
	if before.CallbackURL != after.CallbackURL {
		add(audit.ActionCallback, orNone(before.CallbackURL)+" → "+orNone(after.CallbackURL))
	}
	if before.Name != after.Name {
		add(audit.ActionCustodian, "name "+orNone(before.Name)+" → "+orNone(after.Name))
	}
	return lines
}

// tellMoney mails what changed of wallets and callback.
func (d *desk) tellMoney(c echo.Context, v visitor, key merchant.Key, changes []string) {
	if len(changes) > 0 {
		d.mailOwners(c, v, "Where your money goes was changed", v.user.Email+" changed in Florin, for the API key “"+labelOf(key)+"”:\n\n"+
			strings.Join(changes, "\n"))
	}
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// ownCustodian reads the form and finds the key it is about.
func (d *desk) ownCustodian(c echo.Context, v visitor) (*shell.Form, merchant.Key, error) {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return nil, merchant.Key{}, err
	}
	key, err := v.key(values.Get("key"))
	if err != nil {
		return nil, merchant.Key{}, err
	}
	_, has, err := d.custodianOf(c.Request().Context(), key)
	if err == nil && !has {
		err = merchant.ErrNoCustodian
	}
	return shell.NewForm(values), key, err
}
