package settlement

import (
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// ID names a sweep: a ULID.
type ID string

// Pot is what lies on one deposit address in one asset.
type Pot struct {
	PaymentID  string
	Number     int64 // the payment's internal number, from which the address derives
	Address    chain.Watched
	Settlement chain.Address
	Asset      chain.Asset
	// Due is the final money that no sweep has moved.
	Due    money.Units
	Oldest time.Time // when the oldest deposit that is due became final
	// Least is the smallest amount the merchant wants swept; 0 for the policy's.
	Least money.Micros
	// Failures counts sweeps of this pot that failed one after the other;
	// until BlockedUntil it is left alone.
	Failures     int
	BlockedUntil time.Time
}

// State is where a sweep stands.
type State string

// The states.
const (
	Planned    State = "PLANNED"    // its pots are claimed
	Signed     State = "SIGNED"     // its bytes are stored
	Sent       State = "SENT"       // its bytes were given to the network
	Confirmed  State = "CONFIRMED"  // final on chain
	Failed     State = "FAILED"     // final on chain, but reverted
	Superseded State = "SUPERSEDED" // none of its attempts can land any more
)

// InFlight reports whether the sweep holds its network's one place.
func (s State) InFlight() bool { return s == Planned || s == Signed || s == Sent }

// Item is a pot as a sweep takes it along.
type Item struct {
	PaymentID  string
	Number     int64
	Address    chain.Watched
	Settlement chain.Address
	Asset      chain.Asset
	Expected   money.Units
	// Rescue: the operator asked for it. It may be money that no deposit was
	// recorded for: another token, the native coin, another chain.
	Rescue bool
}

// Attempt is one signed transaction of a sweep. All attempts of an EVM sweep
// have the same nonce, so at most one of them can land.
type Attempt struct {
	N      int
	Tx     chain.TxHash
	Raw    []byte // the signed bytes, as they are broadcast
	Nonce  uint64 // EVM
	Until  uint64 // Solana: the last block height at which it can land
	Fee    Fee
	MadeAt time.Time
	SentAt time.Time // of the last broadcast; zero before the first
}

// expires reports whether the attempt can land for some time only, and another
// in its place not before that is over: both could.
func (a Attempt) expires() bool { return a.Until > 0 }

// Fee is what an attempt may cost, in the native coin's smallest unit.
type Fee struct {
	Gas     uint64      // gas limit; compute units on Solana
	Price   money.Units // the most it pays a unit of gas (EVM: maxFeePerGas)
	Tip     money.Units // of which to the producer (EVM: maxPriorityFeePerGas)
	Ceiling money.Units // the most it can cost in all, data fee included
}

// Sweep is one transaction that moves many pots.
type Sweep struct {
	ID        ID
	Network   chain.Network
	State     State
	Items     []Item
	Attempts  []Attempt
	CreatedAt time.Time
	EndedAt   time.Time
	Tx        chain.TxHash // that landed
	Block     chain.Head
	Paid      money.Units // what it really cost, native coin; rent that came back is not taken off
	Moved     []Moved
	Unmoved   []Unmoved
	Note      string // why it failed or was superseded
}

// Last returns the newest attempt; ok is false before the first is signed.
func (w Sweep) Last() (Attempt, bool) {
	if len(w.Attempts) == 0 {
		return Attempt{}, false
	}
	return w.Attempts[len(w.Attempts)-1], true
}

// moved returns what the sweep moved of an item; ok is false if nothing.
func (w Sweep) moved(i Item) (money.Units, bool) {
	for _, m := range w.Moved {
		if m.Address == i.Address.Address && m.Contract == i.Asset.Contract {
			return m.Units, true
		}
	}
	return money.Units{}, false
}

// unmoved returns why the sweep could not move an item; ok is false if it
// could, or if there was nothing to move.
func (w Sweep) unmoved(i Item) (reason string, ok bool) {
	for _, u := range w.Unmoved {
		if u.Address == i.Address.Address && u.Contract == i.Asset.Contract {
			return u.Reason, true
		}
	}
	return "", false
}

// Moved is what the chain says a sweep moved from an address.
type Moved struct {
	Address  chain.Address
	Contract chain.Address // empty for the native coin
	Units    money.Units
}

// Unmoved is a token a sweep could not move from an address, such as a frozen one.
type Unmoved struct {
	Address  chain.Address
	Contract chain.Address
	Reason   string
}
