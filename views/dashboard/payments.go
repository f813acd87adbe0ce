package dashboard

import (
	"time"

	"github.com/florinpay/florin/views/panel"
)

// PaymentRow is a payment in a list.
type PaymentRow struct {
	TxnID, Reference string
	Amount           string
	Status           string
	// Seen is an addition to the status, such as "Money seen"; may be empty.
	Seen      string
	Network   string // name; empty until started
	Token     string
	Kind      string // PAYMENT, DONATION, TOPUP
	CreatedAt time.Time
}

// PaymentsProps is the list of payments.
type PaymentsProps struct {
	panel.Frame

	// Sentence is the filter in words.
	Sentence string
	Filtered bool
	Fields   FilterFields
	Problem  string
	Rows     []PaymentRow
	// NextURL and FirstURL lead to other pages of the list; empty for none.
	NextURL, FirstURL string
	ExportURL         string
	HasKey            bool
}

// FilterFields are the values of the filter as they were typed.
type FilterFields struct {
	Text, Status, Network, Token, Kind, From, Until, Min, Max, Range string
}

var (
	statusChoices = []panel.Choice{
		{Value: "", Text: "Any status"},
		{Value: "PENDING", Text: "Pending"},
		{Value: "STARTED", Text: "Started"},
		{Value: "COMPLETED", Text: "Completed"},
		{Value: "EXPIRED", Text: "Expired"},
		{Value: "CANCELLED", Text: "Cancelled"},
	}
	networkChoices = []panel.Choice{
		{Value: "", Text: "Any network"},
		{Value: "BEP20", Text: "BNB Smart Chain"},
		{Value: "POLYGON", Text: "Polygon"},
		{Value: "BASE", Text: "Base"},
		{Value: "SOL", Text: "Solana"},
	}
	tokenChoices = []panel.Choice{
		{Value: "", Text: "Any token"},
		{Value: "USDT", Text: "USDT"},
		{Value: "USDC", Text: "USDC"},
	}
	kindChoices = []panel.Choice{
		{Value: "", Text: "Any kind"},
		{Value: "PAYMENT", Text: "Payments"},
		{Value: "DONATION", Text: "Donations"},
		{Value: "TOPUP", Text: "Credit top-ups"},
	}
)
