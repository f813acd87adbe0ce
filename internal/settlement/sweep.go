package settlement

import (
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// ID names a sweep: a ULID.
type ID string

// DepositBalance is what one deposit address holds in one asset.
type DepositBalance struct {
	PaymentID  string // the txnid, from which the address derives
	Scheme     chain.AddressScheme
	Address    chain.Watched
	Settlement chain.Address
	Asset      chain.Asset
	// Accounts are the token accounts that deposits which are due came to, beside the associated one.
	Accounts []chain.Address
	// Due is the final money that no sweep has moved.
	Due        money.Units
	FirstBlock uint64    // of the deposits that are due
	Oldest     time.Time // when the oldest deposit that is due became final
	// Least is the smallest amount the merchant wants swept; 0 for the policy's.
	Least money.Micros
	// AtOnce and Wait are how much money for its wallet the merchant lets wait, and how long; 0, or less than the
	// policy's: the policy's.
	AtOnce money.Micros
	Wait   time.Duration
	// Urgent: it does not wait for others. The merchant asked for its money, changed the settlement wallet, or the API
	// key has ended.
	Urgent bool
	// Failures counts consecutive failed sweeps of this balance, which is not
	// swept before BlockedUntil.
	Failures     int
	BlockedUntil time.Time
}

// State is where a sweep stands.
type State string

// The states.
const (
	Planned    State = "PLANNED"    // its balances are claimed
	Signed     State = "SIGNED"     // its bytes are stored
	Sent       State = "SENT"       // its bytes were broadcast
	Confirmed  State = "CONFIRMED"  // final on chain
	Failed     State = "FAILED"     // final on chain, but reverted
	Superseded State = "SUPERSEDED" // none of its attempts can be included any more
)

// InFlight reports whether the sweep has not ended.
func (s State) InFlight() bool { return s == Planned || s == Signed || s == Sent }

// Sweep is one transaction that moves many deposit balances.
type Sweep struct {
	ID        ID
	Network   chain.Network
	State     State
	Items     []chain.SweepItem
	Attempts  []chain.Attempt
	CreatedAt time.Time
	EndedAt   time.Time
	Tx        chain.TxHash // of the attempt that was included
	Block     chain.Head
	Paid      money.Units // its cost in native coin, without rent that came back
	Moved     []chain.Moved
	Unmoved   []chain.Unmoved
	Left      []chain.Moved // what lies on addresses of which less moved than was expected
	Note      string        // why it failed or was superseded
}

// Last returns the newest attempt; ok is false before the first is signed.
func (w Sweep) Last() (chain.Attempt, bool) {
	if len(w.Attempts) == 0 {
		return chain.Attempt{}, false
	}
	return w.Attempts[len(w.Attempts)-1], true
}

// moved returns what the sweep moved of an item; ok is false if nothing.
func (w Sweep) moved(i chain.SweepItem) (money.Units, bool) {
	for _, m := range w.Moved {
		if of(m, i) {
			return m.Units, true
		}
	}
	return money.Units{}, false
}

// unmoved returns why the sweep could not move an item; ok is false if it
// could, or if there was nothing to move.
func (w Sweep) unmoved(i chain.SweepItem) (reason string, ok bool) {
	for _, u := range w.Unmoved {
		if u.Address == i.Address.Address && u.Contract == i.Asset.Contract {
			return u.Reason, true
		}
	}
	return "", false
}

// WithFlushed returns the sweep with what others had moved of its items before it
// among what it moved. Any account may flush a forwarder, but only to the
// settlement wallet: money that stood on an address, and neither moved with the
// sweep nor lies there, has arrived there. standing is what stood there for
// certain: deposits that were found again in finalized blocks up to the sweep's,
// without what earlier sweeps moved. Of any other deposit, the chain may have
// dropped the block.
func (w Sweep) WithFlushed(standing func(chain.SweepItem) money.Units) Sweep {
	w.Moved = slices.Clone(w.Moved)
	for _, i := range w.Items {
		at := slices.IndexFunc(w.Left, func(l chain.Moved) bool { return of(l, i) })
		if at < 0 {
			continue
		}
		moved, some := w.moved(i)
		gone := standing(i).Sub(moved).Sub(w.Left[at].Units)
		switch {
		case gone.Cmp(money.Units{}) <= 0:
		case some:
			m := slices.IndexFunc(w.Moved, func(m chain.Moved) bool { return of(m, i) })
			w.Moved[m].Units = moved.Add(gone)
		default:
			w.Moved = append(w.Moved, chain.Moved{Address: i.Address.Address, Contract: i.Asset.Contract, Units: gone})
		}
	}
	return w
}

// of reports whether an amount is that of the item.
func of(m chain.Moved, i chain.SweepItem) bool {
	return m.Address == i.Address.Address && m.Contract == i.Asset.Contract
}
