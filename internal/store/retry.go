package store

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlitecode "modernc.org/sqlite/lib"
)

// How often and after what pauses a transaction that lost against another is
// repeated. Eight tries with doubling pauses take about a second in all: a
// conflict that lasts longer is no accident.
const (
	maxTries   = 8
	firstPause = 4 * time.Millisecond
	longPause  = 300 * time.Millisecond
)

// SQLSTATEs of PostgreSQL.
const (
	pgSerializationFailure = "40001"
	pgDeadlockDetected     = "40P01"
	pgUniqueViolation      = "23505"
	pgCheckViolation       = "23514"
)

// retry runs fn until it does not fail for another transaction's sake.
func retry(ctx context.Context, fn func() error) error {
	pause := firstPause
	for try := 1; ; try++ {
		err := fn()
		if err == nil || try == maxTries || !lostAgainstAnother(err) {
			return err
		}
		// Half to all of the pause: those who met must not meet again.
		wait := time.NewTimer(pause/2 + rand.N(pause/2+1)) //nolint:gosec // nobody gains by guessing it
		select {
		case <-ctx.Done():
			wait.Stop()
			return context.Cause(ctx)
		case <-wait.C:
		}
		pause = min(2*pause, longPause)
	}
}

// lostAgainstAnother reports whether the transaction was rolled back only
// because of another that ran at the same time.
func lostAgainstAnother(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == pgSerializationFailure || pg.Code == pgDeadlockDetected
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		primary := lite.Code() & 0xff
		return primary == sqlitecode.SQLITE_BUSY || primary == sqlitecode.SQLITE_LOCKED
	}
	return false
}

// isDuplicate reports whether a unique index refused a row.
func isDuplicate(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == pgUniqueViolation
	}
	lite, ok := errors.AsType[*sqlite.Error](err)
	return ok && (lite.Code() == sqlitecode.SQLITE_CONSTRAINT_UNIQUE || lite.Code() == sqlitecode.SQLITE_CONSTRAINT_PRIMARYKEY)
}
