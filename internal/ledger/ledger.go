// Package ledger accounts for what merchants have paid for: credits, which
// starting a payment takes, and queries.
//
// Its one invariant: the ledger is double entry and append-only. Every Entry
// moves a positive number from one account to another, so all accounts always
// sum to zero, and the balance of a key never falls below zero.
package ledger

import (
	"strconv"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// Unit is what is counted.
type Unit string

// The units.
const (
	Credit Unit = "credit"
	Query  Unit = "query"
)

// Account names one side of an entry.
type Account string

// The accounts of the house. A key's account is made with Key.
const (
	// Issued is where credits come from: it goes negative by all that was
	// ever granted or sold.
	Issued Account = "issued"
	// Spent is where used credits end.
	Spent Account = "spent"
)

// Key returns the account of the API key with that internal number.
func Key(id int64) Account { return Account("key:" + strconv.FormatInt(id, 10)) }

// Reason says why an entry was made.
type Reason string

// The reasons.
const (
	ReasonSignup    Reason = "signup"    // free credits and queries of a new key
	ReasonStart     Reason = "start"     // a payment was started
	ReasonOperation Reason = "operation" // an API operation that costs
	ReasonTopUp     Reason = "topup"     // bought through the checkout
	ReasonRecharge  Reason = "recharge"  // bought with rechargeApiKey
	ReasonGrant     Reason = "grant"     // given by the operator
	ReasonSettle    Reason = "settle"    // a stranger's payment completed
	ReasonRelease   Reason = "release"   // a stranger's payment ended without being paid
	ReasonFree      Reason = "free"      // covers a use where nothing is metered
)

// Entry moves Count of Unit from one account to another.
type Entry struct {
	// Ref makes the entry unique: the same Ref and Unit is posted once, even if
	// an operation is retried.
	Ref    string
	From   Account
	To     Account
	Unit   Unit
	Count  int64 // at least 1
	Reason Reason
	At     time.Time
	// IfLeft: it is left out where the balance does not cover it.
	IfLeft bool
}

// Balance is what a key has left.
type Balance struct {
	Credits int64
	Queries int64
}

// Low is the number of credits left at which a merchant is warned, on the
// dashboard and by mail.
const Low = 5

// IsLow reports whether a key with so many credits left needs more soon.
func IsLow(credits int64) bool { return credits <= Low }

// Prices (interface.md section 5.9 and 8).
const (
	// PerUSD is how many credits one dollar buys.
	PerUSD = 20
	// MinTopUp is the fewest credits that can be bought at once.
	MinTopUp = 20
	// MaxTopUp bounds one purchase: 50,000 USD.
	MaxTopUp = 1_000_000
	// QueryPrice is the price of one query unit.
	QueryPrice money.Micros = 50_000
	// MaxRecharge bounds one legacy purchase of query units: 50,000 USD.
	MaxRecharge = 1_000_000
)

// ErrNoCredits and ErrNoQueries refuse an operation that the balance does not cover.
var (
	ErrNoCredits = fault.New(fault.PaymentRequired, "credit limit exceeded: this API key has no credits left; buy credits in the dashboard")
	ErrNoQueries = fault.New(fault.PaymentRequired, "query limit exceeded: this API key has no queries left; recharge the key")
)

// Shortage returns the refusal for a unit that is used up.
func Shortage(u Unit) error {
	if u == Query {
		return ErrNoQueries
	}
	return ErrNoCredits
}

// Spend returns the entry by which a key pays one unit for what ref names.
func Spend(keyID int64, unit Unit, reason Reason, ref string, now time.Time) Entry {
	return Entry{Ref: ref, From: Key(keyID), To: Spent, Unit: unit, Count: 1, Reason: reason, At: now}
}

// Grant returns the entry by which a key receives count units.
func Grant(keyID int64, unit Unit, count int64, reason Reason, ref string, now time.Time) Entry {
	return Entry{Ref: ref, From: Issued, To: Key(keyID), Unit: unit, Count: count, Reason: reason, At: now}
}

// Price returns what credits cost, exactly: the price of one credit is a whole
// number of Micros.
func Price(credits int64) (money.Micros, error) {
	if credits < MinTopUp || credits > MaxTopUp {
		return 0, fault.About(fault.Invalid, "credits", "must be between %d and %d", MinTopUp, MaxTopUp)
	}
	return money.Micros(credits) * money.USD / PerUSD, nil
}
