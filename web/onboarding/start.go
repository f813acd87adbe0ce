package onboarding

import (
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/onboarding"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// tolerance is by how many hundredths of a percent a payment may fall short where the
// merchant ticked it: exchanges take their fee from the amount.
const tolerance = 100

// errSetUp refuses to set up a shop again.
var errSetUp = fault.New(fault.Conflict, "your wallets are set already; change them under Settings, Payouts")

// errLocked refuses to set up a shop on a locked account, where wallets wait.
var errLocked = fault.New(fault.Conflict, "your account is locked; enter your wallets under Settings, Payouts")

// SetUp is the form that sets up the principal's shop; nil where no form is needed.
func (s *Surface) SetUp(c echo.Context, who session.Principal) (*onboarding.Card, error) {
	needed, err := s.needed(c.Request().Context(), who)
	if err != nil || !needed {
		return nil, err
	}
	card, err := s.card(c, who, shell.EmptyForm(c))
	return &card, err
}

// needed reports whether the principal may set up the shop, and no key has a wallet.
func (s *Surface) needed(ctx context.Context, who session.Principal) (bool, error) {
	if !who.Membership.Role.May(merchant.ActMoney) {
		return false, nil
	}
	locked, err := s.Merchants.Locked(ctx, who.Membership.Merchant.ID)
	if err != nil || locked {
		return false, err
	}
	_, has, err := s.shop(ctx, who)
	return !has, err
}

// shop returns the first key that has wallets; false if there is none.
func (s *Surface) shop(ctx context.Context, who session.Principal) (merchant.Key, bool, error) {
	for _, k := range who.Keys {
		c, _, err := s.CustodianOf(ctx, k)
		if err != nil || len(c.Wallets) > 0 {
			return k, err == nil, err
		}
	}
	return merchant.Key{}, false, nil
}

func (s *Surface) getStart(c echo.Context, who session.Principal) error {
	needed, err := s.needed(c.Request().Context(), who)
	if err != nil {
		return err
	}
	if !needed {
		return c.Redirect(http.StatusSeeOther, shell.HomePath)
	}
	return s.startPage(c, who, http.StatusOK, shell.EmptyForm(c))
}

func (s *Surface) startPage(c echo.Context, who session.Principal, status int, f *shell.Form) error {
	card, err := s.card(c, who, f)
	if err != nil {
		return err
	}
	p := onboarding.StartProps{Frame: s.Frame(c, who, "Set up your shop", shell.HomePath), Card: card}
	return s.Show(c, status, p.Frame, onboarding.Start(p))
}

func (s *Surface) card(c echo.Context, who session.Principal, f *shell.Form) (onboarding.Card, error) {
	card := onboarding.Card{Problem: f.Problem, Tolerant: f.Posted == "" || f.Values.Get("tolerant") == "yes"}
	card.Fields = []panel.Field{f.Field(panel.Field{
		Name: "name", Label: "Name of your shop", Hint: "Your customers see it while they pay.", Max: "100",
		Required: true, Autocomplete: "organization",
	})}
	evm, solana := s.offered()
	card.NoNetwork = len(evm) == 0 && !solana
	if len(evm) > 0 {
		card.Fields = append(card.Fields, f.Field(panel.Field{
			Name: "evm", Label: f.Locale.T("Your wallet for {{.Networks}}", "Networks", listed(f.Locale, evm)), Mono: true, Max: "64", Whole: true,
			Hint: "An address of your own that begins with 0x, from a wallet such as MetaMask or Trust Wallet. " +
				"Not a deposit address of an exchange. You can give each network another one later.",
		}))
	}
	if solana {
		card.Fields = append(card.Fields, f.Field(panel.Field{
			Name: "solana", Label: "Your wallet for Solana", Mono: true, Max: "64", Whole: true,
			Hint: "From a wallet such as Phantom or Solflare. Leave it empty if you have none.",
		}))
	}
	var err error
	card.Password, err = s.GateField(c, who, f)
	return card, err
}

// offered returns the names of the EVM networks of this installation, and whether
// Solana is one of its networks.
func (s *Surface) offered() (evm []string, solana bool) {
	for _, n := range chain.Networks() {
		_, ok := s.Payments.Network(n)
		switch {
		case !ok:
		case n == chain.Solana:
			solana = true
		default:
			evm = append(evm, views.NetworkName(string(n)))
		}
	}
	return evm, solana
}

// listed writes names with "and" before the last.
func listed(l *views.Locale, names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return l.T("{{.Some}} and {{.Last}}", "Some", strings.Join(names[:last], ", "), "Last", names[last])
}

// postStart sets where the money of a new shop goes, and makes its payment link.
func (s *Surface) postStart(c echo.Context, who session.Principal, f *shell.Form) error {
	ctx := c.Request().Context()
	if locked, err := s.Merchants.Locked(ctx, who.Membership.Merchant.ID); err != nil {
		return err
	} else if locked {
		return errLocked
	}
	in := s.shopInput(f)
	if key, has, err := s.shop(ctx, who); err != nil {
		return err
	} else if has {
		return s.already(c, who, key, in)
	}
	status := fault.Invalid.Code()
	if err := s.Gate(c, who, f, session.Recently); err != nil {
		if !session.ReauthRefused(f, err) {
			return err
		}
		status = session.ReauthStatus(err)
	}
	if !f.OK() {
		_, _, wrong := s.Merchants.Preview(ctx, merchant.Key{}, in)
		f.Refused(wrong, shopSubjects()...)
		return s.startPage(c, who, status, f)
	}
	key, err := s.firstKey(c, who)
	if err != nil {
		return err
	}
	if zone := f.Text("zone"); zone != "" && key.Zone == "" {
		// It is the browser's guess: one that is unknown here is left out.
		err := s.Merchants.NameKey(ctx, key, merchant.KeyNames{Zone: &zone}, s.Act(c, who))
		if err != nil && !fault.Is(err, fault.Invalid) {
			return err
		}
	}
	// The signing secret that comes with it is not shown: a merchant whose server checks
	// signatures makes a new one under Developers.
	after, _, err := s.Merchants.ArrangeCustodian(ctx, key, in, s.Act(c, who))
	if err != nil {
		if !f.Refused(err, shopSubjects()...) {
			return err
		}
		return s.startPage(c, who, fault.KindOf(err).Code(), f)
	}
	if err := s.makeLink(c, who, key, *in.Name); err != nil {
		return err
	}
	return s.Cookies.Redirect(c, readyPath, shell.Sentences(f.Locale, f.Locale.T("Your wallets are saved."),
		s.Merchants.WalletWarnings(ctx, merchant.Custodian{}, after)))
}

// shopSubjects map the fields a refusal of the form can name to inputs.
func shopSubjects() []shell.Subject {
	all := []shell.Subject{{Service: "name", Input: "name", Label: "The name"}}
	for _, n := range chain.Networks() {
		input := "evm"
		if n == chain.Solana {
			input = "solana"
		}
		all = append(all, shell.Subject{Service: merchant.WalletField(n), Input: input, Label: "The address"})
	}
	return all
}

// already answers a form that was sent a second time: what it asks for is there, or is
// refused.
func (s *Surface) already(c echo.Context, who session.Principal, key merchant.Key, in merchant.CustodianInput) error {
	custodian, _, err := s.CustodianOf(c.Request().Context(), key)
	if err != nil {
		return err
	}
	for n, a := range in.Addresses() {
		if custodian.Wallets[n] != a {
			return errSetUp
		}
	}
	if in.Name == nil || custodian.Name != *in.Name || len(in.Addresses()) == 0 {
		return errSetUp
	}
	if err := s.makeLink(c, who, key, custodian.Name); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, readyPath)
}

// shopInput reads the form; what is missing is reported beside its input.
func (s *Surface) shopInput(f *shell.Form) merchant.CustodianInput {
	in := merchant.CustodianInput{Wallets: make(map[chain.Network]string)}
	name := f.Text("name")
	if name == "" {
		f.Bad("name", "Enter the name that your customers know.")
	}
	in.Name = &name
	if f.Values.Get("tolerant") == "yes" {
		short := int64(tolerance)
		in.ShortBasis = &short
	}
	evm, solana := f.Text("evm"), f.Text("solana")
	if evm == "" && solana == "" {
		f.Bad("evm", "Enter at least one wallet: your money goes there.")
	}
	for _, n := range chain.Networks() {
		text := evm
		if n == chain.Solana {
			text = solana
		}
		if text != "" {
			in.Wallets[n] = text
		}
	}
	return in
}

// firstKey returns the merchant's first key, and makes it if there is none.
func (s *Surface) firstKey(c echo.Context, who session.Principal) (merchant.Key, error) {
	if key, ok, err := who.ChosenKey(""); err != nil || ok {
		return key, err
	}
	return s.FirstKey(c, who.Membership.Merchant, s.NewKeys)
}
