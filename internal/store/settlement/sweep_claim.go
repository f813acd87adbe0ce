package settlement

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/db"
)

// claimRow is an address that a sweep in flight has.
type claimRow struct {
	Network chain.Network
	Address chain.Address
	SweepID int64
}

var sweepClaims = db.NewTable[claimRow]("sweep_claims", "fixed: network address/bytes sweep_id")

// claim gives the addresses of the items to the sweep. No other sweep may have one.
func claim(ctx context.Context, t db.Tx, id int64, w settlement.Sweep) error {
	var rows []claimRow
	claimed := make(map[chain.Address]bool)
	for _, i := range w.Items {
		if a := i.Address.Address; !claimed[a] {
			claimed[a] = true
			rows = append(rows, claimRow{w.Network, a, id})
		}
	}
	slices.SortFunc(rows, func(a, b claimRow) int { return cmp.Compare(a.Address, b.Address) }) // against deadlocks
	res, err := sweepClaims.Into(t, " ON CONFLICT DO NOTHING", rows...).Exec(ctx)
	return allOrBusy(res, err, len(rows))
}

// reserve gives the nonce of the attempt to the sweep, which may have it already. No other
// sweep may have it. Transactions of Solana have none.
func reserve(ctx context.Context, t db.Tx, w sweepRow, a chain.Attempt) error {
	if a.From == "" {
		return nil
	}
	res, err := t.NewRaw(`INSERT INTO sweep_nonces (network, signer, nonce, sweep_id) VALUES (?, ?, ?, ?)
		ON CONFLICT (network, signer, nonce) DO UPDATE SET sweep_id = EXCLUDED.sweep_id
		WHERE sweep_nonces.sweep_id = EXCLUDED.sweep_id`, w.Network, a.From, int64(a.Nonce), w.Number).Exec(ctx)
	return allOrBusy(res, err, 1)
}

func allOrBusy(res sql.Result, err error, want int) error {
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n != int64(want) {
		return settlement.ErrBusy
	}
	return err
}

// release lets others have the addresses and nonces of a sweep that has ended.
func release(ctx context.Context, t db.Tx, id int64) error {
	for _, table := range []string{"sweep_claims", "sweep_nonces"} {
		if _, err := t.NewRaw("DELETE FROM ? WHERE sweep_id = ?", bun.Ident(table), id).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}
