package settlement

import (
	"bytes"
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/store/db"
)

// itemRoute is what a payment's route on the network of a sweep says of an item's address. Nearly every item is of such
// an address, and does not repeat it.
type itemRoute struct {
	PaymentID  int64
	Address    chain.Address
	Txnid      string
	Raw        []byte
	Settlement chain.Address
	Scheme     chain.AddressScheme
}

// omitRoutes leaves out of the items what the routes of their payments say, and refuses an item that is there twice.
func omitRoutes(ctx context.Context, t db.Tx, n chain.Network, items []itemRow) error {
	ids := make([]int64, len(items))
	seen := make(map[balanceKey]bool, len(items))
	for i, item := range items {
		ids[i] = item.Payment.Int64
		key := item.key()
		if seen[key] {
			return fmt.Errorf("%s is swept of %q twice", key.address, key.contract)
		}
		seen[key] = true
	}
	routes, err := db.All[itemRoute](ctx, t, `SELECT r.payment_id, r.address, p.public_id AS txnid, r.raw, r.settlement, r.scheme
		FROM routes AS r JOIN payments AS p ON p.id = r.payment_id WHERE r.payment_id IN (?) AND r.network = ?`, bun.List(ids), n)
	if err != nil {
		return err
	}
	byPayment := make(map[int64]itemRoute, len(routes))
	for _, r := range routes {
		byPayment[r.PaymentID] = r
	}
	for i := range items {
		item := &items[i]
		r, known := byPayment[item.Payment.Int64]
		if known && r.Address == item.Address.Address && r.Txnid == item.PaymentID &&
			bytes.Equal(r.Raw, item.Address.Raw) && r.Settlement == item.Settlement && r.Scheme == item.Scheme {
			item.PaymentID, item.Address.Raw, item.Settlement = "", []byte{}, ""
		}
	}
	return nil
}

// readItems reads the items of the sweeps, with what omitRoutes left out of them. Their routes are there: omitRoutes
// has read them, and no statement deletes a route or changes its address. So a missing one means that the database was
// damaged, and no sweep of the network is driven then.
func readItems(ctx context.Context, t db.Tx, sweeps []int64) ([]itemRow, error) {
	rows, err := db.All[struct {
		itemRow

		RouteTxnid      string
		RouteRaw        []byte
		RouteSettlement chain.Address
	}](ctx, t, `SELECT i.*, p.public_id AS route_txnid, r.raw AS route_raw, r.settlement AS route_settlement
		FROM sweep_items AS i JOIN sweeps AS s ON s.id = i.sweep_id
		LEFT JOIN routes AS r ON r.payment_id = i.payment_id AND r.network = s.network AND r.address = i.address AND i.txnid = ''
		LEFT JOIN payments AS p ON p.id = r.payment_id WHERE i.sweep_id IN (?) ORDER BY i.id`, bun.List(sweeps))
	items := make([]itemRow, len(rows))
	for i, r := range rows {
		if items[i] = r.itemRow; r.PaymentID != "" || !r.Payment.Valid {
			continue
		}
		if r.RouteTxnid == "" {
			return nil, fmt.Errorf("payment %d has no route with the address %s of a sweep", r.Payment.Int64, r.Address.Address)
		}
		items[i].PaymentID, items[i].Address.Raw, items[i].Settlement = r.RouteTxnid, r.RouteRaw, r.RouteSettlement
	}
	return items, err
}
