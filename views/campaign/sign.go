package campaign

import (
	"strings"

	"github.com/florinpay/florin/views"
)

// SignProps is the sheet with the code of a link or a campaign, to print.
type SignProps struct {
	views.Page

	Back        string // the page in the dashboard
	Link        string
	QR          views.QR
	Shop, Title string // either may be empty
	Amount      string // empty: the payer chooses it
	Gift        bool   // it asks for donations
}

// asks is what the sheet asks for.
func (p SignProps) asks() string {
	if p.Gift {
		return "Give in USDT or USDC"
	}
	return "Pay in USDT or USDC"
}

// plain is the link as one types it.
func (p SignProps) plain() string {
	_, rest, _ := strings.Cut(p.Link, "://")
	return rest
}
