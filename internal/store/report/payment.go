package report

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

// Query selects payments, the newest first. Empty fields match everything.
type Query struct {
	Keys    []int64 // of which keys; an empty list finds nothing
	Status  payment.Status
	Network chain.Network
	Token   money.Token
	Kind    payment.Kind
	From    time.Time // by creation, included
	Until   time.Time // not included
	Min     money.Micros
	Max     money.Micros // 0: no limit
	// Text finds by txnid, reference, transaction hash, deposit address or
	// amount, exactly. Amounts are searched among payments created in the last
	// AmountReach, or since From.
	Text  string
	Now   time.Time
	After Place // the last payment of the page before; zero for the first page
	Limit int   // 1 to MaxPage
}

// AmountReach is how far back a payment is found by its amount alone.
const AmountReach = 90 * 24 * time.Hour

// Place is the position of a payment in a list.
type Place struct {
	At     time.Time
	Number int64
}

// maxRanges is how many parts a UNION may have; SQLite takes at most 500.
const maxRanges = 400

// maxFound bounds the matches of one kind of search.
const maxFound = 200

// SearchPayments lists payments of the keys, the newest first, with routes and
// deposits. It fails with fault.Invalid for a limit out of range.
//
// Like store.Payments it merges ranges of an index that end after Limit rows each.
// Token, kind and amount are compared row by row within them.
func (r *Reader) SearchPayments(ctx context.Context, q Query) ([]payment.Payment, error) {
	if q.Limit < 1 || q.Limit > MaxPage {
		return nil, fault.New(fault.Invalid, "limit must be between 1 and %d", MaxPage)
	}
	if len(q.Keys) == 0 || !db.Storable(q.Text) {
		return nil, nil
	}
	var list []payment.Payment
	err := r.db.Snapshot(ctx, func(ctx context.Context, t db.Tx) error {
		f := finder{t, q}
		ranges, err := f.ranges(ctx)
		if err != nil || len(ranges) == 0 {
			return err
		}
		var rows []struct {
			ID        int64
			PublicID  string
			CreatedAt db.Instant
		}
		if err := db.Merge(t, ranges, "created_at DESC, id DESC", q.Limit).Scan(ctx, &rows); err != nil {
			return err
		}
		ids := make([]payment.ID, len(rows))
		for i, row := range rows {
			ids[i] = payment.ID(row.PublicID)
		}
		list, err = r.load(ctx, t, ids)
		return err
	})
	return list, db.Wrap(err, "search payments")
}

// finder builds the queries of one search.
type finder struct {
	db.Tx

	q Query
}

// ranges returns one query for each range of an index that the search needs;
// none when nothing can be found.
func (f *finder) ranges(ctx context.Context) ([]*bun.SelectQuery, error) {
	if f.q.Text != "" {
		numbers, err := f.byText(ctx)
		if err != nil || len(numbers) == 0 {
			return nil, err
		}
		return []*bun.SelectQuery{f.page(f.selectPayments().Where("p.id IN (?) AND p.key_id IN (?)", bun.List(numbers),
			bun.List(f.q.Keys)).
			Apply(f.inState))}, nil
	}
	states := f.states()
	if len(f.q.Keys)*len(states) > maxRanges {
		return []*bun.SelectQuery{f.page(f.selectPayments().Where("p.key_id IN (?)",
			bun.List(f.q.Keys)).Apply(f.inState))}, nil
	}
	var all []*bun.SelectQuery
	for _, key := range f.q.Keys {
		for _, x := range states {
			q := f.selectPayments().Where("p.key_id = ?", key)
			if x != (state{}) {
				q = q.Where("p.status = ? AND p.network = ?", string(x.status), string(x.network))
			}
			all = append(all, f.page(q))
		}
	}
	return all, nil
}

// state is a range of payments_by_state within a key; zero: all of the key.
type state struct {
	status  payment.Status
	network chain.Network
	some    bool
}

