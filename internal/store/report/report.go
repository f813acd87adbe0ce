// Package report is what merchants and operators look at: payments found by
// anything, sums by day, webhooks with their attempts, the book of credits, the
// state of an installation.
//
// Its one invariant: it only reads, and every question about a merchant names
// the keys whose data may be shown; an answer never holds another's.
package report

import (
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/webhook"
)

// MaxPage is the most rows of one page of a list.
const MaxPage = 500

// Query asks for payments, the newest first. Empty fields take everything.
type Query struct {
	Keys    []int64 // whose payments; none means no payments at all
	Status  payment.Status
	Network chain.Network
	Token   money.Token
	Kind    payment.Kind
	From    time.Time // by creation, included
	Until   time.Time // not included
	Min     money.Micros
	Max     money.Micros // 0: no limit
	// Text finds by txnid, reference, transaction hash, deposit address or
	// amount, to the letter. Amounts are looked for among those created
	// AmountReach before now, or since From.
	Text  string
	Now   time.Time
	After Place // the last payment of the page before; zero for the first page
	Limit int   // 1 to MaxPage
}

// AmountReach is how far back a payment is found by its amount alone.
const AmountReach = 90 * 24 * time.Hour

// Place is where a payment stands in a list.
type Place struct {
	At     time.Time
	Number int64
}

// Day is what was paid of the payments created on one day (UTC) on one network.
type Day struct {
	Day     time.Time
	Network chain.Network
	Count   int64
	Volume  money.Micros
}

// Activity is what a merchant has going on.
type Activity struct {
	Open    int64 // payments that have not ended
	Started int64 // payments started since the time asked for
	Any     bool  // there is at least one payment
	Paid    bool  // there is at least one completed payment
}

// Failing counts the events that a receiver did not take.
type Failing struct {
	Waiting int64 // failed so far, and will be tried again
	GivenUp int64 // their attempts were used up
}

// Delivery is an event on its way to a merchant's server.
type Delivery struct {
	ID      int64
	TxnID   payment.ID
	EventID string
	Type    payment.EventType
	At      time.Time // of the event
	State   webhook.State
	Made    int       // attempts made
	DueAt   time.Time // of the next attempt while it waits; when it ended otherwise
	Last    webhook.Attempt
}

// DeliveryQuery asks for deliveries of a key, the newest first.
type DeliveryQuery struct {
	KeyID  int64
	State  webhook.State     // empty: any
	Type   payment.EventType // empty: any
	TxnID  payment.ID        // empty: any
	Before int64             // ID of the last of the page before; 0 for the first page
	Limit  int               // 1 to MaxPage
}

// Entry is a line of a key's book: Count is negative for what was spent.
type Entry struct {
	ID     int64
	Ref    string
	Unit   ledger.Unit
	Count  int64
	Reason ledger.Reason
	At     time.Time
}

// Sweep is one try to move a payment's money to the settlement wallet.
type Sweep struct {
	ID         string
	Network    chain.Network
	State      string // of the sweep
	Symbol     string
	Moved      string // in tokens; empty: nothing yet
	Settlement chain.Address
	Tx         chain.TxHash // empty until it landed
	CreatedAt  time.Time
	SentAt     time.Time   // of the newest attempt; zero before the first
	EndedAt    time.Time   // zero while it is under way
	Paid       money.Units // gas of the whole transaction, in the native coin; zero before its end
	Pots       int         // how many addresses it emptied
	Reason     string      // why it could not be moved; empty otherwise
}

// PeopleQuery asks for users, the newest first.
type PeopleQuery struct {
	// Text finds by the beginning of an e-mail address or of a key's name, or
	// by the public id of a user or key; empty takes everybody.
	Text   string
	Before int64 // ID of the last of the page before; 0 for the first page
	Limit  int
}

// TopUp is a purchase of credits.
type TopUp struct {
	ID        int64
	TxnID     payment.ID
	Email     string // of the key's owner
	Label     string // of the key
	Credits   int64
	Amount    money.Micros
	Status    payment.Status
	Network   chain.Network // empty until started
	Token     money.Token
	Hash      chain.TxHash
	CreatedAt time.Time
}

// SweepLine is one transaction of settlement.
type SweepLine struct {
	Number    int64
	ID        string
	Network   chain.Network
	State     string
	Pots      int64 // addresses it took along
	Moved     int64 // of which it emptied
	Attempts  int64
	Tx        chain.TxHash // empty until it landed
	Paid      money.Units  // in the native coin; zero before its end
	Note      string       // why it failed or was given up
	CreatedAt time.Time
	EndedAt   time.Time // zero while it is under way
}

// Trouble is work that waits for a person, or for longer than it should.
type Trouble struct {
	Deliveries []LateDelivery
	Sweeps     []SweepLine // under way for long
	Deposits   []LeftDeposit
	Reorged    []ReorgedPayment
	Recharges  []LateRecharge
}

// MaxTrouble bounds each list of Trouble: who has more begins with these.
const MaxTrouble = 50

// LateDelivery is a webhook that should have been tried long ago.
type LateDelivery struct {
	TxnID payment.ID
	Email string // of the merchant
	Type  payment.EventType
	Made  int64 // attempts made
	DueAt time.Time
}

// LeftDeposit is final money that is not on its way to the merchant.
type LeftDeposit struct {
	TxnID    payment.ID
	Email    string // of the merchant
	Network  chain.Network
	Chosen   bool   // the payer was shown this network for this address
	Counted  bool   // it is one of the tokens that count
	Symbol   string // as the token calls itself
	Amount   string // in tokens
	FinalAt  time.Time
	Blocked  time.Time // until when sweeping leaves it alone; zero: it does not
	Reason   string    // why it could not be moved; may be empty
	Contract chain.Address
}

// LateRecharge is a purchase of query units that is paid, or about to be, and
// that nobody looks after: its network is configured away.
type LateRecharge struct {
	Email     string // of the merchant
	Units     int64
	Network   chain.Network
	Tx        chain.TxHash
	CreatedAt time.Time
}

// ReorgedPayment is a payment that was completed by money that vanished.
type ReorgedPayment struct {
	Number  int64
	TxnID   payment.ID
	Email   string // of the merchant
	Amount  money.Micros
	Network chain.Network
	Hash    chain.TxHash
	EndedAt time.Time
}

// Person is a user as the operator sees them.
type Person struct {
	identity.User

	Keys     int64
	Payments bool // has taken at least one
}

// Stuck is work that has waited longer than it should.
type Stuck struct {
	Deliveries int64     // webhooks overdue
	OldestDue  time.Time // since when; zero if none
	Sweeps     int64     // sweeps under way for long
	Unswept    int64     // deposits that are final for a day and not swept, dust apart
	Recharges  int64     // purchases of query units that nobody looks after
	Dust       int64     // the same that are worth less than moving them costs
}
