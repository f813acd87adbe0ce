package recharge

import (
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
)

// ID is a recharge's public id, a ULID.
type ID string

// State is where a recharge stands.
type State string

// The states.
const (
	Signed    State = "SIGNED"    // stored; broadcast until it is in a block
	Credited  State = "CREDITED"  // final and booked
	Failed    State = "FAILED"    // final, and did not move the price
	Replaced  State = "REPLACED"  // its nonce was used by another transaction
	Abandoned State = "ABANDONED" // in no block for too long; still watched
)

// States lists the states.
func States() []State { return []State{Signed, Credited, Failed, Replaced, Abandoned} }

// Over reports whether nothing more can become of it. That a transfer failed or
// never came is what nodes said at one moment; if it is found after all, the
// money is there and its units are owed.
func (s State) Over() bool { return s == Credited }

// bad reports an end without money, which is in nobody's way but is looked at
// for a while yet.
func (s State) bad() bool { return s == Failed || s == Replaced }

// Recharge is one purchase of query units.
type Recharge struct {
	ID       ID
	KeyID    int64
	Units    int64 // query units bought, at least 1
	Transfer chain.TokenTransfer
	Bytes    chain.SignedTx
	State    State
	Note     string // why it did not end well
	Block    chain.Head

	CreatedAt time.Time
	SentAt    time.Time // zero until an endpoint has taken the bytes
	LookAt    time.Time // when to look next; zero for never
	EndedAt   time.Time // zero while it is Signed
}

// Change is a decision: the recharge as it will be and what is booked with it.
type Change struct {
	Recharge Recharge
	Entries  []ledger.Entry
}

// Times of a recharge.
const (
	// patience is how long bytes are broadcast again: a transaction that no
	// block takes within the hour was priced out or is held back.
	patience = time.Hour
	// watchFor is how long an abandoned one is looked after.
	watchFor = 30 * 24 * time.Hour
	// doubtFor is how long one that failed or was replaced is: nodes that know
	// blocks before their receipts, or have lost some, catch up within hours.
	doubtFor = 24 * time.Hour
)

// Price is what units cost.
func Price(units int64) money.Micros { return money.Micros(units) * ledger.QueryPrice }

// Payment returns the transfer by which the transaction paid the price.
func (r Recharge) Payment(v chain.TransferOutcome) (chain.Transfer, bool) {
	if v.Status != chain.TxFinal {
		return chain.Transfer{}, false
	}
	i := slices.IndexFunc(v.Transfers, func(t chain.Transfer) bool {
		return t.Tx == r.Bytes.Tx && t.Asset.Contract == r.Transfer.Asset.Contract &&
			t.From == r.Transfer.From && t.To == r.Transfer.To && t.Units.Cmp(r.Transfer.Amount) == 0
	})
	if i < 0 {
		return chain.Transfer{}, false
	}
	return v.Transfers[i], true
}

// Observe decides what a look at the network means. confirmed says that a
// second opinion agrees with a payment that is seen.
func (r Recharge) Observe(v chain.TransferOutcome, confirmed bool, now time.Time) Change {
	if r.State.Over() {
		return Change{Recharge: r}
	}
	r.LookAt = now.Add(pause(now.Sub(r.CreatedAt)))
	if r.State.bad() {
		r.LookAt = now.Add(seldom)
	}
	switch v.Status {
	case chain.TxFinal:
		r.Block = v.Block
		if _, paid := r.Payment(v); !paid {
			return r.ended(Failed, "the transaction is final, but did not move the price to the treasury", now)
		}
		if !confirmed {
			return Change{Recharge: r}
		}
		c := r.ended(Credited, "", now)
		c.Entries = []ledger.Entry{ledger.Grant(r.KeyID, ledger.Query, r.Units, ledger.ReasonRecharge, "recharge:"+string(r.ID), now)}
		return c
	case chain.TxReverted:
		r.Block = v.Block
		return r.ended(Failed, "the transaction is final and failed", now)
	case chain.TxDropped:
		return r.ended(Replaced, "another transaction of the wallet took its place", now)
	case chain.TxUnknown, chain.TxPending:
		if r.State == Signed && now.Sub(r.CreatedAt) >= patience {
			r.State, r.Note, r.EndedAt = Abandoned, "no block took the transaction within an hour", now
		}
	case chain.TxIncluded:
	}
	if now.Sub(r.CreatedAt) >= watchFor && v.Status != chain.TxIncluded || r.State.bad() && now.Sub(r.EndedAt) >= doubtFor {
		r.LookAt = time.Time{}
	}
	return Change{Recharge: r}
}

// ended ends it. An end without money stays what it was first.
func (r Recharge) ended(s State, note string, now time.Time) Change {
	if !s.bad() || !r.State.bad() {
		r.State, r.Note, r.EndedAt = s, note, now
	}
	r.LookAt = now.Add(seldom)
	if s.Over() || now.Sub(r.EndedAt) >= doubtFor {
		r.LookAt = time.Time{}
	}
	return Change{Recharge: r}
}

// pause is how long until the next look at one of that age.
func pause(age time.Duration) time.Duration {
	switch {
	case age < 5*time.Minute:
		return 2 * time.Second
	case age < patience:
		return 15 * time.Second
	}
	return seldom
}

// seldom is when to look again at what is hardly expected to change.
const seldom = 10 * time.Minute
