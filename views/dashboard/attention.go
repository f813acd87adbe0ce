package dashboard

import (
	"slices"

	"github.com/florinpay/florin/views/panel"
)

// AttentionProps is what a person must settle.
type AttentionProps struct {
	panel.Frame

	Alerts   []panel.Notice
	Payments []AttentionRow
	More     bool // there are more payments than these
	Reauth   panel.Reauth
}

// AttentionRow is a payment that needs the merchant.
type AttentionRow struct {
	PaymentRow

	Verdict string
	// TimeLeft is how long a customer who asks for an answer can still pay the rest; empty for others.
	TimeLeft string
	// Accept is the received amount that the merchant may accept as the whole;
	// empty when there is none. Late: it is enough, but came too late.
	Accept string
	Late   bool
	// Bulk: it can be settled with others in one act.
	Bulk bool
}

// bulk reports whether some of the payments can be settled in one act.
func (p AttentionProps) bulk() bool {
	return slices.ContainsFunc(p.Payments, func(r AttentionRow) bool { return r.Bulk })
}
