package refund

import "github.com/florinpay/florin/views"

// OfferProps is what a payer is offered back of a payment.
type OfferProps struct {
	views.Page
	Merchant views.Merchant

	TxnID string
	// Link is the last part of the page's address; Mailed: it is the customer's own, so that no wallet has to sign.
	Link   string
	Mailed bool
	// Amount is a plain decimal, empty where nothing is offered; Unit its token, Network an enum value.
	Amount, Unit, Network string
	// Message is what the wallet that paid signs.
	Message string
	Refused bool // another wallet has signed
}

// OfferPath is the page of what is offered back of a payment.
func OfferPath(link, lang string) string { return "/refund/of/" + link + "?lang=" + lang }

func (p OfferProps) head() views.Head {
	return views.Head{
		Page: p.Page, Title: p.T("refund.title") + " · " + p.Merchant.Name, Description: p.lead(),
		Theme: views.DataTheme(p.Merchant), Inline: "checkout.css", Extra: views.BrandCSS(p.Merchant),
		Scripts: []string{"page.js", "refund.js"},
	}
}

func (p OfferProps) sum() string { return p.Locale().Money(p.Amount, p.Unit) }

func (p OfferProps) lead() string {
	if p.Amount == "" {
		return p.T("offer.none", "Merchant", p.Merchant.Name)
	}
	return p.T("offer.lead", "Merchant", p.Merchant.Name, "Amount", p.sum(), "Network", views.NetworkName(p.Network))
}

func (p OfferProps) languageHref(lang string) string { return OfferPath(p.Link, lang) }
