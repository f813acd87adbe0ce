package report

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// finder builds the queries of one search.
type finder struct {
	db.Tx

	q        Query
	words    []string // that are compared row by row
	older    Place    // where a search by words goes on that has not come to the end
	sqlite   bool
	bytewise string // the collation
	columns  string
}

func newFinder(t db.Tx, d db.Dialect, q Query, columns string) *finder {
	return &finder{Tx: t, q: q, sqlite: !d.ManyWriters, bytewise: d.Bytewise, columns: columns}
}

// ranges returns one query for each range of an index that the search needs;
// none when nothing can be found.
func (f *finder) ranges(ctx context.Context) ([]*bun.SelectQuery, error) {
	if f.q.Text != "" {
		numbers, err := f.byText(ctx)
		if err != nil || len(numbers) == 0 {
			return nil, err
		}
		// The sign keeps SQLite from walking all payments of the key in the order of the page.
		condition, args := f.condition()
		found := f.page(f.selectPayments().
			Where("p.id IN (?) AND +p.key_id IN (?)", bun.List(numbers), bun.List(f.q.Keys)).
			Where(condition, args...).Apply(f.inState))
		if f.older != (Place{}) { // what is older belongs to the pages that go on from there
			than := map[bool]string{true: "<=", false: ">="}[f.q.Ascending]
			found = found.Where("(p."+f.q.time()+", p.id) "+than+" (?, ?)", f.older.At, f.older.Number)
		}
		return []*bun.SelectQuery{found}, nil
	}
	var all []*bun.SelectQuery
	for _, key := range f.q.Keys {
		of := f.selectPayments().Where("p.key_id = ?", key)
		switch {
		case f.q.Reference != "": // its index is in lower case, and ordered like the list
			lower := bun.Safe("lower(p.reference COLLATE " + f.bytewise + ")")
			all = append(all, f.page(of.Where("p.reference <> '' AND ? = ?", lower, db.LowerASCII(f.q.Reference)).
				Where("p.reference = ?", f.q.Reference).Apply(f.inState)))
		case f.q.Paid, f.q.Attention, f.q.Refunded:
			all = append(all, f.page(of.Apply(f.inState)))
		case len(f.q.Statuses) == 0 && f.q.Network == "" && !f.q.Unswept:
			all = append(all, f.page(of))
		default:
			for _, status := range f.statuses() {
				if f.q.Unswept && status == payment.Completed {
					all = append(all, f.unswept(key))
					continue
				}
				for _, state := range table.PaymentStates(key, status, f.q.Network) {
					all = append(all, f.page(f.selectPayments().Where(table.PaymentState+" = ?", state)))
				}
			}
		}
	}
	if len(all) > maxRanges {
		return nil, fault.New(fault.Invalid, "choose an API key: there are too many for this filter")
	}
	return all, nil
}

// statuses lists those within which ranges of payments_by_state are read; an empty one is any.
func (f *finder) statuses() []payment.Status {
	list := f.q.Statuses
	if len(list) == 0 && f.q.Unswept {
		list = payment.Statuses()
	}
	if len(list) == 0 {
		return []payment.Status{""}
	}
	return slices.DeleteFunc(slices.Clone(list), func(s payment.Status) bool {
		return f.q.Unswept && s != payment.Started && s != payment.Completed
	})
}

// unswept selects completed payments starting from the deposits that are not
// swept, which are few.
func (f *finder) unswept(key int64) *bun.SelectQuery {
	q := f.NewSelect().Distinct().TableExpr("deposits AS d CROSS JOIN payments AS p").ColumnExpr(f.columns).
		Where("d.key_id = ? AND d.swept_at IS NULL AND d.state <> 'VANISHED' AND "+table.Listed, key).
		Where("p.id = d.payment_id AND p.status = ?", payment.Completed)
	if f.q.Network != "" {
		q = q.Where("p.network = ?", f.q.Network)
	}
	return f.page(q)
}

// order is how the list is ordered, by columns with the alias before them.
func (f *finder) order(alias string) string {
	way := map[bool]string{true: " ASC", false: " DESC"}[f.q.Ascending]
	return alias + f.q.time() + way + ", " + alias + "id" + way
}

func (f *finder) selectPayments() *bun.SelectQuery {
	return f.NewSelect().TableExpr("payments AS p").ColumnExpr(f.columns)
}

func (f *finder) inState(q *bun.SelectQuery) *bun.SelectQuery {
	if len(f.q.Statuses) > 0 {
		q = q.Where("p.status IN (?)", bun.List(f.q.Statuses))
	}
	if f.q.Paid {
		q = q.Where("p.status = ?", payment.Completed)
	}
	if f.q.Attention {
		q = q.Where("p.attention <> ''")
	}
	if f.q.Asked {
		q = q.Where("p.asked > 0")
	}
	if f.q.Refunded {
		q = q.Where("p.paid_back > 0")
	}
	if f.q.Network != "" {
		q = q.Where("p.network = ?", f.q.Network)
	}
	return q
}

// page restricts a query to the first rows of the page, in its order.
func (f *finder) page(q *bun.SelectQuery) *bun.SelectQuery {
	return f.within(q).OrderExpr(f.order("p.")).Limit(int64(f.q.Limit + 1))
}