func (f *finder) states() []state {
	if f.q.Status == "" && f.q.Network == "" {
		return []state{{}}
	}
	statuses, networks := payment.Statuses(), append(chain.Networks(), "")
	if f.q.Status != "" {
		statuses = []payment.Status{f.q.Status}
	}
	if f.q.Network != "" {
		networks = []chain.Network{f.q.Network}
	}
	var all []state
	for _, status := range statuses {
		for _, n := range networks {
			all = append(all, state{status, n, true})
		}
	}
	return all
}

func (f *finder) selectPayments() *bun.SelectQuery {
	return f.NewSelect().TableExpr("payments AS p").ColumnExpr("p.id, p.public_id, p.created_at")
}

func (f *finder) inState(q *bun.SelectQuery) *bun.SelectQuery {
	if f.q.Status != "" {
		q = q.Where("p.status = ?", string(f.q.Status))
	}
	if f.q.Network != "" {
		q = q.Where("p.network = ?", string(f.q.Network))
	}
	return q
}

// page restricts a query to the rows that can be on the page.
func (f *finder) page(q *bun.SelectQuery) *bun.SelectQuery {
	for _, c := range []struct {
		on   bool
		text string
		arg  any
	}{
		{f.q.Token != "", "p.token = ?", string(f.q.Token)},
		{f.q.Kind != "", "p.kind = ?", string(f.q.Kind)},
		{f.q.Min > 0, "p.amount >= ?", int64(f.q.Min)},
		{f.q.Max > 0, "p.amount <= ?", int64(f.q.Max)},
		{!f.q.From.IsZero(), "p.created_at >= ?", db.At(f.q.From)},
		{!f.q.Until.IsZero(), "p.created_at < ?", db.At(f.q.Until)},
	} {
		if c.on {
			q = q.Where(c.text, c.arg)
		}
	}
	if f.q.After != (Place{}) {
		q = q.Where("(p.created_at, p.id) < (?, ?)", db.At(f.q.After.At), f.q.After.Number)
	}
	return q.OrderExpr("p.created_at DESC, p.id DESC").Limit(int64(f.q.Limit))
}

// byText returns the row numbers of payments that the text may identify.
func (f *finder) byText(ctx context.Context) ([]int64, error) {
	text, keys := strings.TrimSpace(f.q.Text), bun.List(f.q.Keys)
	ways := []*bun.RawQuery{
		f.NewRaw("SELECT id FROM payments WHERE public_id = ?", strings.ToUpper(text)),
		f.NewRaw("SELECT id FROM payments WHERE key_id IN (?) AND reference = ? AND reference <> '' LIMIT ?", keys, text,
			maxFound),
		f.NewRaw("SELECT payment_id FROM deposits WHERE network IN (?) AND tx_hash = ? LIMIT ?", bun.List(chain.Networks()),
			txHash(text), maxFound),
		f.NewRaw("SELECT payment_id FROM routes WHERE address = ? LIMIT ?", canonical(text), maxFound),
	}
	if amount, err := money.ParseMicros("amount", strings.TrimPrefix(text, "$")); err == nil {
		since := f.q.From
		if since.IsZero() {
			since = f.q.Now.Add(-AmountReach)
		}
		ways = append(ways, f.NewRaw("SELECT id FROM payments WHERE key_id IN (?) AND created_at >= ? AND amount = ? ORDER BY created_at DESC LIMIT ?",
			keys, db.At(since), int64(amount), maxFound))
	}
	var all []int64
	for _, way := range ways {
		var found []int64
		if err := way.Scan(ctx, &found); err != nil {
			return nil, fmt.Errorf("find by text: %w", err)
		}
		all = append(all, found...)
	}
	return all, nil
}

// txHash returns a hash as it is stored: hexadecimal digits in lower case, base58
// unchanged.
func txHash(text string) string {
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X") {
		return strings.ToLower(text)
	}
	return text
}

// canonical returns an address as it is stored, or the text itself.
func canonical(text string) string {
	for _, n := range []chain.Network{chain.BEP20, chain.Solana} {
		if w, err := chain.ParseAddress(n, text); err == nil {
			return string(w.Address)
		}
		// An address in one case has no checksum to verify.
		if w, err := chain.ParseAddress(n, strings.ToLower(text)); err == nil && n.EVM() {
			return string(w.Address)
		}
	}
	return text
}
