package ledger

import (
	"fmt"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/money"
)

// Bought returns how many whole credits an amount buys, rounded down.
func Bought(m money.Micros) int64 { return int64(m) / int64(money.USD/PerUSD) }

// TopUp returns the entry by which a top-up that has received total in all, and
// for which posted credits were posted before, brings its key what the total is
// worth. There is none (ok is false) if the total buys no credit more: several
// payments that add up to the total buy together what one payment would.
//
// Credits are never taken back: if money vanishes and comes again, the same
// total buys nothing a second time. The entry's Ref holds the credits posted
// including it, so one step is posted once, whatever is retried.
func TopUp(keyID int64, txnid string, total money.Micros, posted int64, now time.Time) (e Entry, ok bool) {
	worth := Bought(total)
	if worth <= posted {
		return Entry{}, false
	}
	ref := fmt.Sprintf("%s%s:%d", topUpRef, txnid, worth)
	return Grant(keyID, Credit, worth-posted, ReasonTopUp, ref, now), true
}

// topUpRef begins the Ref of a top-up's entries; the txnid and the credits
// posted so far follow.
const topUpRef = "topup:"

// PaymentOf returns the txnid of the payment that the Ref of an entry is about,
// if it is about one.
func PaymentOf(ref string) (txnid string, ok bool) {
	kind, rest, _ := strings.Cut(ref, ":")
	switch kind {
	case "start", "complete":
		return rest, true
	case "topup":
		txnid, _, _ = strings.Cut(rest, ":")
		return txnid, true
	}
	return "", false
}
