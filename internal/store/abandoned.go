package store

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
	"github.com/florinpay/florin/internal/webhook"
)

// instance begins the name of the lease that says that a server runs.
const instance = "instance:"

// Join says that the holder's server runs, for webhook.PresentFor.
func (s *Store) Join(ctx context.Context, holder string, now time.Time) error {
	return db.Wrap(s.db.Write(ctx, func(ctx context.Context, t tx) error {
		_, err := t.NewRaw("DELETE FROM leases WHERE name LIKE ? AND until < ?", instance+"%", now.Add(-time.Hour)).Exec(ctx)
		if err == nil {
			_, err = table.Take(ctx, t, instance+holder, holder, now, now.Add(webhook.PresentFor))
		}
		return err
	}), "say that this server runs")
}

// Leave ends what Join began.
func (s *Store) Leave(ctx context.Context, holder string) {
	_, _ = db.WriteOne(ctx, s.db, "DELETE FROM leases WHERE name = ?", instance+holder) // else it ends by itself
}

// abandoned is what a server held that does not run any more, and whose attempts have ended (?1).
const abandoned = ` WHERE state = 'WAITING' AND holder IS NOT NULL AND due_at > ?0 AND due_at <= ?1
	AND NOT EXISTS (SELECT 1 FROM leases AS s WHERE s.name = '` + instance + `' || d.holder AND s.until > ?0)`

// anotherFor is for how long a server that has given no sign of life may come back and write.
const anotherFor = 5 * time.Minute

// others reports whether another server than the holder's was on the database since a time.
func (s *Store) others(ctx context.Context, holder string, since time.Time) (are bool, err error) {
	if !s.db.Dialect().ManyWriters {
		return false, nil
	}
	err = s.db.Reader().NewRaw("SELECT EXISTS (SELECT 1 FROM leases WHERE name LIKE ? AND holder <> ? AND until > ?)",
		instance+"%", holder, since.Add(webhook.PresentFor)).Scan(ctx, &are)
	return are, db.Wrap(err, "look for other servers")
}

// Meet waits, after the holder's server has joined, until another one that was alone knows that it is not: it answers
// polls from memory, which would not have what this one writes.
func (s *Store) Meet(ctx context.Context, holder string, now time.Time) error {
	are, err := s.others(ctx, holder, now.Add(-webhook.PresentFor))
	if err != nil || !are {
		return err
	}
	select {
	case <-ctx.Done():
	case <-time.After(joinFor):
	}
	return nil
}

// LookForOthers finds out whether the holder's server is alone on the database, and may answer polls from memory; and
// it frees what dead servers held.
func (s *Store) LookForOthers(ctx context.Context, holder string, now time.Time) error {
	began := time.Now()
	are, err := s.others(ctx, holder, now.Add(-anotherFor))
	if err != nil {
		return err
	}
	s.recent.look(are, began)
	return s.freeAbandoned(ctx, now)
}

// freeAbandoned makes due at once the webhooks and mails that dead instances held.
func (s *Store) freeAbandoned(ctx context.Context, now time.Time) error {
	args := []any{now, webhook.Abandoned(now)}
	for _, of := range []bun.Safe{"deliveries", "mails"} {
		var any bool
		find := "SELECT EXISTS (SELECT 1 FROM ?2 AS d" + abandoned + ")"
		err := s.db.Reader().NewRaw(find, append(args, of)...).Scan(ctx, &any)
		if err == nil && any {
			err = s.db.Write(ctx, func(ctx context.Context, t tx) error {
				free := "UPDATE ?2 AS d SET holder = NULL, due_at = ?0" + abandoned
				_, err := t.NewRaw(free, append(args, of)...).Exec(ctx)
				return err
			})
		}
		if err != nil {
			return db.Wrap(err, "free what dead instances hold")
		}
	}
	return nil
}
