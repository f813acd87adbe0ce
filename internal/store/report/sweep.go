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
	ID         string
	Network    chain.Network
	State      string // of the sweep
	Symbol     string
	Moved      string // in tokens; empty: nothing yet
	Settlement chain.Address
	Tx         chain.TxHash // empty until it is final
	CreatedAt  time.Time
	SentAt     time.Time   // of the newest attempt; zero before the first
	EndedAt    time.Time   // zero while it is under way
	Paid       money.Units // gas of the whole transaction, in the native coin; zero before its end
	Addresses  int         // how many addresses the transaction swept
	Reason     string      // why it could not be moved; empty otherwise
}

// SweepLine is one sweep transaction in a list.
type SweepLine struct {
	Number    int64
	ID        string
	Network   chain.Network
	State     string
	Addresses int64 // addresses it swept
	Moved     int64 // of which were moved
	Attempts  int64
	Tx        chain.TxHash // empty until it is final
	Paid      money.Units  // in the native coin; zero before its end
	Note      string       // why it failed or was given up
	CreatedAt time.Time
	EndedAt   time.Time // zero while it is under way
}

// SweepsOf lists the attempts to move a payment's money, the oldest first.
func (r *Reader) SweepsOf(ctx context.Context, number int64) ([]Sweep, error) {
	var rows []struct {
		PublicID   string
		Network    string
		State      string
		Symbol     string
		Decimals   int64
		Moved      *string
		Settlement db.Packed
		TxHash     string
		CreatedAt  db.Instant
		EndedAt    db.Instant
		SentAt     db.Instant
		Paid       string
		Addresses  int64
		Reason     string
	}
	err := r.db.Reader().NewRaw("SELECT s.public_id, s.network, s.state, i.symbol, i.decimals, i.moved, CASE WHEN i.txnid <> '' THEN i.settlement ELSE "+
		"(SELECT r.settlement FROM routes AS r WHERE r.payment_id = i.payment_id AND r.network = s.network) END AS settlement, s.tx_hash, s.created_at, "+
		"s.ended_at, s.paid, s.moved AS addresses, i.reason, (SELECT max(a.sent_at) FROM sweep_attempts AS a WHERE a.sweep_id = s.id) AS sent_at "+
		"FROM sweep_items AS i JOIN sweeps AS s ON s.id = i.sweep_id WHERE i.payment_id = ? ORDER BY i.id", number).Scan(ctx, &rows)
	if err != nil {
		return nil, db.Wrap(err, "sweeps of payment %d", number)
	}
	list := make([]Sweep, len(rows))
	for i, row := range rows {
		paid, err := money.ParseUnits(row.Paid)
		if err != nil {
			return nil, db.Wrap(err, "sweep %s", row.PublicID)
		}
		list[i] = Sweep{
			SentAt: row.SentAt.Time, Paid: paid, Addresses: int(row.Addresses),
			ID: row.PublicID, Network: chain.Network(row.Network), State: row.State, Symbol: row.Symbol,
			Settlement: chain.Address(row.Settlement),
			Tx: chain.TxHash(
				row.TxHash,
			), CreatedAt: row.CreatedAt.Time, EndedAt: row.EndedAt.Time, Reason: row.Reason,
		}
		if row.Moved == nil {
			continue
		}
		units, err := money.ParseUnits(*row.Moved)
		if err != nil {
			return nil, db.Wrap(err, "sweep %s", row.PublicID)
		}
		list[i].Moved = units.Format(int(row.Decimals))
	}
	return list, nil
}

// sweepLineRow is a sweep as lists show it.
type sweepLineRow struct {
	ID        int64
	PublicID  string
	Network   string
	State     string
	Addresses int64
	Moved     int64
	Attempts  int64
	TxHash    string
	Paid      string
	Note      string
	CreatedAt db.Instant
	EndedAt   db.Instant
}

const selectSweepLines = "SELECT s.id, s.public_id, s.network, s.state, (SELECT count(*) FROM sweep_items AS i WHERE i.sweep_id = s.id) AS addresses, s.moved, " +
	"(SELECT count(*) FROM sweep_attempts AS a WHERE a.sweep_id = s.id) AS attempts, s.tx_hash, s.paid, s.note, s.created_at, s.ended_at FROM sweeps AS s "

func sweepLines(rows []sweepLineRow) ([]SweepLine, error) {
	list := make([]SweepLine, len(rows))
	for i, row := range rows {
		paid, err := money.ParseUnits(row.Paid)
		if err != nil {
			return nil, db.Wrap(err, "sweep %s", row.PublicID)
		}
		list[i] = SweepLine{
			Number: row.ID, ID: row.PublicID, Network: chain.Network(row.Network),
			State: row.State, Addresses: row.Addresses,
			Moved: row.Moved, Attempts: row.Attempts,
			Tx: chain.TxHash(
				row.TxHash,
			), Paid: paid, Note: row.Note, CreatedAt: row.CreatedAt.Time, EndedAt: row.EndedAt.Time,
		}
	}
	return list, nil
}

// SweepLines lists the sweep transactions before the one given (0: from
// the newest), the newest first.
func (r *Reader) SweepLines(ctx context.Context, before int64, limit int) ([]SweepLine, error) {
	var rows []sweepLineRow
	err := r.db.Reader().NewRaw(selectSweepLines+"WHERE s.id < ? ORDER BY s.id DESC LIMIT ?", beforeOrLast(before),
		limit).Scan(ctx, &rows)
	if err != nil {
		return nil, db.Wrap(err, "list sweeps")
	}
	return sweepLines(rows)
}
