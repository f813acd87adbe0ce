package settlement

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/db"
)

// paymentsOf returns the rows of the items' payments by their txnids. One that
// the database does not know is left out.
func paymentsOf(ctx context.Context, t db.Tx, items []chain.SweepItem) (map[string]int64, error) {
	var txnids []string
	for _, i := range items {
		txnids = append(txnids, i.PaymentID)
	}
	rows, err := db.All[struct {
		ID       int64
		PublicID string
	}](ctx, t, "SELECT id, public_id FROM payments WHERE public_id IN (?)", bun.List(txnids))
	if err != nil {
		return nil, err
	}
	ids := make(map[string]int64, len(rows))
	for _, r := range rows {
		ids[r.PublicID] = r.ID
	}
	return ids, nil
}

// stillDue checks, now that the sweep has their addresses, that each balance has a
// deposit to sweep: another instance may have swept it since the balances were
// read. A rescue may move money that is no deposit.
func stillDue(ctx context.Context, t db.Tx, n chain.Network, items []itemRow) error {
	for _, i := range items {
		if i.Rescue {
			continue
		}
		var due bool
		err := t.NewRaw(`SELECT EXISTS (SELECT 1 FROM deposits WHERE payment_id = ? AND network = ? AND to_address = ? AND contract = ?
			AND state = 'FINAL' AND swept_at IS NULL)`,
			i.Payment, n, db.Packed(i.Address.Address), db.Packed(i.Asset.Contract)).Scan(ctx, &due)
		if err != nil {
			return err
		}
		if !due {
			return settlement.ErrBusy
		}
	}
	return nil
}
