package settlement

import (
	"context"

	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/db"
)

// Reconciliation returns the comparison that has not come to its end; ok is false if there is none.
func (s *Store) Reconciliation(ctx context.Context) (r settlement.Reconciliation, ok bool, err error) {
	rows, err := db.All[settlement.Reconciliation](ctx, s.db.Reader(), "SELECT * FROM reconciliations WHERE only_row = 1")
	if err != nil || len(rows) == 0 {
		return settlement.Reconciliation{}, false, db.Wrap(err, "comparison that was stopped")
	}
	return rows[0], true, nil
}

// Where comparisons are stored.
var (
	_ = db.NewTable[settlement.Reconciliation]("reconciliations", `
		changes: started_at networks payment_id=Place.Last.Payment network=Place.Last.Network done=Place.Done found=Place.Found`)
	comparisons = db.NewTable[settlement.Comparison]("comparisons", `
		fixed:   network
		changes: started_at ended_at before_at=Before payment_id=Place.Last.Payment done=Place.Done found=Place.Found listed_id=Listed`)
	differences = db.NewTable[settlement.OpenDifference]("balance_differences", `
		fixed:   network address/bytes contract/bytes txnid=PaymentID text advice unrecorded since block_number=Block rereads next_at
		read:    proven_at reread_at`)
)

// SaveReconciliation stores how far a comparison is, in the place of any other.
func (s *Store) SaveReconciliation(ctx context.Context, r settlement.Reconciliation) error {
	_, err := db.WriteOne(ctx, s.db, `INSERT INTO reconciliations (only_row, started_at, networks, payment_id, network, done, found)
		VALUES (1, ?, ?, ?, ?, ?, ?) ON CONFLICT (only_row) DO UPDATE SET started_at = excluded.started_at,
		networks = excluded.networks, payment_id = excluded.payment_id, network = excluded.network, done = excluded.done,
		found = excluded.found`, r.StartedAt, r.Networks, r.Place.Last.Payment, r.Place.Last.Network,
		r.Place.Done, r.Place.Found)
	return db.Wrap(err, "save how far the comparison is")
}

// EndReconciliation forgets the comparison that was saved: it has come to its end.
func (s *Store) EndReconciliation(ctx context.Context) error {
	_, err := db.WriteOne(ctx, s.db, "DELETE FROM reconciliations WHERE only_row = ?", int64(1))
	return db.Wrap(err, "end the comparison")
}
