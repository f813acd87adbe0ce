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
	"github.com/florinpay/florin/internal/store/table"
)

// Query selects payments. Empty fields match everything.
type Query struct {
	Keys []int64 // of which keys; an empty list finds nothing
	// Statuses are any of these; none: every status.
	Statuses  []payment.Status
	Attention bool // only those that need the merchant
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
	// Look is how many payments are compared with token, kind and amount for a page; 0: MaxLook.
	Look int
}

// Place is the position of a payment in a list.
type Place struct {
	At     time.Time
	Number int64
}

// maxRanges is how many parts a UNION may have; SQLite takes at most 500.
const maxRanges = 400

// maxFound bounds the matches of one kind of search.
const maxFound = 200

// Found is a page of payments.
type Found struct {
	Payments []payment.Payment
	// Next is where the next page begins; zero if there is none. A page of a filter that no index serves may have less
	// than Limit payments, or none, and go on: MaxLook payments are compared for a page.
	Next Place
}

// MaxLook bounds how many payments a page compares with a filter that no index serves.
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
		return nil, Place{}, err
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
	if f.comparing() {
		rows, next, err = f.compare(ctx, ranges)
	} else {
		err = db.Merge(f, ranges, f.order(""), f.q.Limit+1).Scan(ctx, &rows)
	}
	if err == nil && len(rows) > f.q.Limit {
		rows = rows[:f.q.Limit]
		next = rows[f.q.Limit-1].place()
	}
	return rows, next, err
}

// compare reads the newest of each range, and returns those that match, as far back as every range was read. older is
// where that is, if there are more.
func (f *finder) compare(ctx context.Context, ranges []*bun.SelectQuery) (rows []foundRow, older Place, err error) {
	each := int64(max(cmp.Or(f.q.Look, MaxLook)/len(ranges), 1))
	parts, args := make([]string, len(ranges)), []any(nil)
	for i, q := range ranges {
		parts[i] = fmt.Sprintf("SELECT * FROM (SELECT *, row_number() OVER (ORDER BY %s) AS nth FROM (?) AS newest) AS r%d "+
			"WHERE matches OR nth = ?", f.order(""), i)
		args = append(args, f.matching(q.ColumnExpr("p.amount, ? AS part", i)).Limit(each), each)
	}
	var read []foundRow
	if err := f.NewRaw(strings.Join(parts, " UNION ALL "), args...).Scan(ctx, &read); err != nil {
		return nil, Place{}, err
	}
	slices.SortFunc(read, func(a, b foundRow) int {
		return cmp.Or(b.place().At.Compare(a.place().At), cmp.Compare(b.ID, a.ID))
	})
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

// comparing reports whether rows are compared one by one.
func (f *finder) comparing() bool {
	return f.q.Token != "" || f.q.Kind != "" || f.q.Min > 0 || f.q.Max > 0 || f.q.priced()
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
	err = r.db.Reader().NewRaw("SELECT count(*) FROM "+
		"(SELECT 1 FROM payments WHERE key_id IN (?) AND attention <> '' LIMIT ?) AS found", bun.List(keys), MaxAttention).
		Scan(ctx, &n)
	return n, db.Wrap(err, "payments that need attention")
}

// finder builds the queries of one search.
type finder struct {
	db.Tx

	q        Query
	words    []string // that are compared row by row
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
		return []*bun.SelectQuery{f.page(f.selectPayments().
			Where("p.id IN (?) AND +p.key_id IN (?)", bun.List(numbers), bun.List(f.q.Keys)).
			Apply(f.inState))}, nil
	}
	var all []*bun.SelectQuery
	for _, key := range f.q.Keys {
		of := f.selectPayments().Where("p.key_id = ?", key)
		switch {
		case f.q.Reference != "": // its index is in lower case, and ordered like the list
			lower := bun.Safe("lower(p.reference COLLATE " + f.bytewise + ")")
			all = append(all, f.page(of.Where("p.reference <> '' AND ? = ?", lower, db.LowerASCII(f.q.Reference)).
				Where("p.reference = ?", f.q.Reference).Apply(f.inState)))
		case f.q.Paid, f.q.Attention:
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
	if !f.q.TopUps {
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
	ways := []*bun.RawQuery{
		f.NewRaw("SELECT id FROM payments WHERE public_id = ?", payment.ReadID(text)),
	}
	ways = append(ways, f.byBeginning(text)...)
	if a, ok := readAsked(text); ok {
		for _, r := range a.dollars() {
			ways = append(ways, f.NewRaw("SELECT id FROM payments WHERE key_id IN (?) AND amount BETWEEN ? AND ? "+
				"ORDER BY amount DESC, created_at DESC LIMIT ?", bun.List(f.q.Keys), r[0], r[1], maxFound))
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
		ways = append(ways, f.NewRaw("SELECT id FROM payments WHERE key_id IN (?) AND ? <> '' AND ? >= ? AND ? < ? ORDER BY ? DESC LIMIT ?",
			bun.List(f.q.Keys), bun.Safe(column), bun.Safe(lower), beginning, bun.Safe(lower),
			beginning+end, bun.Safe(lower), maxFound))
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
