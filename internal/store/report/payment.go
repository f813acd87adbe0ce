package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/input"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

// Query selects payments. Empty fields match everything.
type Query struct {
	Keys []int64 // of which keys; an empty list finds nothing
	// Statuses are any of these; none: every status.
	Statuses  []payment.Status
	Attention bool // only those that need the merchant
	Asked     bool // only those whose payer asked the merchant to accept what came
	Refunded  bool // only those of which money was paid back
	Network   chain.Network
	Token     money.Token
	Kind      payment.Kind
	From      time.Time // by creation, or as Paid says; included
	Until     time.Time // not included
	Min       money.Micros
	Max       money.Micros // 0: no limit
	// MinPrice and MaxPrice are bounds of the price in a currency, which others have none of; none: no limit.
	MinPrice, MaxPrice exchange.Sum
	// Text finds by txnid, exactly; by the beginning of the reference, the
	// customer's e-mail address, transaction hash or deposit address, in any case;
	// and by amount: 49 and 49.9 find 49.90.
	// Beside that, any words of the reference, the description, the customer and the metadata find, each in any case,
	// and the last one by its beginning.
	Text  string
	After Place // the last payment of the page before; zero for the first page
	Limit int   // 1 to MaxPage
	// Ascending: the oldest first.
	Ascending bool
	// Unswept: only those with money that no sweep has moved.
	Unswept bool
	// Reference finds by the whole reference, in its own case.
	Reference string
	// TopUps: credit top-ups are found too. They are no sales of the merchant's.
	TopUps bool
	// Priced: an export has the columns of prices in other currencies.
	Priced bool
	// Paid: only what was paid; From, Until and the order are by when. Its export says where the money went.
	Paid bool
	// Look is how many payments are compared with token, kind, amount and words for a page, and how many entries of the
	// index of words are read; 0: MaxLook.
	Look int
}

// Place is the position of a payment in a list.
type Place struct {
	At     time.Time
	Number int64
}

func (p Place) compare(with Place) int {
	return cmp.Or(p.At.Compare(with.At), cmp.Compare(p.Number, with.Number))
}

// maxRanges is how many parts a UNION may have; SQLite takes at most 500.
const maxRanges = 400

// maxFound bounds the matches of one kind of search.
const maxFound = 200

// Found is a page of payments.
type Found struct {
	Payments []payment.Payment
	// Next is where the next page begins; zero if there is none. A page of a filter that no index serves, or of words
	// that are frequent, may have less than Limit payments, or none, and go on: it looks at MaxLook payments, or at one
	// age of the index of words and as many of its entries beyond.
	Next Place
}

// MaxLook bounds how many payments a page compares with a filter that no index serves, and how many entries of the
// rarest word it reads of more than one age of the index.
const MaxLook = 4000

// SearchPayments finds payments of the keys with routes and deposits. It fails with fault.Invalid for a limit out of
// range.
func (r *Reader) SearchPayments(ctx context.Context, q Query) (found Found, err error) {
	err = r.search(ctx, q, MaxPage, func(ctx context.Context, t db.Tx, numbers []int64, next Place) (err error) {
		found.Next = next
		found.Payments, err = r.load(ctx, t.Run, numbers)
		return err
	})
	return found, db.Wrap(err, "search payments")
}

// search passes the numbers of a page of at most so many to take, in the transaction that found them.
func (r *Reader) search(
	ctx context.Context, q Query, most int, take func(context.Context, db.Tx, []int64, Place) error,
) error {
	if q.Limit < 1 || q.Limit > most {
		return fault.New(fault.Invalid, "limit must be between 1 and %d", most)
	}
	return r.snapshot(ctx, q, func(ctx context.Context, t db.Tx, q Query) error {
		numbers, next, err := find(ctx, t, r.db.Dialect(), q)
		if err != nil {
			return err
		}
		return take(ctx, t, numbers, next)
	})
}

// snapshot passes what the query means to read, unless it finds nothing.
func (r *Reader) snapshot(ctx context.Context, q Query, read func(context.Context, db.Tx, Query) error) error {
	q.Text = strings.TrimSpace(input.Mended(q.Text)) // as the texts that it finds
	if len(q.Keys) == 0 || !db.Storable(q.Text) {
		return nil
	}
	return r.db.Snapshot(ctx, func(ctx context.Context, t db.Tx) error { return read(ctx, t, q) })
}

// find returns the numbers of the payments of a page, and where the next one begins. It merges a few ranges of an
// index. Each ends after Limit rows, so that a page costs the same whatever is stored, or after MaxLook where token,
// kind and amount are compared row by row.
func find(ctx context.Context, t db.Tx, d db.Dialect, q Query) (numbers []int64, next Place, err error) {
	f := newFinder(t, d, q, "p.id, p."+q.time())
	ranges, err := f.ranges(ctx)
	if err != nil || len(ranges) == 0 {
		return nil, f.older, err
	}
	rows, next, err := f.read(ctx, ranges)
	for _, row := range rows {
		numbers = append(numbers, row.ID)
	}
	return numbers, next, err
}

// Rows returns the payments of a page, which compares none row by row, and whether another one follows.
func Rows[T any](ctx context.Context, t db.Tx, d db.Dialect, q Query) (rows []T, more bool, err error) {
	f := newFinder(t, d, q, "p.*")
	ranges, err := f.ranges(ctx)
	if err != nil || len(ranges) == 0 {
		return nil, false, err
	}
	err = db.Merge(t, ranges, f.order(""), q.Limit+1).Scan(ctx, &rows)
	return rows[:min(len(rows), q.Limit)], len(rows) > q.Limit, err
}

