package report

import (
	"cmp"
	"context"

	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/store/db"
)

const (
	// MaxCounted is how many payments the totals of a filter count.
	MaxCounted = 10_000
	// maxCountedText is the same where a text is searched.
	maxCountedText = 1000
)

// Totals are the number of payments that a filter takes, and what they were made for together.
type Totals struct {
	Payments int64
	Amount   money.Micros
	// More: there may be more than these, the first of the list: MaxCounted are counted, or compared where no index
	// serves.
	More bool
}

// Totals returns those of the page that the query found. known: they are what Totals would count, because the page is
// the only one, or the first of a search by words that has not come further.
func (f Found) Totals(q Query) (sum Totals, known bool) {
	for _, p := range f.Payments {
		sum.Amount += p.Amount
	}
	sum.Payments, sum.More = int64(len(f.Payments)), f.Next != (Place{}) || q.After != (Place{})
	return sum, q.After == (Place{}) && (!sum.More || q.Text != "" && len(f.Payments) < q.Limit)
}

// Totals counts all payments that the filter takes, whatever page it asks for.
func (r *Reader) Totals(ctx context.Context, q Query) (sum Totals, err error) {
	if q.After, q.Limit = (Place{}), maxCountedText-1; q.Text == "" {
		q.Limit, q.Look = MaxCounted-1, cmp.Or(q.Look, MaxCounted)
	}
	err = r.snapshot(ctx, q, func(ctx context.Context, t db.Tx, q Query) (err error) {
		sum, err = totals(ctx, newFinder(t, r.db.Dialect(), q, "p.id, p.amount, p."+q.time()))
		return err
	})
	return sum, db.Wrap(err, "count payments")
}

func totals(ctx context.Context, f *finder) (sum Totals, err error) {
	ranges, err := f.ranges(ctx)
	if err != nil || len(ranges) == 0 {
		sum.More = f.older != (Place{})
		return sum, err
	}
	if f.comparing() {
		rows, older, err := f.compared(ctx, MaxLook/8, MaxLook)
		for _, row := range rows {
			sum.Payments, sum.Amount = sum.Payments+1, sum.Amount+row.Amount
		}
		sum.More = older != (Place{})
		return sum, err
	}
	most := f.q.Limit + 1
	err = f.NewRaw("SELECT count(*) AS payments, CAST(coalesce(sum(amount), 0) AS bigint) AS amount FROM (?) AS newest",
		db.Merge(f, ranges, f.order(""), most)).Scan(ctx, &sum)
	sum.More = f.older != (Place{}) || sum.Payments == int64(most)
	return sum, err
}
