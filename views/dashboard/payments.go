package dashboard

import "time"

// PaymentRow is a payment in a list.
type PaymentRow struct {
	TxnID, Reference string
	Amount           string
	Status           string
	// Seen says what is on its way or flagged; may be empty.
	Seen      string
	Network   string // name; empty until started
	Token     string
	Kind      string // PAYMENT, DONATION, TOPUP
	CreatedAt time.Time
}

// PaymentsProps is the list of payments.
type PaymentsProps struct {
	Frame

	// Sentence is the filter as one can read it.
	Sentence string
	Filtered bool
	Fields   FilterFields
	Problem  string
	Rows     []PaymentRow
	// NextURL and FirstURL turn pages; empty where there is none.
	NextURL, FirstURL string
	ExportURL         string
	HasKey            bool
}

// FilterFields are the values of the filter as they were typed.
type FilterFields struct {
	Text, Status, Network, Token, Kind, From, Until, Min, Max, Range string
}

var (
	statusChoices = []Choice{
		{"", "Any status"}, {"PENDING", "Pending"}, {"STARTED", "Started"}, {"COMPLETED", "Completed"}, {"EXPIRED", "Expired"}, {"CANCELLED", "Cancelled"},
	}
	networkChoices = []Choice{
		{"", "Any network"}, {"BEP20", "BNB Smart Chain"}, {"POLYGON", "Polygon"}, {"BASE", "Base"}, {"SOL", "Solana"},
	}
	tokenChoices = []Choice{{"", "Any token"}, {"USDT", "USDT"}, {"USDC", "USDC"}}
	kindChoices  = []Choice{{"", "Any kind"}, {"PAYMENT", "Payments"}, {"DONATION", "Donations"}, {"TOPUP", "Credit top-ups"}}
)

// PaymentProps is one payment with all that happened to it.
type PaymentProps struct {
	Frame

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
	Reason                                   Field
	// Proof asks once more who is there before goods go out for too little.
	Proof Proof
	// Accept is the money that may be taken as the whole; empty when there is
	// none. AcceptLate: it is enough, but came too late.
	Accept     string
	AcceptLate bool
	// Find asks about a transaction; Finding is the answer, nil before that.
	Find    Field
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
