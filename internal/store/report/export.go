package report

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// The columns that an export reads: a third of all, at half the time.
var (
	exportedPayments = db.NewTable[exportedPayment]("payments", `
		read: id=Number public_id=ID key_id kind amount currency=Price.Currency price=Price.Units rate=Price.Rate rate_at=Price.At
		      rate_markup=Price.Markup rate_sources=Price.Sources status network=Choice.Network token=Choice.Token created_at started_at ended_at hash/bytes
		      by_hand reference description customer_email refunded`)
	exportedRoutes = db.NewTable[exportedRoute]("routes",
		"read: payment_id=Owner network address=Address.Address/bytes settlement/bytes tokens also")
	exportedDeposits = db.NewTable[exportedDeposit]("deposits", `
		read: payment_id=Owner network=Transfer.Network to_address=Transfer.To/bytes token=Transfer.Asset.Token
		      decimals=Transfer.Asset.Decimals symbol=Transfer.Asset.Symbol contract=Transfer.Asset.Contract/bytes
		      units=Transfer.Units state seen_at`)
	exportedSweeps = db.NewTable[exportedSweep]("sweeps",
		"read: payment_id=Owner network tx_hash=Tx ended_at=At paid=Gas moved=Shared")
)

type (
	exportedPayment struct{ payment.Payment }
	exportedRoute   struct {
		payment.Route
		Owner int64
	}
	exportedDeposit struct{ table.DepositRow }
	exportedSweep   struct {
		Settled
		Owner int64
	}
)

// Exported is a payment of an export.
type Exported struct {
	payment.Payment

	Refunds []Refund
	Settled []Settled // for Query.Paid alone
}

// Settled is a transaction that moved money of a payment to its merchant's wallet.
type Settled struct {
	Network chain.Network
	Tx      chain.TxHash
	At      time.Time
	Gas     money.Units // of the whole transaction, in the native coin's smallest unit
	Shared  int64       // how many deposit addresses the transaction emptied
}

// ExportPage is a page of an export that was found.
type ExportPage struct {
	Next Place // where the next begins; zero: it is the last
	// Read reads its payments, in their order. Pages may be read at the same time.
	Read func(context.Context) ([]Exported, error)
}

// MaxExportPage is the most rows of one page of an export. Larger pages than a list's cost less a row: a million
// payments take a seventh less time, and 13 MB more while they are written.
const MaxExportPage = 1800

// ExportPayments is SearchPayments for millions of payments. It reads them as they are a moment after they were found,
// without a transaction around both, and only what an export writes: of a payment no terms, metadata or addresses to
// return to, of a route what was shown and what counts on it, of a deposit whether and how much it counts.
func (r *Reader) ExportPayments(ctx context.Context, q Query) (page ExportPage, err error) {
	var numbers []int64
	err = r.search(ctx, q, MaxExportPage, func(_ context.Context, _ db.Tx, found []int64, next Place) error {
		page.Next, numbers = next, found
		return nil
	})
	page.Read = func(ctx context.Context) ([]Exported, error) {
		if len(numbers) == 0 {
			return nil, nil
		}
		list, err := r.exported(ctx, numbers, q.Paid)
		return list, db.Wrap(err, "export payments")
	}
	return page, db.Wrap(err, "export payments")
}

// exported reads the payments of the numbers, in their order.
func (r *Reader) exported(ctx context.Context, numbers []int64, settled bool) ([]Exported, error) {
	list := make([]Exported, len(numbers))
	place := make(map[int64]*Exported, len(numbers))
	for i, number := range numbers {
		place[number] = &list[i]
	}
	are, args := among(r.db.Dialect(), numbers)
	of := " WHERE " + are("payment_id") // an export asks in no order but that of what moved the money
	reads := []*db.Stmt{
		exporting(exportedPayments, "payments WHERE "+are("id"), args, place, func(p *Exported, row exportedPayment) {
			p.Payment = row.Payment
		}),
		exporting(exportedRoutes, "routes"+of, args, place, func(p *Exported, row exportedRoute) {
			p.Routes = append(p.Routes, row.Route)
		}),
		exporting(exportedDeposits, "deposits"+of, args, place, func(p *Exported, row exportedDeposit) {
			p.Deposits = append(p.Deposits, row.Whole())
		}),
		readRefunds(are("payment_id"), args, func(number int64, x Refund) {
			if p := place[number]; p != nil {
				p.Refunds = append(p.Refunds, x)
			}
		}),
	}
	if settled {
		reads = append(reads, exporting(exportedSweeps, `(SELECT i.id, i.payment_id, s.network, s.tx_hash, s.ended_at, s.paid, s.moved
			FROM sweep_items AS i JOIN sweeps AS s ON s.id = i.sweep_id WHERE i.moved IS NOT NULL) AS x`+of+" ORDER BY id", args, place,
			func(p *Exported, row exportedSweep) {
				p.Settled = append(p.Settled, row.Settled)
			}))
	}
	return list, r.db.ReadAll(ctx, reads...)
}

// among returns the condition that a column has one of the numbers, and its arguments. It may have others between them.
func among(d db.Dialect, numbers []int64) (condition func(column string) string, args []any) {
	low, high := slices.Min(numbers), slices.Max(numbers)
	if !d.ManyWriters && high-low < 2*int64(len(numbers)) { // SQLite takes longer to look up a list
		return func(column string) string { return column + " BETWEEN ? AND ?" }, []any{low, high}
	}
	return d.Listed, []any{db.Numbers(numbers)}
}

// exporting passes each row of a query with its payment, whose number is the first column. It reads all of them to one
// place.
func exporting[R any](
	t *db.Table[R], from string, args []any, place map[int64]*Exported, take func(*Exported, R),
) *db.Stmt {
	row, none := new(R), *new(R)
	dest := t.Dest(row)
	number := dest[0].(*int64) //nolint:forcetypeassert // of a payment
	return db.Query(func(scan db.Scan) error {
		*row = none
		err := scan(dest...)
		if p := place[*number]; err == nil && p != nil {
			take(p, *row)
		}
		return err
	}, "SELECT "+t.Columns("")+" FROM "+from, args...)
}

// Priced reports whether a payment of the keys was priced in another currency.
func (r *Reader) Priced(ctx context.Context, keys []int64) (found bool, err error) {
	if len(keys) == 0 {
		return false, nil
	}
	err = r.db.Reader().NewRaw("SELECT EXISTS (SELECT 1 FROM payments WHERE key_id IN (?) AND currency <> '')", bun.List(keys)).
		Scan(ctx, &found)
	return found, db.Wrap(err, "prices of %d keys", len(keys))
}
