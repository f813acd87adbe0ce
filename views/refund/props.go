package refund

import (
	"time"

	"github.com/florinpay/florin/views"
)

// Props is a refund as the holder of its link sees it.
type Props struct {
	views.Page
	Merchant views.Merchant

	// Token is the secret part of the link.
	Token string
	// State is REQUESTED, ADDRESS_GIVEN, SENT, FINAL, CANCELLED, or ENDED where the link has.
	State string
	// Amount is a plain decimal, Unit its token, Network an enum value.
	Amount, Unit, Network string
	// Description and Reference are of the payment; either may be empty.
	Description, Reference string
	Address                string
	Proven                 bool
	Hash, ExplorerURL      string
	ArrivedAt              time.Time // zero until it has
	// Typed is what was typed, and Refusal what is the matter with it; both may be empty.
	Typed   string
	Refusal Refusal
	// Message is what the wallet that paid signs.
	Message string
}

// The states of the page that are no status of a refund.
const (
	StateEnded = "ENDED" // the link has ended
	StateSent  = "SENT"  // the merchant's wallet was asked
)

// Refusal is why an address was not taken.
type Refusal string

// The refusals.
const (
	NoAddress   Refusal = "bad"    // it is none of the network
	Lost        Refusal = "lost"   // nobody could move money from there
	Deposit     Refusal = "shop"   // a payment was sent to it
	OtherWallet Refusal = "wallet" // it did not pay
	NotChecked  Refusal = "later"  // the network does not answer
	Changed     Refusal = "state"  // the page says how things are now, and has no field
)

// refusal is what the payer reads beside the field.
func (p Props) refusal() string {
	switch p.Refusal {
	case NoAddress:
		return p.T("refund.bad", "Network", p.network())
	case Lost:
		return p.T("refund.bad_lost")
	case Deposit:
		return p.T("refund.bad_shop")
	case OtherWallet:
		return p.T("refund.wallet_other")
	case NotChecked:
		return p.T("refund.bad_later")
	}
	return ""
}

// Path is the page of a link.
func Path(token string) string { return "/refund/" + token }

func (p Props) head() views.Head {
	return views.Head{
		Page:        p.Page,
		Title:       p.T("refund.title") + " · " + p.Merchant.Name,
		Description: p.lead(),
		Theme:       views.DataTheme(p.Merchant),
		Inline:      "checkout.css",
		Extra:       views.BrandCSS(p.Merchant),
		Scripts:     []string{"page.js", "refund.js"},
		Refresh:     p.refresh(),
	}
}

// refreshSeconds is how often the page is looked at again while it waits.
const refreshSeconds = 15

// refresh is how often the page reloads itself without scripts: while money is on its way, and nothing can be typed.
func (p Props) refresh() int {
	if p.State == StateSent {
		return refreshSeconds
	}
	return 0
}

// waits reports whether the merchant is to do something, which the open page then says.
func (p Props) waits() bool { return p.State == "ADDRESS_GIVEN" || p.State == StateSent }

func (p Props) network() string { return views.NetworkName(p.Network) }

func (p Props) lead() string {
	if p.State == "CANCELLED" || p.State == "FINAL" { // nothing is to be paid back any more
		return p.T("refund.title")
	}
	return p.T("refund.lead", "Merchant", p.Merchant.Name, "Amount", p.Locale().Money(p.Amount, p.Unit),
		"Network", p.network())
}

func (p Props) languageHref(lang string) string { return Path(p.Token) + "?lang=" + lang }

// action is where the forms of the page are sent.
func (p Props) action(act string) string { return Path(p.Token) + act + "?lang=" + p.Lang }

// where says what becomes of the money at the address.
func (p Props) where() string {
	switch p.State {
	case "FINAL":
		return p.T("refund.arrived")
	case StateSent:
		return p.T("refund.sending", "Merchant", p.Merchant.Name)
	}
	return p.T("refund.given")
}

// asks reports whether an address may be given.
func (p Props) asks() bool { return p.State == "REQUESTED" || p.State == "ADDRESS_GIVEN" }

// evm reports whether wallets of EVM networks can have paid.
func (p Props) evm() bool { return p.Network != "SOL" }
