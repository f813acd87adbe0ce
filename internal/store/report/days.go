package report

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// Day is the volume of the payments that were completed on one day of a time zone on
// one network, priced in one currency.
type Day struct {
	Day     time.Time
	Network chain.Network
	Count   int64
	Volume  money.Micros
	Price   exchange.Sum // what they were priced at; none: in US dollars
}

const (
	day = 24 * time.Hour
	// quarter is what sales are summed by: every zone is ahead of UTC by a number of them.
	quarter = 15 * time.Minute
)

// Days sums what the keys were paid from a day on until another, by day, network and currency, the oldest first. Days
// are those of the zone of from. Top-ups are not a merchant's income.
func (r *Reader) Days(ctx context.Context, keys []int64, from, until time.Time) (list []Day, err error) {
	for len(keys) > 0 && err == nil && from.Before(until) {
		// The offset of a zone holds until the clocks change; beyond, days are counted by another one.
		_, change := from.ZoneBounds()
		if change.IsZero() || change.After(until) {
			change = until
		}
		var days []Day
		days, err = r.days(ctx, keys, from, change)
		list, from = append(list, days...), change
	}
	return list, db.Wrap(err, "payments by day")
}

// days is Days where the clocks do not change. A day of the zone begins within a day of UTC, whose two parts are summed
// in the order of the table's key: a shop that sells in each quarter of an hour has 35,000 rows a year and network.
func (r *Reader) days(ctx context.Context, keys []int64, from, until time.Time) ([]Day, error) {
	const quarters = int64(day / quarter)
	_, offset := from.Zone()
	ahead := int64(time.Duration(offset) * time.Second / quarter)
	cut, next := (quarters-ahead)%quarters, 0 // from which quarter of a day of UTC on its payments are of the next day
	if ahead > 0 {
		next = 1
	}
	first, end := quarterOf(from), quarterOf(until)
	rows, err := db.All[struct {
		Day      int64
		Network  chain.Network
		Currency exchange.Currency
		Count    int64
		Volume   money.Micros
		Price    int64
	}](ctx, r.db.Reader(), `
		WITH s AS MATERIALIZED (
			SELECT day, network, currency, sum(payments) AS n, sum(volume) AS v, sum(price) AS p,
				sum(CASE WHEN quarter >= day * ?0 + ?1 THEN payments ELSE 0 END) AS later_n,
				sum(CASE WHEN quarter >= day * ?0 + ?1 THEN volume ELSE 0 END) AS later_v,
				sum(CASE WHEN quarter >= day * ?0 + ?1 THEN price ELSE 0 END) AS later_p
			FROM sales WHERE key_id IN (?3) AND day BETWEEN ?4 AND ?5 AND quarter >= ?6 AND quarter < ?7
			GROUP BY key_id, day, network, currency)
		SELECT day, network, currency, CAST(sum(n) AS bigint) AS count, CAST(sum(v) AS bigint) AS volume,
			CAST(sum(p) AS bigint) AS price
		FROM (SELECT day + ?2 AS day, network, currency, later_n AS n, later_v AS v, later_p AS p FROM s
			UNION ALL SELECT day + ?2 - 1, network, currency, n - later_n, v - later_v, p - later_p FROM s) AS parts
		WHERE n > 0 GROUP BY day, network, currency ORDER BY day, network, currency`,
		quarters, cut, next, bun.List(keys), first/quarters, end/quarters, first, end)
	list := make([]Day, len(rows))
	for i, x := range rows {
		utc := time.Unix(x.Day*int64(day/time.Second), 0).UTC()
		list[i] = Day{
			time.Date(utc.Year(), utc.Month(), utc.Day(), 0, 0, 0, 0, from.Location()), x.Network, x.Count, x.Volume,
			exchange.Sum{Currency: x.Currency, Units: x.Price},
		}
	}
	return list, err
}

func quarterOf(t time.Time) int64 { return t.Unix() / int64(quarter/time.Second) }

// MaxFunnel is how many payments a funnel looks at: the newest.
const MaxFunnel = 2000

// Funnel counts how far payments have come. Top-ups are not sales.
type Funnel struct {
	Created int64
	Started int64 // the payer chose how to pay
	Seen    int64 // money was seen
	Paid    int64
	// Unstarted, Unseen and Unpaid ended, expired or cancelled, at that step: the payer did not choose how to pay, sent
	// nothing, or sent what does not count as the whole.
	Unstarted, Unseen, Unpaid int64
	Newest                    bool // there are more: these are the newest
}

const (
	isSale    = "kind <> 'TOPUP'"
	isSeen    = "(length(hash) > 0 OR status = 'COMPLETED')"
	isLost    = isSale + " AND status IN ('EXPIRED', 'CANCELLED')"
	hasNoHash = "coalesce(length(hash), 0) = 0"
)

