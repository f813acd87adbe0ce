package checkout

import (
	"strings"

	"github.com/florinpay/florin/views"
)

// ReceiptLetter is the mail with a receipt: its subject and its text.
func ReceiptLetter(p ReceiptProps) (subject, text string) {
	l := p.Locale()
	facts := views.Facts{Locale: l}
	facts.Add(p.T("fact.received"), l.Money(p.Received, p.Token))
	if !p.Price.None() {
		facts.Add(p.T("receipt.asked"), l.Price(p.Price.Amount, p.Price.Currency)+" = "+l.Money(p.Amount, p.Token))
	}
	facts.Add(p.T("receipt.for"), p.Description)
	facts.Add(p.T("sum.reference"), p.Reference)
	facts.Add(p.T("fact.when"), l.Time(p.PaidAt))
	if p.Network != "" {
		facts.Add(p.T("fact.network"), views.NetworkName(p.Network))
	}
	facts.Add(p.T("receipt.number"), p.TxnID)
	lead, verify := p.T("paid.detail", "Merchant", p.Merchant.Name), p.T("receipt.verify")
	if p.ByHand {
		lead, verify = p.T("receipt.by_hand", "Merchant", p.Merchant.Name), p.T("receipt.verify_link")
	}
	return p.T("letter.receipt", "Merchant", p.Merchant.Name),
		strings.Join([]string{lead, facts.String(), verify + "\n" + p.VerifyURL + "?lang=" + l.Tag}, "\n\n")
}

// RestLetter is the mail about what is still missing of a payment; page is where the rest is paid.
func RestLetter(p Props, page string) (subject, text string) {
	l := p.Locale()
	facts := views.Facts{Locale: l}
	facts.Add(p.T("receipt.to"), p.Merchant.Name)
	facts.Add(p.T("sum.reference"), p.Reference)
	if p.Pay != nil {
		facts.Add(p.T("fact.network"), views.NetworkName(p.Pay.Network))
		facts.Add(p.T("receipt.address"), p.Pay.Address)
	}
	missing := l.Money(p.Missing, p.Token)
	return p.T("status.short", "Missing", missing) + " · " + p.Merchant.Name, strings.Join([]string{
		p.T("status.short_detail", "Received", l.Money(p.Received, p.Token), "Amount", l.Money(p.Amount, p.Token)),
		facts.String(), p.T("letter.until", "Time", l.Time(p.ExpiresAt)) + "\n" + page,
	}, "\n\n")
}
