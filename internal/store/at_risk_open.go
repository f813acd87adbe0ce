package store

import (
	"context"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment/watch"
)

const (
	// fewOpen is how many open payments are read each time.
	fewOpen = 2_000
	// openRate is how many open payments a second of rest allows to be read, and openRest the longest rest.
	openRate = 2_000
	openRest = time.Minute
)

// openPayments keeps what was read of the open payments of each network, so that with very many of them only those are
// read that are new. Times are those of the callers.
type openPayments struct {
	few   int64    // fewOpen
	known sync.Map // *openNetwork by chain.Network
}

type openNetwork struct {
	mu     sync.Mutex // held while the database is read
	atRisk struct {
		openRow
		reading
	}
	addresses struct {
		list []chain.Watched
		reading
	}
}

// reading is when something was last read whole, and up to where since then.
type reading struct {
	at   time.Time
	rows int64
	mark watch.Mark
}

// suffices reports whether reading what is new suffices at the time.
func (r reading) suffices(few int64, at time.Time) bool {
	rest := min(time.Duration(r.rows)*time.Second/openRate, openRest)
	return r.rows > few && !at.Before(r.at) && at.Sub(r.at) < rest
}

func (o *openPayments) of(n chain.Network) *openNetwork {
	known, _ := o.known.LoadOrStore(n, &openNetwork{})
	return known.(*openNetwork) //nolint:forcetypeassert // only these are stored
}

// atRisk returns what openQuery reads.
func (o *openPayments) atRisk(
	ctx context.Context, s *Store, n chain.Network, justEnded, watchedAfter time.Time,
) (openRow, error) {
	network := o.of(n)
	network.mu.Lock()
	defer network.mu.Unlock()
	k := &network.atRisk
	var row openRow
	if !k.suffices(o.few, justEnded) {
		mark, err := s.readWithMark(ctx, func(ctx context.Context, t tx) error {
			return t.NewRaw(openQuery, n, justEnded, watchedAfter, countsOn(n)).Scan(ctx, &row)
		})
		if err == nil {
			k.openRow, k.reading = row, reading{justEnded, row.Rows, mark}
		}
		return row, err
	}
	mark, err := s.readWithMark(ctx, func(ctx context.Context, t tx) error {
		return t.NewRaw(newerQuery, n, countsOn(n), s.storedSince(t, k.mark)).Scan(ctx, &row)
	})
	if err != nil {
		return openRow{}, err
	}
	k.mark = mark
	k.StartedAt, k.AddedAt = later(k.StartedAt, row.StartedAt), later(k.AddedAt, row.AddedAt)
	if next := row.ExpiresAt; !next.IsZero() && (k.ExpiresAt.IsZero() || next.Before(k.ExpiresAt)) {
		k.ExpiresAt = next
	}
	return k.openRow, nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// readWithMark reads on one snapshot, and returns the mark below which it has seen every route.
func (s *Store) readWithMark(
	ctx context.Context, read func(context.Context, tx) error,
) (mark watch.Mark, err error) {
	err = s.db.Snapshot(ctx, func(ctx context.Context, t tx) error {
		if mark, err = s.watchEnd(ctx, t); err != nil {
			return err
		}
		return read(ctx, t)
	})
	return mark, err
}

// addresses returns the addresses of the network's payments that are open or ended after endedAfter. Nobody changes
// the list.
func (o *openPayments) addresses(
	ctx context.Context, s *Store, n chain.Network, endedAfter time.Time,
) ([]chain.Watched, error) {
	const (
		there = `(r.network = ?0 OR r.also LIKE ?1 AND NOT EXISTS
			(SELECT 1 FROM routes AS o WHERE o.payment_id = p.id AND o.network = ?0)) AND `
		all = "SELECT r.address, r.raw FROM payments AS p CROSS JOIN routes AS r WHERE r.payment_id = p.id AND " + there
	)
	network := o.of(n)
	network.mu.Lock()
	defer network.mu.Unlock()
	k := &network.addresses
	var list []chain.Watched
	whole := !k.suffices(o.few, endedAfter)
	mark, err := s.readWithMark(ctx, func(ctx context.Context, t tx) error {
		q := t.NewRaw(
			all+"p.ended_at IS NULL UNION ALL "+all+"p.ended_at > ?2 AND p.ended_at IS NOT NULL AND p.started_at IS NOT NULL",
			n, countsOn(n), endedAfter,
		)
		if !whole {
			q = t.NewRaw(
				`SELECT r.address, r.raw FROM routes AS r CROSS JOIN payments AS p WHERE ?2 AND p.id = r.payment_id AND `+there+`(p.ended_at IS NULL OR p.ended_at > ?3)`,
				n, countsOn(n), s.storedSince(t, k.mark), endedAfter,
			)
		}
		return q.Scan(ctx, &list)
	})
	switch {
	case err != nil:
		return nil, err
	case whole:
		k.list, k.reading = list, reading{endedAfter, int64(len(list)), mark}
	default:
		k.list, k.mark = withOthers(k.list, list), mark
	}
	return k.list, nil
}
