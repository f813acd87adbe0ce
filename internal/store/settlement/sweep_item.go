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
	Address    db.Packed
	Txnid      string
	Raw        []byte
	Settlement db.Packed
	Scheme     int64
}

// omitRoutes leaves out of the items what the routes of their payments say, and refuses an item that is there twice.
func omitRoutes(ctx context.Context, t db.Tx, n chain.Network, items []itemRow) error {
	ids := make([]int64, len(items))
	seen := make(map[balanceKey]bool, len(items))
	for i, item := range items {
		ids[i] = item.PaymentID.Int64
		key := balanceKey{item.Address, item.Contract}
		if seen[key] {
			return fmt.Errorf("%s is swept of %q twice", item.Address, item.Contract)
		}
		seen[key] = true
	}
	var routes []itemRoute
	err := t.NewRaw("SELECT r.payment_id, r.address, p.public_id AS txnid, r.raw, r.settlement, r.scheme "+
		"FROM routes AS r JOIN payments AS p ON p.id = r.payment_id WHERE r.payment_id IN (?) AND r.network = ?",
		bun.List(ids), string(n)).Scan(ctx, &routes)
	if err != nil {
		return err
	}
	byPayment := make(map[int64]itemRoute, len(routes))
	for _, r := range routes {
		byPayment[r.PaymentID] = r
	}
	for i := range items {
		item := &items[i]
		r, known := byPayment[item.PaymentID.Int64]
		if known && r.Address == item.Address && r.Txnid == item.Txnid && bytes.Equal(r.Raw, item.Raw) &&
			r.Settlement == item.Settlement && r.Scheme == item.Scheme {
			item.Txnid, item.Raw, item.Settlement = "", []byte{}, ""
		}
	}
	return nil
}

// addRoutes adds what omitRoutes left out of the items of the sweeps. Their routes are there: omitRoutes has read them,
// and no statement deletes a route or changes its address. So a missing one means that the database was damaged, and no
// sweep of the network is driven then.
func addRoutes(ctx context.Context, t db.Tx, sweeps []int64, items []itemRow) error {
	var routes []itemRoute
	err := t.NewRaw("SELECT DISTINCT r.payment_id, r.address, p.public_id AS txnid, r.raw, r.settlement, r.scheme "+
		"FROM sweep_items AS i JOIN sweeps AS s ON s.id = i.sweep_id "+
		"JOIN routes AS r ON r.payment_id = i.payment_id AND r.network = s.network AND r.address = i.address "+
		"JOIN payments AS p ON p.id = i.payment_id WHERE i.sweep_id IN (?) AND i.txnid = ''", bun.List(sweeps)).Scan(ctx, &routes)
	if err != nil {
		return err
	}
	byAddress := make(map[db.Packed]itemRoute, len(routes))
	for _, r := range routes {
		byAddress[r.Address] = r
	}
	for i := range items {
		item := &items[i]
		if item.Txnid != "" || !item.PaymentID.Valid {
			continue
		}
		r, known := byAddress[item.Address]
		if !known {
			return fmt.Errorf("payment %d has no route with the address %s of a sweep", item.PaymentID.Int64, item.Address)
		}
		item.Txnid, item.Raw, item.Settlement = r.Txnid, r.Raw, r.Settlement
	}
	return nil
}
