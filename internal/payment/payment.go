package payment

import (
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/money"
)

// ID is a payment's public identifier: a ULID of 26 characters with 80 random
// bits. Knowing it is the only key to the payment's public fields.
type ID string

// Status is where a payment stands.
type Status string

// The statuses (interface.md section 3).
const (
	Pending   Status = "PENDING"
	Started   Status = "STARTED"
	Completed Status = "COMPLETED"
	Expired   Status = "EXPIRED"
	Cancelled Status = "CANCELLED"
)

// Statuses lists every status in the order of a payment's life.
func Statuses() []Status { return []Status{Pending, Started, Completed, Expired, Cancelled} }

// Final reports whether the status ends a payment's life.
func (s Status) Final() bool { return s == Completed || s == Expired || s == Cancelled }

// Kind is what a payment is for.
type Kind string

// The kinds.
const (
	KindMerchant Kind = "PAYMENT"  // a merchant's customer pays
	KindDonation Kind = "DONATION" // a donor pays to a campaign
	KindTopUp    Kind = "TOPUP"    // a merchant buys credits from the operator
)

// Choice is the network and token the payer picked.
type Choice struct {
	Network chain.Network
	Token   money.Token
}

// Route is an address that was shown to the payer, with the settlement wallet
// of its money and the tokens the payer was asked for. A route is never removed:
// money may come to it long after the payer chose another.
type Route struct {
	Network    chain.Network
	Address    chain.Watched
	Settlement chain.Address // the merchant's wallet, fixed when the route is made
	Scheme     chain.AddressScheme
	// Tokens are what counts on it: those the payer was asked for in order of choice,
	// and the others that the merchant takes there.
	Tokens []money.Token
	// Also are the other EVM networks, with tokens, on which money to the address
	// counts: the merchant takes them there at the same wallet. Fixed with the route.
	Also  []Choice
	Since time.Time
	// Finality is when money on it counts, if the merchant chose otherwise
	// than the network's own rule; fixed with the route.
	Finality chain.Finality
}

// Terms are the merchant's acceptance policy, fixed when the payment is made.
type Terms struct {
	// ShortBasis is by how many hundredths of a percent a payment may fall
	// short and still complete; 0 to 10,000.
	ShortBasis int64
	// LateFor is for how long after expiry money still completes a payment.
	LateFor time.Duration
	// KeepOver is up to how much more than was asked for the merchant keeps without being asked.
	KeepOver money.Micros
}

// Payment is one request for money and everything that has happened to it.
type Payment struct {
	ID     ID
	Number int64 // the row's internal number, which is never shown; 0 before it is stored
	KeyID  int64 // the API key that owns it
	Kind   Kind

	Amount money.Micros
	// Price is what the amount was made of, where it was given in another currency. No rule depends on it.
	Price  exchange.Price
	Status Status
	Choice Choice // zero until started
	Routes []Route
	// Deposits are all transfers ever seen to its routes, in the order seen.
	Deposits []Deposit

	CreatedAt time.Time
	ExpiresAt time.Time
	StartedAt time.Time // zero until started
	EndedAt   time.Time // zero until final

	Hash chain.TxHash // the transaction that completed it, or the newest deposit until then

	Extended   bool      // the timer was extended once because money fell short
	ResumedAt  time.Time // end of the last outage the timer was paused for
	Reorged    bool      // credited money vanished from the chain
	ByHand     bool      // completed by its owner's decision: marked so, or short or late money accepted
	Terms      Terms
	Credits    int64     // what a top-up was opened to buy
	Credited   int64     // what the final money of a top-up has bought so far; it never falls
	CampaignID int64     // the campaign of a donation
	LinkID     int64     // the payment link it was opened by; 0: none
	Held       bool      // the credit of its start is held until it ends
	Unheld     bool      // that was given back before the end: completing takes one
	Near       string    // from which neighbourhood a stranger started it; empty: not known, or it has ended
	AttendedAt time.Time // when the page of a stranger's payment was last seen open
	Seq        int       // sequence number of its last event; a restore leaves a gap
	Resolved   int       // the last event when its merchant resolved what needed attention; 0: never
	Asked      int       // the event of the payer asking to accept what came; 0: never
	// Refunded is what refunds take of it, by asset.
	Refunded []Refunded
	// DuplicateOf is the payment of the same reference that was paid before this one; empty: none was.
	DuplicateOf ID
	// Lang is the language in which the payer last read its page; empty: nobody has opened it.
	Lang string

	Details
}

