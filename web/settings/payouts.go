package settings

import (
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
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/views/settings"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const custodianPath = "/dashboard/custodian"

// custodianForm holds the state of the forms of the page.
type custodianForm struct {
	money, secret, options, lock *shell.Form
	signing                      secret.Text
	notices                      []string
}

func emptyCustodianForm() custodianForm {
	return custodianForm{
		money: shell.NewForm(url.Values{}), secret: shell.NewForm(url.Values{}), options: shell.NewForm(url.Values{}),
		lock: shell.NewForm(url.Values{}),
	}
}

func (s *Surface) getCustodian(c echo.Context, who session.Principal) error {
	return s.custodianPage(c, who, http.StatusOK, c.QueryParam("key"), emptyCustodianForm())
}

func (s *Surface) custodianPage(
	c echo.Context, who session.Principal, status int, asked string, f custodianForm,
) error {
	key, ok, choice, err := who.KeyChoice(custodianPath, asked)
	if err != nil {
		return err
	}
	p := settings.CustodianProps{
		Frame: s.Frame(c, who, "Payouts", custodianPath), Key: choice, HasKey: ok, Signing: f.signing.Reveal(),
		Problem: f.money.Problem, SecretProblem: f.secret.Problem, OptionsProblem: f.options.Problem,
	}
	for _, n := range f.notices {
		p.Frame.Notices = append(p.Frame.Notices, panel.Notice{Text: n})
	}
	if !ok {
		return s.Show(c, status, p.Frame, settings.Custodian(p))
	}
	if err := s.lockFields(c, who, f.lock, &p); err != nil {
		return err
	}
	custodian, has, err := s.CustodianOf(c.Request().Context(), key)
	if err != nil {
		return err
	}
	p.Exists, p.SigningCount, p.SecretSet = has, len(custodian.SigningSecrets), !custodian.Secret.Empty()
	p.Money = moneyFields(f.money, custodian, who.Membership.Role.May(merchant.ActMoney))
	if p.Password, err = s.GateField(c, who, f.money); err != nil {
		return err
	}
	p.Secret = f.secret.Field(panel.Field{Name: "secret", Label: "Shared secret in the body (optional)", Hint: "Sent as “secret” in every webhook, for receivers that compare it.", Max: "256"})
	p.SecretReauth.Posted = f.secret.Posted
	if p.SecretReauth.Field, err = s.GateField(c, who, f.secret); err != nil {
		return err
	}
	p.Networks, p.Policy = s.networkForms(f.options, custodian), policyFields(f.options, custodian)
	if p.OptionsPassword, err = s.GateField(c, who, f.options); err != nil {
		return err
	}
	p.OptionsPassword.Form = "options"
	return s.Show(c, status, p.Frame, settings.Custodian(p))
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
				Max: "100", ReadOnly: !wallets,
			},
		),
	}
	for i, n := range chain.Networks() {
		hint := ""
		switch {
		case !wallets && i == 0:
			hint = "Only an owner can change the wallets, the callback address and the secrets."
		case !wallets:
		case i == 0: // one label for the inputs that follow
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
		ReadOnly: !wallets,
		Hint:     "An https address of your shop. Left empty, no webhook is sent.", Placeholder: "https://shop.example/florin",
	}))
}

// postCustodian changes where the money goes and where webhooks are sent. It asks
// for re-authentication, notifies the owners by mail and writes the audit log.
func (s *Surface) postCustodian(c echo.Context, who session.Principal) error {
	f, err := session.ReadForm(c)
	if err != nil {
		return err
	}
	key, err := who.Key(f.Values.Get("key"))
	if err != nil {
		return err
	}
	before, _, err := s.CustodianOf(c.Request().Context(), key)
	if err != nil {
		return err
	}
	in, all := moneyInput(f), emptyCustodianForm()
	all.money = f
	err = s.Gate(c, who, f, session.Recently)
	if err != nil && session.ReauthRefused(f, err) {
		_, _, wrong := s.Merchants.Preview(c.Request().Context(), key, in)
		f.Refused(wrong, moneySubjects()...)
		return s.custodianPage(c, who, session.ReauthStatus(err), key.PublicID, all)
	}
	waits := false
	if err == nil {
		waits, err = s.waits(c, who, key, in)
	}
	if waits && err == nil {
		return s.Cookies.Redirect(c, custodianPath+"?key="+key.PublicID, session.WaitsNotice)
	}
	if err == nil {
		var changes []string
		entry := s.AuditChanges(c, who, func(before, after merchant.Custodian) []audit.Entry {
			changes = after.Destinations(before)
			return merchant.MoneyEntries(session.KeyLabel(key), before, after)
		})
		var signing secret.Text
		var after merchant.Custodian
		if after, signing, err = s.Merchants.ArrangeCustodian(c.Request().Context(), key, in, entry); err == nil {
			s.MailChanges(c, who, key, "Where your money goes was changed", changes)
			notices := s.Merchants.WalletNotices(c.Request().Context(), before, after)
			return s.custodianSaved(c, who, key, signing, "Wallets and callback are saved.", notices...)
		}
	}
	if !f.Refused(err, moneySubjects()...) {
		return err
	}
	return s.custodianPage(c, who, fault.KindOf(err).Code(), key.PublicID, all)
}

// moneySubjects map the fields a refusal of postCustodian can name to inputs.
func moneySubjects() []shell.Subject {
	all := []shell.Subject{
		{Service: "name", Input: "name", Label: "The name"},
		{Service: "callbackUrl", Input: "callbackUrl", Label: "The callback address"},
	}
	for _, n := range chain.Networks() {
		all = append(all, walletNames[n])
	}
	return all
}

// moneyInput reads the form.
func moneyInput(f *shell.Form) merchant.CustodianInput {
	name, callback := f.Text("name"), f.Text("callbackUrl")
	in := merchant.CustodianInput{Name: &name, CallbackURL: &callback, Wallets: make(map[chain.Network]string)}
	for _, n := range chain.Networks() {
		in.Wallets[n] = f.Text(walletNames[n].Input)
	}
	return in
}

// custodianSaved shows a new signing secret in the response itself: a redirect
// would have to store it.
func (s *Surface) custodianSaved(
	c echo.Context, who session.Principal, key merchant.Key, signing secret.Text, said string, notices ...string,
) error {
	if signing.Empty() {
		said = strings.Join(append([]string{said}, notices...), " ")
		return s.Cookies.Redirect(c, custodianPath+"?key="+key.PublicID, said)
	}
	f := emptyCustodianForm()
	f.signing, f.notices = signing, notices
	return s.custodianPage(c, who, http.StatusOK, key.PublicID, f)
}

// ownCustodian reads the form and returns the key it names.
func (s *Surface) ownCustodian(c echo.Context, who session.Principal) (*shell.Form, merchant.Key, error) {
	f, err := session.ReadForm(c)
	if err != nil {
		return nil, merchant.Key{}, err
	}
	key, err := who.Key(f.Values.Get("key"))
	if err != nil {
		return nil, merchant.Key{}, err
	}
	_, has, err := s.CustodianOf(c.Request().Context(), key)
	if err == nil && !has {
		err = merchant.ErrNoCustodian
	}
	return f, key, err
}
