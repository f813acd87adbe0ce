package settlement

import (
	"context"
	"fmt"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/db"
)

// Reconciliation returns the comparison that has not come to its end; ok is false if there is none.
func (s *Store) Reconciliation(ctx context.Context) (r settlement.Reconciliation, ok bool, err error) {
	var rows []struct {
		StartedAt db.Instant
		Networks  string
		PaymentID int64
		Network   string
		Done      int64
		Found     int64
	}
	err = s.db.Reader().NewRaw("SELECT started_at, networks, payment_id, network, done, found FROM reconciliations "+
		"WHERE only_row = 1").Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return settlement.Reconciliation{}, false, db.Wrap(err, "comparison that was stopped")
	}
	row := rows[0]
	return settlement.Reconciliation{
		StartedAt: row.StartedAt.Time, Networks: row.Networks, Place: settlement.ReconcilePlace{
			Last: settlement.DepositAddress{Payment: row.PaymentID, Network: chain.Network(row.Network)},
			Done: int(row.Done), Found: int(row.Found),
		},
	}, true, nil
}

// SaveReconciliation stores how far a comparison is, in the place of any other.
func (s *Store) SaveReconciliation(ctx context.Context, r settlement.Reconciliation) error {
	_, err := db.WriteOne(ctx, s.db, "INSERT INTO reconciliations (only_row, started_at, networks, payment_id, network, done, found) "+
		"VALUES (1, ?, ?, ?, ?, ?, ?) ON CONFLICT (only_row) DO UPDATE SET started_at = excluded.started_at, "+
		"networks = excluded.networks, payment_id = excluded.payment_id, network = excluded.network, done = excluded.done, "+
		"found = excluded.found", db.At(r.StartedAt), r.Networks, r.Place.Last.Payment, string(r.Place.Last.Network),
		int64(r.Place.Done), int64(r.Place.Found))
	if err != nil {
		return fmt.Errorf("save how far the comparison is: %w", err)
	}
	return nil
}

// EndReconciliation forgets the comparison that was saved: it has come to its end.
func (s *Store) EndReconciliation(ctx context.Context) error {
	_, err := db.WriteOne(ctx, s.db, "DELETE FROM reconciliations WHERE only_row = ?", int64(1))
	return db.Wrap(err, "end the comparison")
}
