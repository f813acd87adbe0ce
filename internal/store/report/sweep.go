package report

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/store/db"
)

// Sweep is one attempt to move a payment's money to the settlement wallet.
type Sweep struct {
	ID         string `bun:"public_id"`
	Network    chain.Network
	State      string // of the sweep
	Symbol     string
	Decimals   int
	Units      *money.Units // that were moved; nil: nothing yet
	Moved      string       `bun:"-"` // Units in tokens
	Settlement chain.Address
	Tx         chain.TxHash `bun:"tx_hash"` // empty until it is final
	CreatedAt  time.Time
	SentAt     time.Time   // of the newest attempt; zero before the first
	EndedAt    time.Time   // zero while it is under way
	Paid       money.Units // gas of the whole transaction, in the native coin; zero before its end
	Addresses  int         // how many addresses the transaction swept
	Reason     string      // why it could not be moved; empty otherwise
}

// SweepLine is one sweep transaction in a list.
type SweepLine struct {
	Number    int64  `bun:"id"`
	ID        string `bun:"public_id"`
	Network   chain.Network
	State     string
	Addresses int64 // addresses it swept
	Moved     int64 // of which were moved
	Attempts  int64
	Tx        chain.TxHash `bun:"tx_hash"` // empty until it is final
	Paid      money.Units  // in the native coin; zero before its end
	Note      string       // why it failed or was given up
	CreatedAt time.Time
	EndedAt   time.Time // zero while it is under way
}

// SweepsOf lists the attempts to move a payment's money, the oldest first.
func (r *Reader) SweepsOf(ctx context.Context, number int64) ([]Sweep, error) {
	list, err := db.All[Sweep](ctx, r.db.Reader(), `SELECT s.public_id, s.network, s.state, i.symbol, i.decimals, i.moved AS units,
		CASE WHEN i.txnid <> '' THEN i.settlement ELSE (SELECT r.settlement FROM routes AS r WHERE r.payment_id = i.payment_id
		AND r.network = s.network) END AS settlement, s.tx_hash, s.created_at, s.ended_at, s.paid, s.moved AS addresses, i.reason,
		(SELECT max(a.sent_at) FROM sweep_attempts AS a WHERE a.sweep_id = s.id) AS sent_at
		FROM sweep_items AS i JOIN sweeps AS s ON s.id = i.sweep_id WHERE i.payment_id = ? ORDER BY i.id`, number)
	for i, x := range list {
		if x.Units != nil {
			list[i].Moved = x.Units.Format(x.Decimals)
		}
	}
	return list, db.Wrap(err, "sweeps of payment %d", number)
}

const selectSweepLines = `SELECT s.id, s.public_id, s.network, s.state, (SELECT count(*) FROM sweep_items AS i WHERE i.sweep_id = s.id) AS addresses, s.moved,
	(SELECT count(*) FROM sweep_attempts AS a WHERE a.sweep_id = s.id) AS attempts, s.tx_hash, s.paid, s.note, s.created_at, s.ended_at `

// SweepLines lists the sweep transactions before the one given (0: from
// the newest), the newest first.
func (r *Reader) SweepLines(ctx context.Context, before int64, limit int) ([]SweepLine, error) {
	list, err := db.All[SweepLine](ctx, r.db.Reader(), selectSweepLines+"FROM sweeps AS s WHERE s.id < ? ORDER BY s.id DESC LIMIT ?",
		beforeOrLast(before), limit)
	return list, db.Wrap(err, "list sweeps")
}