// within restricts a query to the rows that can be on the page.
func (f *finder) within(q *bun.SelectQuery) *bun.SelectQuery {
	// A credit top-up is no sale of the merchant's: it is found by its txnid alone.
	switch {
	case f.q.TopUps:
	case f.q.Text == "": // payments_by_key has the kind
		q = q.Where("p.kind <> ?", payment.KindTopUp)
	default:
		q = q.Where("(p.kind <> ? OR p.public_id = ?)", payment.KindTopUp, payment.ReadID(f.q.Text))
	}
	if !f.q.From.IsZero() {
		q = q.Where("p."+f.q.time()+" >= ?", f.q.From)
	}
	if !f.q.Until.IsZero() {
		q = q.Where("p."+f.q.time()+" < ?", f.q.Until)
	}
	if f.q.After != (Place{}) {
		than := map[bool]string{true: ">", false: "<"}[f.q.Ascending]
		q = q.Where("(p."+f.q.time()+", p.id) "+than+" (?, ?)", f.q.After.At, f.q.After.Number)
	}
	return q
}

// shortPrefix is the least text that is searched as the beginning of another: two
// characters would find half of everything.
const shortPrefix = 3

// byText returns the row numbers of payments that the text may identify: by its words, as many as the page needs. Each
// other way is a range of an index that ends after maxFound rows.
func (f *finder) byText(ctx context.Context) ([]int64, error) {
	text := f.q.Text
	ways := []*bun.RawQuery{f.NewRaw("SELECT id FROM payments WHERE public_id = ?", payment.ReadID(text))}
	ways = append(ways, f.byBeginning(text)...)
	if a, ok := readAsked(text); ok {
		for _, r := range a.dollars() {
			ways = append(ways, f.last("amount AS ranked, created_at", "ranked DESC, created_at DESC",
				"amount BETWEEN ? AND ?", r[0], r[1]))
		}
		ways = append(ways, f.byPrice(a)...)
	}
	parts, args := make([]string, len(ways)), make([]any, len(ways))
	for i, way := range ways {
		parts[i], args[i] = fmt.Sprintf("SELECT * FROM (?) AS r%d", i), way
	}
	var all []int64
	if err := f.NewRaw(strings.Join(parts, " UNION ALL "), args...).Scan(ctx, &all); err != nil {
		return nil, fmt.Errorf("find by text: %w", err)
	}
	byWords, err := f.byWords(ctx)
	return append(all, byWords...), err
}

// last returns the numbers of the last maxFound payments in the order of an index of each key, by some columns of it.
// Those of all keys in one range would have to be sorted.
func (f *finder) last(columns, order, condition string, args ...any) *bun.RawQuery {
	ranges := make([]*bun.SelectQuery, len(f.q.Keys))
	for i, key := range f.q.Keys {
		ranges[i] = f.NewSelect().TableExpr("payments").ColumnExpr("id, "+columns).
			Where("key_id = ?", key).Where(condition, args...).OrderExpr(order).Limit(maxFound)
	}
	return f.NewRaw("SELECT id FROM (?) AS found", db.Merge(f, ranges, order, maxFound))
}

// byBeginning finds texts that begin with the text, in any case of ASCII letters.
// The last in the alphabet come first: numbered references are usually the newest.
func (f *finder) byBeginning(text string) []*bun.RawQuery {
	end := lastChar
	if len(text) < shortPrefix {
		end = "\x01" // nothing but the text itself
	}
	bytewise := " COLLATE " + f.bytewise
	var ways []*bun.RawQuery
	beginning := db.LowerASCII(text)
	for _, column := range []string{"reference", "customer_email"} {
		lower := "lower(" + column + bytewise + ")"
		ways = append(ways, f.last(lower+" AS ranked", "ranked DESC",
			column+" <> '' AND "+lower+" >= ? AND "+lower+" < ?", beginning, beginning+end))
	}
	if len(text) < shortPrefix {
		return ways
	}
	for _, r := range db.PackedBeginnings(text) {
		for _, n := range chain.Networks() {
			ways = append(ways, f.NewRaw("SELECT payment_id FROM deposits WHERE network = ? AND tx_hash >= ? AND tx_hash < ? ORDER BY tx_hash LIMIT ?",
				n, r.Low, r.High, maxFound))
		}
		ways = append(ways, f.NewRaw("SELECT payment_id FROM routes WHERE address >= ? AND address < ? ORDER BY address LIMIT ?",
			r.Low, r.High, maxFound))
	}
	return ways
}

// amounts returns the amounts that are written with the digits of the text first:
// 49 to 49.999999 for "49", 49.90 to 49.909999 for "49.90".
func amounts(text string) (low, high money.Micros, ok bool) {
	low, err := money.ParseMicros("amount", text)
	if err != nil {
		return 0, 0, false
	}
	_, decimals, _ := strings.Cut(text, ".")
	high = low
	for step, i := money.Micros(1), money.MicrosDecimals; i > len(decimals); i-- {
		high += 9 * step
		step *= 10
	}
	return low, high, true
}