// counting counts the rows of which the condition holds.
func counting(condition string) string { return ", count(CASE WHEN " + condition + " THEN 1 END)" }

// Funnel counts the payments of the keys created since, the newest MaxFunnel of them.
func (r *Reader) Funnel(ctx context.Context, keys []int64, since time.Time) (f Funnel, err error) {
	var read int64
	err = r.newest(ctx, keys, since, "count(*)"+counting(isSale)+counting(isSale+" AND started_at IS NOT NULL")+
		counting(isSale+" AND "+isSeen)+counting(isSale+" AND status = 'COMPLETED'")+
		counting(isLost+" AND started_at IS NULL AND "+hasNoHash)+
		counting(isLost+" AND started_at IS NOT NULL AND "+hasNoHash)+counting(isLost+" AND length(hash) > 0"),
		&read, &f.Created, &f.Started, &f.Seen, &f.Paid, &f.Unstarted, &f.Unseen, &f.Unpaid)
	f.Newest = read == MaxFunnel
	return f, db.Wrap(err, "funnel")
}

// Starts is how many payments of a key were started, which is what spends its
// credits, since a time.
type Starts struct {
	Count  int64
	Since  time.Time
	Newest bool // there are more: these are the newest, and Since is when the oldest of them was created
}

// Starts counts the payments of the key created since that were started, in as much of
// that time as its newest MaxFunnel payments cover.
func (r *Reader) Starts(ctx context.Context, key int64, since time.Time) (Starts, error) {
	s := Starts{Since: since}
	var read int64
	var oldest time.Time
	err := r.newest(ctx, []int64{key}, since, "count(*), min(created_at), count(CASE WHEN kind <> 'TOPUP' THEN started_at END)",
		&read, db.Time(&oldest), &s.Count)
	if s.Newest = read == MaxFunnel; s.Newest {
		s.Since = oldest
	}
	return s, db.Wrap(err, "starts of key %d", key)
}

// newest reads figures of the newest MaxFunnel payments of the keys created since.
func (r *Reader) newest(ctx context.Context, keys []int64, since time.Time, figures string, dest ...any) error {
	if len(keys) == 0 {
		return nil
	}
	reader := r.db.Reader()
	var ranges []*bun.SelectQuery
	for _, key := range keys {
		ranges = append(ranges, reader.NewSelect().TableExpr("payments").
			ColumnExpr("id, created_at, kind, started_at, hash, status").
			Where("key_id = ? AND created_at >= ?", key, since).
			OrderExpr("created_at DESC, id DESC").Limit(MaxFunnel))
	}
	list := db.Merge(reader, ranges, "created_at DESC, id DESC", MaxFunnel)
	return reader.NewRaw("SELECT "+figures+" FROM (?) AS newest", list).Scan(ctx, dest...)
}

// Activity is how far a merchant has come.
type Activity struct {
	Any  bool // there is at least one payment
	Paid bool // there is at least one completed payment
}

// Activity looks at the payments of the keys. Top-ups do not count.
func (r *Reader) Activity(ctx context.Context, keys []int64) (a Activity, err error) {
	if len(keys) == 0 {
		return a, nil
	}
	list := bun.List(keys)
	// Not EXISTS, for which PostgreSQL drops the order and may read every payment of others to find none.
	err = r.db.Reader().NewRaw(`SELECT coalesce((SELECT 1 FROM payments WHERE key_id IN (?) AND kind <> ?
		ORDER BY key_id, created_at, id LIMIT 1), 0) = 1,
		coalesce((SELECT 1 FROM sales WHERE key_id IN (?) AND payments > 0 ORDER BY key_id, day, network LIMIT 1), 0) = 1`,
		list, payment.KindTopUp, list).Scan(ctx, &a.Any, &a.Paid)
	return a, db.Wrap(err, "activity")
}

// MaxOpen is how far open payments are counted.
const MaxOpen = 10_000

// Open counts the payments of the keys that have not ended, at most MaxOpen. Top-ups do not count.
func (r *Reader) Open(ctx context.Context, keys []int64) (n int64, err error) {
	if len(keys) == 0 {
		return 0, nil
	}
	var states []string
	for _, key := range keys {
		states = append(states, table.PaymentStates(key, payment.Pending, "")...)
		states = append(states, table.PaymentStates(key, payment.Started, "")...)
	}
	err = r.db.Reader().NewRaw(`SELECT count(*) FROM (SELECT 1 FROM payments AS p WHERE `+table.PaymentState+`
		IN (?) AND p.kind <> ? LIMIT ?) AS open`, bun.List(states), payment.KindTopUp, MaxOpen).Scan(ctx, &n)
	return n, db.Wrap(err, "open payments")
}
