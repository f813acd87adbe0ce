package campaign

import (
	"context"
	"time"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
)

// LinksProps is the list of payment links and the form of a new one.
type LinksProps struct {
	panel.Frame

	Problem string
	HasKey  bool
	Key     panel.KeyChoice
	Rows    []LinkRow
	Fields  []panel.Field
	More    []panel.Field // bounds of an open amount
	Open    bool          // shows More
	Reauth  panel.Field
}

// LinkRow is a payment link. Amount is empty where the payer chooses, between
// Min and Max, which are empty for no bound.
type LinkRow struct {
	Slug, Description, Reference string
	Amount, Min, Max             string
	Price                        views.Price // a fixed price in another currency; none where it is in US dollars
	Paused, KeyGone              bool
	CreatedAt                    time.Time
	Paid                         int64  // how many payments of it were completed
	Sum                          string // what they were made for
}

// FixedText is the amount that the link asks for; empty where the payer chooses it.
func (r LinkRow) FixedText(ctx context.Context) string {
	if r.Amount == "" && r.Price.Amount == "" {
		return ""
	}
	return r.amountText(ctx)
}

// amountText writes the amount, or its bounds.
func (r LinkRow) amountText(ctx context.Context) string {
	l := views.LocaleOf(ctx)
	least, most := l.Price(r.Min, "USD"), l.Price(r.Max, "USD")
	switch {
	case r.Amount != "":
		return l.Price(r.Amount, "USD")
	case r.Price.Amount != "":
		return l.Price(r.Price.Amount, r.Price.Currency)
	case !r.Price.None():
		return l.T("open, in {{.Currency}}", "Currency", r.Price.Currency)
	case r.Min != "" && r.Max != "":
		return l.T("{{.Least}} to {{.Most}}", "Least", least, "Most", most)
	case r.Min != "":
		return l.T("open, from {{.Least}}", "Least", least)
	case r.Max != "":
		return l.T("open, up to {{.Most}}", "Most", most)
	}
	return l.T("open")
}

// LinkProps is one payment link.
type LinkProps struct {
	panel.Frame
	LinkRow

	Problem string
	Fields  []panel.Field
	Reauth  panel.Field
	Editing bool // the form was sent, and is shown again
	Link    string
	QR      views.QR
	Button  string // HTML to copy
}
