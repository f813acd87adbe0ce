package refund

import (
	"strings"
	"time"

	"github.com/florinpay/florin/views"
)

// Letter is the mail to the payer about a refund in the state of p: its subject and its text. page is the payer's own
// page of it, which ends at the time given.
func Letter(p Props, page string, until time.Time) (subject, text string) {
	l := p.Locale()
	named := func(id string) string { return p.T(id) + " · " + p.Merchant.Name }
	switch p.State {
	case "REQUESTED":
		return named("refund.title"), p.lead() + "\n\n" + p.T("letter.refund_ask", "Date", l.Date(until)) + "\n" + page
	case "ADDRESS_GIVEN":
		return named("letter.refund_address"), strings.Join([]string{
			p.lead(), p.T("refund.given") + "\n" + p.Address, p.T("letter.refund_change") + "\n" + page,
		}, "\n\n")
	case "CANCELLED":
		return named("letter.refund_cancelled"), p.T("refund.cancelled", "Merchant", p.Merchant.Name)
	}
	facts := views.Facts{Locale: l}
	facts.Add(p.T("fact.received"), l.Money(p.Amount, p.Unit))
	facts.Add(p.T("fact.network"), p.network())
	facts.Add(p.T("fact.transaction"), p.Hash)
	return named("letter.refund_final"), strings.TrimSpace(strings.Join([]string{
		facts.String(), p.T("refund.arrived") + "\n" + p.Address, p.ExplorerURL,
	}, "\n\n"))
}
