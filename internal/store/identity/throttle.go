package identity

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// throttleRow is the state of a limit: when its allowance is whole again.
type throttleRow struct {
	Name    identity.Hash
	WholeAt time.Time
}

// inOrder returns the limits in the order in which they are locked, so that two
// attempts never wait for each other.
func inOrder(limits []identity.Limit) []identity.Limit {
	return slices.SortedFunc(slices.Values(limits), func(a, b identity.Limit) int {
		return bytes.Compare(a.Name[:], b.Name[:])
	})
}

func namesOf(limits []identity.Limit) [][]byte {
	names := make([][]byte, len(limits))
	for i := range limits {
		names[i] = limits[i].Name[:]
	}
	return names
}

// wholeTimes returns when the limits are whole, by name.
func wholeTimes(
	ctx context.Context, from bun.IDB, limits []identity.Limit, suffix string,
) (map[identity.Hash]time.Time, error) {
	rows, err := db.All[throttleRow](ctx, from, "SELECT name, whole_at FROM throttles WHERE name IN (?) ORDER BY name"+suffix,
		bun.List(namesOf(limits)))
	whole := make(map[identity.Hash]time.Time, len(rows))
	for _, r := range rows {
		whole[r.Name] = r.WholeAt
	}
	return whole, err
}

// longest returns the longest wait for the limits.
func longest(limits []identity.Limit, whole map[identity.Hash]time.Time, now time.Time) (wait time.Duration) {
	for _, l := range limits {
		_, w := l.Take(whole[l.Name], now)
		wait = max(wait, w)
	}
	return wait
}

// AttemptWait returns how long an attempt has to wait.
func (s *Store) AttemptWait(ctx context.Context, limits []identity.Limit, now time.Time) (time.Duration, error) {
	whole, err := wholeTimes(ctx, s.db.Reader(), limits, "")
	return longest(limits, whole, now), db.Wrap(err, "read attempts")
}

// TakeAttempt counts an attempt against every limit, or returns how long to wait.
func (s *Store) TakeAttempt(
	ctx context.Context, limits []identity.Limit, now time.Time,
) (wait time.Duration, err error) {
	// Most attempts of a flood end here, without a write.
	if wait, err = s.AttemptWait(ctx, limits, now); err != nil || wait > 0 {
		return wait, err
	}
	limits = inOrder(limits)
	err = s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		for _, l := range limits { // the row is there before it is locked
			if _, err := t.NewRaw("INSERT INTO throttles (name, whole_at) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
				l.Name[:], now).Exec(ctx); err != nil {
				return err
			}
		}
		whole, err := wholeTimes(ctx, t, limits, t.ForUpdate())
		if err != nil {
			return err
		}
		if wait = longest(limits, whole, now); wait > 0 {
			return nil
		}
		for _, l := range limits {
			next, _ := l.Take(whole[l.Name], now)
			if _, err := t.NewRaw("UPDATE throttles SET whole_at = ? WHERE name = ?", next, l.Name[:]).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	return wait, db.Wrap(err, "count an attempt")
}

// ReturnAttempt undoes TakeAttempt and clears the limits to forget.
func (s *Store) ReturnAttempt(ctx context.Context, limits []identity.Limit, forget ...identity.Hash) error {
	limits = inOrder(limits)
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		whole, err := wholeTimes(ctx, t, limits, t.ForUpdate())
		if err != nil {
			return err
		}
		for _, l := range limits {
			at, ok := whole[l.Name]
			switch {
			case !ok:
				continue
			case slices.Contains(forget, l.Name):
				_, err = t.NewRaw("DELETE FROM throttles WHERE name = ?", l.Name[:]).Exec(ctx)
			default:
				_, err = t.NewRaw("UPDATE throttles SET whole_at = ? WHERE name = ?", at.Add(-l.Interval),
					l.Name[:]).Exec(ctx)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return db.Wrap(err, "return an attempt")
}

// pruneAfter leaves alone the rows that an attempt makes before it locks them.
const pruneAfter = time.Minute

// PruneAttempts deletes the counts of limits that are whole.
func (s *Store) PruneAttempts(ctx context.Context, now time.Time) error {
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		_, err := t.NewRaw("DELETE FROM throttles WHERE whole_at < ?", now.Add(-pruneAfter)).Exec(ctx)
		return err
	})
	return db.Wrap(err, "prune attempts")
}

// FailSignIn appends an entry to the audit log of the user with the e-mail address.
// Where no user has it, the transaction writes the count alone, so that it takes
// about as long.
func (s *Store) FailSignIn(ctx context.Context, email string, touch identity.Hash, entry audit.Entry) error {
	err := table.WriteAudited(ctx, s.db, s.sealer, audit.Record{Entries: []audit.Entry{entry}},
		func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
			if _, err := t.NewRaw("UPDATE throttles SET whole_at = whole_at WHERE name = ?", touch[:]).Exec(ctx); err != nil {
				return err
			}
			var ids []int64
			err := t.NewRaw("SELECT id FROM users WHERE email = ?", email).Scan(ctx, &ids)
			if len(ids) == 0 {
				a.Unchanged = true
				return err
			}
			a.User = ids[0]
			return err
		})
	return db.Wrap(err, "record a failed sign-in")
}

// FailReauth counts a failed re-authentication of a session, which decide may end. One that has ended is left alone.
func (s *Store) FailReauth(
	ctx context.Context, token identity.Hash, now time.Time, decide func(wrong int) (end bool, r audit.Record),
) error {
	err := table.WriteAudited(ctx, s.db, s.sealer, audit.Record{},
		func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
			var counts []int
			err := t.NewRaw("UPDATE sessions SET wrong = wrong + 1 WHERE token = ? AND revoked_at IS NULL RETURNING wrong",
				token[:]).Scan(ctx, &counts)
			if err != nil || len(counts) == 0 {
				return err
			}
			end, r := decide(counts[0])
			a.More = r
			if end {
				_, err = t.NewRaw("UPDATE sessions SET revoked_at = ? WHERE token = ?", now, token[:]).Exec(ctx)
			}
			return err
		})
	return db.Wrap(err, "record a failed re-authentication")
}
