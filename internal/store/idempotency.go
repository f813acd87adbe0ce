package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// idempotencyRow is a write with an Idempotency-Key and its answer.
type idempotencyRow struct {
	KeyID       int64
	Key         string
	Scope       string
	Request     []byte
	Subject     string
	Holder      string
	Status      int
	Answer      []byte
	CreatedAt   time.Time
	FinishedAt  time.Time
	LockedUntil time.Time
}

var requests = db.NewTable[idempotencyRow]("idempotency", `
	fixed:   key_id key scope
	changes: request subject holder status answer created_at finished_at locked_until`)

// IdempotencyBegin takes the key for the try and returns the subject to act
// on, or the answer that was given already.
func (s *Store) IdempotencyBegin(
	ctx context.Context, n idempotency.Try,
) (subject string, a idempotency.Answer, err error) {
	if err := n.Check(); err != nil {
		return "", a, err
	}
	err = s.db.Write(ctx, func(ctx context.Context, t tx) error {
		fresh := idempotencyRow{
			KeyID: n.KeyID, Key: n.Key, Scope: n.Scope, Request: n.Request[:], Subject: n.Subject, Holder: n.Holder,
			CreatedAt: n.Now, LockedUntil: n.LockedUntil,
		}
		// An expired record is overwritten.
		res, err := t.NewRaw("? WHERE idempotency.created_at <= ?",
			requests.Into(t, requests.OnConflict("key_id, key"), fresh), n.Now.Add(-idempotency.KeepFor)).Exec(ctx)
		taken, err := db.Changed(res, err)
		if err != nil {
			return err
		}
		if taken {
			subject, a = n.Subject, idempotency.Answer{}
			return makeRoom(ctx, t, n)
		}
		subject, a, err = takeUp(ctx, t, n)
		return err
	})
	if err != nil {
		return "", idempotency.Answer{}, fmt.Errorf("begin idempotent request: %w", err)
	}
	return subject, a, nil
}

// makeRoom deletes the oldest records of a scope that are over its limit, save for
// those of requests that run.
func makeRoom(ctx context.Context, t tx, n idempotency.Try) error {
	if n.Scope == "" {
		return nil
	}
	_, err := t.NewRaw(`DELETE FROM idempotency WHERE key_id = ? AND key <> ? AND key IN (
		SELECT key FROM idempotency WHERE key_id = ? AND scope = ? ORDER BY created_at DESC, key LIMIT ? OFFSET ?)
		AND (finished_at IS NOT NULL OR locked_until <= ?)`,
		n.KeyID, n.Key, n.KeyID, n.Scope, maxRoomMade, n.Most, n.Now).Exec(ctx)
	return err
}

// maxRoomMade bounds what one request deletes. More than one record is over the
// limit only after requests that ran at once.
const maxRoomMade = 100

// takeUp handles a try whose key is known.
func takeUp(ctx context.Context, t tx, n idempotency.Try) (string, idempotency.Answer, error) {
	known, err := db.First[idempotencyRow](ctx, t, sql.ErrNoRows,
		"SELECT * FROM idempotency WHERE key_id = ? AND key = ?"+t.ForUpdate(), n.KeyID, n.Key)
	if err != nil {
		return "", idempotency.Answer{}, err
	}
	if free, err := n.TakesUp(known.Request, known.LockedUntil, !known.FinishedAt.IsZero()); err != nil || !free {
		return known.Subject, idempotency.Answer{Status: known.Status, Body: known.Answer}, err
	}
	_, err = t.NewRaw("UPDATE idempotency SET locked_until = ?, holder = ? WHERE key_id = ? AND key = ?",
		n.LockedUntil, n.Holder, n.KeyID, n.Key).Exec(ctx)
	return known.Subject, idempotency.Answer{}, err
}

// IdempotencyFinish stores the answer of a try. The first answer stays.
func (s *Store) IdempotencyFinish(ctx context.Context, k idempotency.Kept) error {
	return s.idempotencyUpdate(ctx, "finish", table.FinishIdempotent(k))
}

// IdempotencyHold holds the key of a try until a time, or returns false if it has lost its claim.
func (s *Store) IdempotencyHold(ctx context.Context, c idempotency.Claim, until time.Time) (held bool, err error) {
	hold := claimed("UPDATE idempotency SET locked_until = ?", c, until)
	err = s.idempotencyUpdate(ctx, "hold", hold)
	return hold.Affected() == 1 && err == nil, err
}

// IdempotencyForget deletes the record of a try that made nothing.
func (s *Store) IdempotencyForget(ctx context.Context, c idempotency.Claim) error {
	return s.idempotencyUpdate(ctx, "forget", claimed("DELETE FROM idempotency", c))
}

// claimed returns a statement on the record of a try that still has its claim.
func claimed(text string, c idempotency.Claim, args ...any) *db.Stmt {
	return db.Exec(text+" WHERE key_id = ? AND key = ? AND holder = ? AND finished_at IS NULL",
		append(args, c.KeyID, c.Key, c.Holder)...)
}

func (s *Store) idempotencyUpdate(ctx context.Context, what string, update *db.Stmt) error {
	err := s.db.Hot(ctx, func(ctx context.Context, c conn) error { return c.Run(ctx, update) })
	return db.Wrap(err, "%s idempotent request", what)
}
