package dashboard

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
)

// PaymentRow is a payment in a list.
type PaymentRow struct {
	TxnID string
	// Title is what the merchant knows it by, and About what else is known; both
	// may be empty.
	Title, About string
	Amount       string
	Price        views.Price // what the amount was made of, if it was given in another currency
	Standing     string      // payment.Standing
	Network      string      // as in the API; empty until started
	Token        string
	CreatedAt    time.Time
	Refunds      []RefundLine
}

// RefundLine is refunds of a payment in a list, in one token.
type RefundLine struct {
	Amount string // with its token
	Paid   bool   // the money is there
}

// PaymentsProps is the list of payments.
type PaymentsProps struct {
	panel.Frame

	// Sentence is the filter in words.
	Sentence string
	Filtered bool
	Chips    []Chip
	// Totals are how many payments the filter takes, and what they were made for together.
	Totals string
	// Tab is the value of the tab that the filter is; another text for none of them.
	Tab     string
	Fields  FilterFields
	Problem string
	Rows    []PaymentRow
	// NextURL and FirstURL lead to other pages of the list; empty for none.
	NextURL, FirstURL string
	// LookedTo: older payments than this were not compared with the filter yet, and the next page goes on there; zero:
	// the page is full, or the list ends.
	LookedTo time.Time
	// Currencies are those of the shops, beside US dollars.
	Currencies []string
	ExportURL  string // the page of exports, of this filter
	HasKey     bool
	// LivePath is the stream of the list; empty for a search and for an older page.
	LivePath string
}

// Chip is one part of a filter in words, and the list without it.
type Chip struct{ Text, Without string }

// ChoiceText is the text of the choice of that value; the value itself where there is none.
func ChoiceText(ctx context.Context, value string, choices []panel.Choice) string {
	for _, c := range choices {
		if c.Value == value {
			return views.T(ctx, c.Text)
		}
	}
	return value
}

// FilterFields are the values of the filter as they were typed.
type FilterFields struct {
	Text, Status, Network, Token, Kind, From, FromTime, Until, UntilTime, Min, Max string

	In string // what Min and Max are in: a currency; empty: US dollars
}

// tokenChoices are the tokens by which the list can be filtered.
func tokenChoices() []panel.Choice {
	all := []panel.Choice{{Value: "", Text: "Any token"}}
	for _, t := range money.Tokens() {
		all = append(all, panel.Choice{Value: string(t), Text: string(t)})
	}
	return all
}

// What the list can be filtered by.
var (
	StatusChoices = []panel.Choice{
		{Value: "", Text: "Any status"},
		{Value: "OPEN", Text: "Open"},
		{Value: "ATTENTION", Text: "Needs attention"},
		{Value: "PENDING", Text: "Not started"},
		{Value: "STARTED", Text: "Waiting for payment"},
		{Value: "COMPLETED", Text: "Paid"},
		{Value: "EXPIRED", Text: "Expired"},
		{Value: "CANCELLED", Text: "Cancelled"},
		{Value: "REFUNDED", Text: "Refunded"},
	}
	NetworkChoices = []panel.Choice{
		{Value: "", Text: "Any network"},
		{Value: "BEP20", Text: views.NetworkName("BEP20")},
		{Value: "POLYGON", Text: views.NetworkName("POLYGON")},
		{Value: "BASE", Text: views.NetworkName("BASE")},
		{Value: "SOL", Text: views.NetworkName("SOL")},
	}
	KindChoices = []panel.Choice{
		{Value: "", Text: "Any kind"},
		{Value: "PAYMENT", Text: "Payments"},
		{Value: "DONATION", Text: "Donations"},
	}
)

// paymentTabs are the filters that merchants use most.
var paymentTabs = []panel.Choice{
	{Value: "", Text: "All"},
	{Value: "COMPLETED", Text: "Paid"},
	{Value: "OPEN", Text: "Open"},
	{Value: "ATTENTION", Text: "Needs attention"},
	{Value: "REFUNDED", Text: "Refunded"},
}

// bound is the label of a bound of amounts, with the sign of dollars where there is no choice of currencies.
func (p PaymentsProps) bound(ctx context.Context, label string) string {
	label = views.T(ctx, label)
	if len(p.Currencies) == 0 {
		label += ", $"
	}
	return label
}

// currencyChoices are what bounds of amounts may be in.
func (p PaymentsProps) currencyChoices() []panel.Choice {
	all := []panel.Choice{{Value: "USD", Text: "USD"}}
	for _, c := range p.Currencies {
		all = append(all, panel.Choice{Value: c, Text: c})
	}
	return all
}
