package db

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlitecode "modernc.org/sqlite/lib"
)

// How often, and after what pauses, a transaction that lost a race is
// repeated. Eight tries with doubling pauses take about a second in all: a
// conflict that lasts longer will not pass by itself.
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
	pgLockNotAvailable     = "55P03"
	pgDuplicateTable       = "42P07"
	pgDuplicateObject      = "42710"
)

// retry runs fn until it succeeds or fails for a reason of its own.
func retry(ctx context.Context, fn func() error) error {
	pause := firstPause
	for try := 1; ; try++ {
		err := fn()
		if err == nil || try == maxTries || !IsConflict(err) {
			return err
		}
		// Half to all of the pause: transactions that collided must not collide again.
		wait := time.NewTimer(pause/2 + rand.N(pause/2+1)) //nolint:gosec // not a secret
		select {
		case <-ctx.Done():
			wait.Stop()
			return context.Cause(ctx)
		case <-wait.C:
		}
		pause = min(2*pause, longPause)
	}
}

// IsConflict reports whether the transaction was rolled back only because of
// another one that ran at the same time.
func IsConflict(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == pgSerializationFailure || pg.Code == pgDeadlockDetected
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		primary := lite.Code() & 0xff
		return primary == sqlitecode.SQLITE_BUSY || primary == sqlitecode.SQLITE_LOCKED
	}
	return false
}

// IsDuplicate reports whether a unique index refused a row.
func IsDuplicate(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == pgUniqueViolation
	}
	lite, ok := errors.AsType[*sqlite.Error](err)
	return ok && (lite.Code() == sqlitecode.SQLITE_CONSTRAINT_UNIQUE ||
		lite.Code() == sqlitecode.SQLITE_CONSTRAINT_PRIMARYKEY)
}