// Details are texts of the merchant or the donor. No rule depends on them.
type Details struct {
	Reference     string
	Description   string
	SuccessURL    string
	CancelURL     string
	Metadata      map[string]string
	CustomerEmail string
	DonorName     string
	DonorMessage  string
}

// ByStranger reports whether anyone could open it at the merchant's cost: a
// donation, or a use of a payment link.
func (p Payment) ByStranger() bool { return p.Kind == KindDonation || p.LinkID > 0 }

// route returns the index of the route on the network, or -1.
func (p Payment) route(n chain.Network) int {
	return slices.IndexFunc(p.Routes, func(r Route) bool { return r.Network == n })
}

// RouteOn returns the route on the network; ok is false where there is none.
func (p Payment) RouteOn(n chain.Network) (Route, bool) {
	i := p.route(n)
	if i < 0 {
		return Route{}, false
	}
	return p.Routes[i], true
}

// Route returns the route of the payer's present choice; ok is false until
// the payment is started.
func (p Payment) Route() (Route, bool) {
	return p.RouteOn(p.Choice.Network)
}

// Counts reports whether the deposit is money for the payment: on a network of a
// route, in a token that counts there, and still on the chain; or on another network
// where the route's address counts. For
// a top-up every listed token on its address counts, since the operator has it.
// Whatever had come when the owner completed the payment by hand counts, too.
func (p Payment) Counts(d Deposit) bool {
	if d.State == DepositVanished {
		return false
	}
	if p.Status == Completed && p.ByHand && !d.SeenAt.After(p.EndedAt) {
		return true
	}
	if d.Transfer.Asset.Token == "" {
		return false
	}
	if p.Kind == KindTopUp {
		return p.topUpHolds(d.Transfer)
	}
	i := p.route(d.Transfer.Network)
	if i < 0 {
		_, ok := p.sameWallet(d.Transfer)
		return ok
	}
	return p.Routes[i].Address.Address == d.Transfer.To &&
		slices.Contains(p.Routes[i].Tokens, d.Transfer.Asset.Token)
}

// Received returns the final money that counts, exactly.
func (p Payment) Received() money.Atto {
	return p.sum(func(d Deposit) bool { return d.State == DepositFinal })
}

// Incoming returns the money that counts and is seen but not final yet.
func (p Payment) Incoming() money.Atto {
	return p.sum(func(d Deposit) bool { return d.State == DepositSeen })
}

func (p Payment) sum(take func(Deposit) bool) money.Atto {
	var total money.Atto
	for _, d := range p.Deposits {
		if p.Counts(d) && take(d) {
			total = total.Add(d.Transfer.Asset.Worth(d.Transfer.Units))
		}
	}
	return total
}

// Missing returns what must still be sent, rounded up; 0 when nothing is.
func (p Payment) Missing() money.Micros {
	if len(p.Deposits) == 0 { // as most polls find it
		return max(p.Amount, 0)
	}
	return max(p.Amount.Atto().Sub(p.free()).Sub(p.Incoming()).MicrosUp(), 0)
}

// enough reports whether so much final money suffices under the merchant's terms.
func (p Payment) enough(final money.Atto) bool {
	return final.Cmp(p.Amount.Atto().Basis(10_000-p.Terms.ShortBasis)) >= 0
}

// hasIncoming reports whether money that counts is seen but not final.
func (p Payment) hasIncoming() bool { return !p.Incoming().IsZero() }

// Countdown returns the whole seconds until the payment expires, never below
// 0, and 0 in a final status.
func (p Payment) Countdown(now time.Time) int64 {
	if p.Status.Final() {
		return 0
	}
	return max(int64(p.ExpiresAt.Sub(now)/time.Second), 0)
}

// Due is the amount a payer is asked to send: what is missing, or the whole
// amount when nothing is, so that a link is never for zero.
func (p Payment) Due() money.Micros {
	if m := p.Missing(); m > 0 {
		return m
	}
	return p.Amount
}
