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
	Credited  State = "CREDITED"  // final; the units are posted
	Failed    State = "FAILED"    // final, and did not move the price
	Replaced  State = "REPLACED"  // its nonce was used by another transaction
	Abandoned State = "ABANDONED" // in no block for too long; still tracked
)

// States lists the states.
func States() []State { return []State{Signed, Credited, Failed, Replaced, Abandoned} }

// Over reports whether the state is the last. A transfer that nodes reported as
// failed or missing may be found later, and then its units are owed.
func (s State) Over() bool { return s == Credited }

// unpaid reports an end without money, which is tracked for another day.
func (s State) unpaid() bool { return s == Failed || s == Replaced }

// Recharge is one purchase of query units.
type Recharge struct {
	ID       ID
	KeyID    int64
	Units    int64 // query units bought, at least 1
	Transfer chain.TokenTransfer
	Bytes    chain.SignedTx
	State    State
	Note     string // why it ended without money
	Block    chain.Head

	CreatedAt time.Time
	SentAt    time.Time // zero until an endpoint has accepted the bytes
	LookAt    time.Time // when to track it next; zero for never
	EndedAt   time.Time // zero while it is Signed
}

// Change is a decision: the recharge afterwards and the entries posted with it.
type Change struct {
	Recharge Recharge
	Entries  []ledger.Entry
}

// Times of a recharge.
const (
	// patience is how long bytes are broadcast again: a transaction that no
	// block takes within the hour was priced out or is held back.
	patience = time.Hour
	// watchFor is how long an abandoned recharge is tracked.
	watchFor = 30 * 24 * time.Hour
	// doubtFor is the same for one that failed or was replaced: a node that knows
	// blocks before their receipts, or has lost some, catches up within hours.
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

// Observe decides what the outcome on the network means. confirmed says that a
// second endpoint has confirmed the payment.
func (r Recharge) Observe(v chain.TransferOutcome, confirmed bool, now time.Time) Change {
	if r.State.Over() {
		return Change{Recharge: r}
	}
	r.LookAt = now.Add(pause(now.Sub(r.CreatedAt)))
	if r.State.unpaid() {
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
		c.Entries = []ledger.Entry{
			ledger.Grant(r.KeyID, ledger.Query, r.Units, ledger.ReasonRecharge, "recharge:"+string(r.ID), now),
		}
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
	if now.Sub(r.CreatedAt) >= watchFor && v.Status != chain.TxIncluded ||
		r.State.unpaid() && now.Sub(r.EndedAt) >= doubtFor {
		r.LookAt = time.Time{}
	}
	return Change{Recharge: r}
}

// ended ends the recharge. A second end without money keeps the first.
func (r Recharge) ended(s State, note string, now time.Time) Change {
	if !s.unpaid() || !r.State.unpaid() {
		r.State, r.Note, r.EndedAt = s, note, now
	}
	r.LookAt = now.Add(seldom)
	if s.Over() || now.Sub(r.EndedAt) >= doubtFor {
		r.LookAt = time.Time{}
	}
	return Change{Recharge: r}
}

// pause is how long until a recharge of that age is tracked again.
func pause(age time.Duration) time.Duration {
	switch {
	case age < 5*time.Minute:
		return 2 * time.Second
	case age < patience:
		return 15 * time.Second
	}
	return seldom
}

// seldom is the pause of a recharge that is not expected to change.
const seldom = 10 * time.Minute
