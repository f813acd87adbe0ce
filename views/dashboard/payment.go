package dashboard

import (
	"time"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
)

// PaymentProps is one payment with its history.
type PaymentProps struct {
	panel.Frame

	TxnID, Status, Amount, Received, Missing string
	Network, Token                           string
	Reference, Description, CustomerEmail    string
	// Price is what the amount was made of, if it was given in another currency; PriceSources is where its rate is
	// from.
	Price        views.Price
	PriceSources string
	KeyLabel     string // empty where the merchant has one key
	// Back is what was sent back to the payer; a plain decimal, empty when zero.
	Back string
	// Title is what the merchant knows it by; may be empty.
	Title string
	// Standing is a payment.Standing, and Verdict the same in a sentence.
	Standing, Verdict string
	// NeedsYou: something must be settled. Senders are the addresses the money
	// came from, and Note is the input of how it was settled.
	NeedsYou                      bool
	Senders                       []string
	Note                          panel.Field
	Metadata                      [][2]string
	CreatedAt, ExpiresAt, EndedAt time.Time
	Address, Settlement           string
	Hash, ExplorerURL             string
	CheckoutURL, ReceiptURL       string
	ByHand                        bool
	Timeline                      []Moment
	Deliveries                    []DeliveryRow
	Refunds                       Refunds
	CanCancel, CanComplete        bool
	Problem                       string
	Reason                        panel.Field
	// Reauth is the re-authentication of completing by hand.
	Reauth panel.Reauth
	// Accept is the received amount that the merchant may accept as the whole;
	// empty when there is none. AcceptLate: it is enough, but came too late.
	Accept     string
	AcceptLate bool
	// Find is the input of a transaction to look up; Lookup is the result, or nil.
	Find   panel.Field
	Lookup *LookupRow
}

// LookupRow is the result of a lookup.
type LookupRow struct {
	Title, Meaning, Verdict, Advice             string
	Network, Moved, Missing, FinalIn, Hash, URL string
}

// Moment is one entry of the history of a payment.
type Moment struct {
	At     time.Time
	Title  string
	Detail string
	// Technical moments and More, what follows Detail, stand among the technical details alone.
	Technical bool
	More      string
	Address   string // the money goes to; may be empty
	Hash      string // may be empty
	URL       string // of the hash
	Meaning   string // is-good, is-bad, is-seen or empty
}
