package ledger

import (
	"strconv"
	"time"

	"github.com/florinpay/florin/internal/fault"
)

// A payment that a stranger opens, a donation or a use of a payment link, takes a
// credit only for as long as it is open: the credit is held, and is spent if the
// payment completes or given back if it does not.
//
//	key ──hold──▶ held ──settle──▶ spent
//	 ▲              │
//	 └───release────┘

// Held returns the account of the units held for open payments of the key.
func Held(id int64) Account { return Account("held:" + strconv.FormatInt(id, 10)) }

// MinReserve is the smallest reserve of a key.
const MinReserve = 10

// ErrReserve refuses a payment that a stranger opens, since the rest of the
// credits is reserved for the merchant's own payments.
var ErrReserve = fault.New(fault.PaymentRequired, "credit limit exceeded: the remaining credits of this API key are reserved for payments that the merchant creates; try again later")

// Reserve returns the part of a key's funds that strangers can never hold: a
// third of the whole, held units included, and at least MinReserve.
func Reserve(f Funds) int64 { return max((f.Balance+f.Held+2)/3, MinReserve) }

// Holdable returns how many units of the funds strangers can hold together.
func Holdable(f Funds) int64 { return max(0, f.Balance+f.Held-Reserve(f)) }

// Hold returns the entry by which a stranger's payment takes a credit.
func Hold(keyID int64, ref string, now time.Time) Entry {
	return Entry{Ref: ref, From: Key(keyID), To: Held(keyID), Unit: Credit, Count: 1, Reason: ReasonStart, At: now}
}

// Settle returns the entry that spends a held credit.
func Settle(keyID int64, ref string, now time.Time) Entry {
	return Entry{Ref: ref, From: Held(keyID), To: Spent, Unit: Credit, Count: 1, Reason: ReasonSettle, At: now}
}

// Release returns the entry that gives a held credit back.
func Release(keyID int64, ref string, now time.Time) Entry {
	return Entry{Ref: ref, From: Held(keyID), To: Key(keyID), Unit: Credit, Count: 1, Reason: ReasonRelease, At: now}
}

// Holds reports whether the entry holds units for a stranger's payment.
func (e Entry) Holds() bool {
	_, ok := e.To.HeldID()
	return ok
}