// foundRow is where a payment is in the list.
type foundRow struct {
	ID        int64
	CreatedAt time.Time // unless the list is by EndedAt
	EndedAt   time.Time
	// Where payments are compared:
	Amount  money.Micros
	Part    int   // of which range
	Nth     int64 // of the range
	Matches bool
}

func (r foundRow) place() Place {
	if !r.EndedAt.IsZero() {
		return Place{r.EndedAt, r.ID}
	}
	return Place{r.CreatedAt, r.ID}
}

// time is the column that the list is ordered by.
func (q Query) time() string {
	if q.Paid {
		return "ended_at"
	}
	return "created_at"
}

// read merges the ranges to a page, and returns where the next one begins.
func (f *finder) read(ctx context.Context, ranges []*bun.SelectQuery) (rows []foundRow, next Place, err error) {
	if next = f.older; f.comparing() {
		rows, next, err = f.compared(ctx, MaxLook/8, MaxLook)
	} else {
		err = db.Merge(f, ranges, f.order(""), f.q.Limit+1).Scan(ctx, &rows)
	}
	if err == nil && len(rows) > f.q.Limit {
		rows = rows[:f.q.Limit]
		next = rows[f.q.Limit-1].place()
	}
	return rows, next, err
}

// compared returns those of the newest payments that match, and where it stopped, if there are more. A page that is
// found among the very newest is read at once.
func (f *finder) compared(ctx context.Context, looks ...int) (rows []foundRow, older Place, err error) {
	if f.q.Look > 0 {
		looks = []int{f.q.Look}
	}
	for _, look := range looks {
		ranges, err := f.ranges(ctx) // compare adds to them
		if err != nil {
			return nil, Place{}, err
		}
		rows, older, err = f.compare(ctx, ranges, look)
		if err != nil || len(rows) > f.q.Limit || older == (Place{}) {
			return rows, older, err
		}
	}
	return rows, older, nil
}

// compare reads the newest of each range, and returns those that match, as far back as every range was read. older is
// where that is, if there are more.
func (f *finder) compare(
	ctx context.Context, ranges []*bun.SelectQuery, look int,
) (rows []foundRow, older Place, err error) {
	each := int64(max(look/len(ranges), 1))
	parts, args := make([]string, len(ranges)), []any(nil)
	for i, q := range ranges {
		parts[i] = fmt.Sprintf(`SELECT * FROM (SELECT *, row_number() OVER (ORDER BY %s) AS nth FROM (?) AS newest) AS r%d
			WHERE matches OR nth = ?`, f.order(""), i)
		args = append(args, f.matching(q.ColumnExpr("p.amount, ? AS part", i)).Limit(each), each)
	}
	var read []foundRow
	if err := f.NewRaw(strings.Join(parts, " UNION ALL "), args...).Scan(ctx, &read); err != nil {
		return nil, Place{}, err
	}
	slices.SortFunc(read, func(a, b foundRow) int { return b.place().compare(a.place()) })
	if f.q.Ascending {
		slices.Reverse(read)
	}
	for _, row := range read {
		if row.Matches {
			rows = append(rows, row)
		}
		if row.Nth == each {
			return rows, row.place(), nil
		}
	}
	return rows, Place{}, nil
}

// matching adds whether a row matches what no index serves.
func (f *finder) matching(q *bun.SelectQuery) *bun.SelectQuery {
	text, args := f.condition()
	return q.ColumnExpr("("+text+") AS matches", args...)
}

// condition is what no index serves.
func (f *finder) condition() (text string, args []any) {
	text, args = f.matchesWords()
	for _, c := range []struct {
		on   bool
		text string
		arg  any
	}{
		{f.q.Token != "", "p.token = ?", f.q.Token},
		{f.q.Kind != "", "p.kind = ?", f.q.Kind},
		{f.q.Min > 0, "p.amount >= ?", f.q.Min},
		{f.q.Max > 0, "p.amount <= ?", f.q.Max},
		{f.q.priced(), "p.currency = ?", cmp.Or(f.q.MinPrice.Currency, f.q.MaxPrice.Currency)},
		{!f.q.MinPrice.None(), "p.price >= ?", f.q.MinPrice.Units},
		{!f.q.MaxPrice.None(), "p.price <= ?", f.q.MaxPrice.Units},
	} {
		if c.on {
			text, args = text+" AND "+c.text, append(args, c.arg)
		}
	}
	return text, args
}

// comparing reports whether rows are compared one by one: those that a text finds are few.
func (f *finder) comparing() bool {
	q := f.q
	return q.Text == "" && (q.Token != "" || q.Kind != "" || q.Min > 0 || q.Max > 0 || q.priced())
}

// priced reports whether the price in a currency is bounded.
func (q Query) priced() bool { return !q.MinPrice.None() || !q.MaxPrice.None() }

// MaxAttention is how far payments that need attention are counted.
const MaxAttention = 100

// Attention counts the payments of the keys that need their merchant, at most
// MaxAttention.
func (r *Reader) Attention(ctx context.Context, keys []int64) (n int, err error) {
	if len(keys) == 0 {
		return 0, nil
	}
	err = r.db.Reader().NewRaw(`SELECT count(*) FROM
		(SELECT 1 FROM payments WHERE key_id IN (?) AND attention <> '' LIMIT ?) AS found`, bun.List(keys), MaxAttention).
		Scan(ctx, &n)
	return n, db.Wrap(err, "payments that need attention")
}
