package dashboard

import (
	"time"

	"github.com/florinpay/florin/views/panel"
)

// PaymentProps is one payment with all that happened to it.
type PaymentProps struct {
	panel.Frame

	TxnID, Status, Amount, Received, Missing string
	Network, Token                           string
	Reference, Description, CustomerEmail    string
	KeyLabel                                 string
	Metadata                                 [][2]string
	CreatedAt, ExpiresAt, EndedAt            time.Time
	Address, Settlement                      string
	Hash, ExplorerURL                        string
	CheckoutURL, ReceiptURL                  string
	Reorged, ByHand                          bool
	Timeline                                 []Moment
	Deliveries                               []DeliveryRow
	CanCancel, CanComplete                   bool
	Problem                                  string
	Reason                                   panel.Field
	// Proof asks once more who is there before goods go out for too little.
	Reauth panel.Reauth
	// Accept is the money that may be taken as the whole; empty when there is
	// none. AcceptLate: it is enough, but came too late.
	Accept     string
	AcceptLate bool
	// Find asks about a transaction; Finding is the answer, nil before that.
	Find    panel.Field
	Finding *FindingRow
}

// FindingRow is what became of a transaction.
type FindingRow struct {
	Title, Meaning, Verdict, Advice             string
	Network, Moved, Missing, FinalIn, Hash, URL string
}

// Moment is one thing that happened to a payment.
type Moment struct {
	At      time.Time
	Title   string
	Detail  string
	Hash    string // may be empty
	URL     string // of the hash
	Meaning string // is-good, is-bad, is-seen or empty
}
