package store

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
)

// RotateKey replaces the key's hash, books the entries, and keeps the answer
// if one is to be kept; the old key fails from then on. It returns what the
// key has left, or fails with merchant.ErrBadKey if r.Old is no longer in use.
func (s *Store) RotateKey(ctx context.Context, r merchant.Replacement) (left ledger.Balance, err error) {
	err = s.act(ctx, r.Audit, about{}, func(ctx context.Context, t tx, _ *about) error {
		res, err := t.NewUpdate().Model((*keyRow)(nil)).Set("hash = ?", r.Next[:]).
			Where("id = ? AND hash = ? AND revoked_at IS NULL", r.KeyID, r.Old[:]).Exec(ctx)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n != 1 {
			return orElse(err, merchant.ErrBadKey)
		}
		if left, err = charge(ctx, t, r.KeyID, r.Entries); err != nil || r.Answer == nil {
			return err
		}
		return keepReplacement(ctx, t, r, left)
	})
	if err != nil {
		return ledger.Balance{}, fmt.Errorf("rotate API key: %w", err)
	}
	return left, nil
}

// keepReplacement finishes the request that replaced the key, and notes the
// old hash, by which the same request finds its answer when it comes again.
func keepReplacement(ctx context.Context, t tx, r merchant.Replacement, left ledger.Balance) error {
	answer, err := r.Answer(left)
	if err != nil {
		return err
	}
	forget := db.Exec("DELETE FROM retired_keys WHERE retired_at <= ?", db.At(r.Now.Add(-idempotency.KeepFor))).AnyNumber()
	return db.RunEach(ctx, t, []*db.Stmt{
		forget,
		db.Exec("INSERT INTO retired_keys (hash, key_id, retired_at) VALUES (?, ?, ?)", r.Old[:], r.KeyID, db.At(r.Now)),
		finish(r.KeyID, r.Request, answer, r.Now),
	})
}

// RetiredAnswer returns what the request was answered that replaced the old
// key, and whose key it is; or merchant.ErrBadKey for any other request, so
// that it tells nothing to whoever cannot repeat that one to the letter.
func (s *Store) RetiredAnswer(
	ctx context.Context, old identity.Hash, name string, request idempotency.Hash, now time.Time,
) (keyID int64, a idempotency.Answer, err error) {
	var status int64
	find := db.Query(func(scan scan) error { return scan(&keyID, &status, &a.Body) },
		"SELECT i.key_id, i.status, i.answer FROM retired_keys AS r JOIN idempotency AS i ON i.key_id = r.key_id "+
			"JOIN api_keys AS k ON k.id = r.key_id JOIN users AS u ON u.id = k.user_id "+
			"WHERE r.hash = ? AND i.key = ? AND i.request = ? AND i.created_at > ? AND i.finished_at IS NOT NULL "+
			"AND k.revoked_at IS NULL AND k.disabled_at IS NULL AND u.disabled_at IS NULL",
		old[:], name, request[:], db.At(now.Add(-idempotency.KeepFor)))
	if !db.Storable(name) {
		return 0, a, merchant.ErrBadKey
	}
	if err := s.db.Read(ctx, find); err != nil {
		return 0, idempotency.Answer{}, fmt.Errorf("answer of a retired key: %w", err)
	}
	if status == 0 {
		return 0, idempotency.Answer{}, merchant.ErrBadKey
	}
	a.Status = int(status)
	return keyID, a, nil
}
