package merchant

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// keyColumns are those of a key and of its owner.
var keyColumns = keys.Columns("k") + ", u.public_id, u.first_name, u.last_name, u.email"

// readKey reads one key with its owner.
func readKey(k *merchant.Key, where string, args ...any) *db.Stmt {
	return db.Query(func(scan db.Scan) error {
		return scan(append(keys.Dest(k), &k.UserPublic, &k.FirstName, &k.LastName, &k.Email)...)
	}, "SELECT "+keyColumns+" FROM api_keys AS k JOIN users AS u ON u.id = k.user_id WHERE "+where, args...)
}

// selectKeys selects keys with their owners.
const (
	selectKeys = `SELECT k.*, u.public_id AS user_public, u.first_name, u.last_name, u.email FROM api_keys AS k
		JOIN users AS u ON u.id = k.user_id WHERE `
	keysInOrder = " ORDER BY (k.revoked_at IS NOT NULL), k.id"
)

// KeyByHash returns the key in use with the hash and its owner's name; one without an ID if there is none, or it or its
// owner is disabled.
func (s *Store) KeyByHash(ctx context.Context, h identity.Hash) (merchant.Key, error) {
	return s.keys.Get(ctx, h, func(ctx context.Context) (k merchant.Key, err error) {
		err = s.db.LookUp(ctx, readKey(&k, "k.hash = ? AND k.revoked_at IS NULL AND k.disabled_at IS NULL AND u.disabled_at IS NULL", h[:]))
		return k, db.Wrap(err, "API key by hash")
	})
}

// Balance returns what the key has left.
func (s *Store) Balance(ctx context.Context, keyID int64) (ledger.Balance, error) {
	return s.balances.Get(ctx, keyID, func(ctx context.Context) (ledger.Balance, error) {
		var b table.BalanceScan
		if err := s.db.LookUp(ctx, b.Read(keyID)); err != nil {
			return ledger.Balance{}, fmt.Errorf("balance of key %d: %w", keyID, err)
		}
		return b.Balance, b.Missing()
	})
}

// TouchKeys sets when keys were last used, where that is later than what is stored.
func (s *Store) TouchKeys(ctx context.Context, used map[int64]time.Time) error {
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		// In one order for everybody, so that two instances cannot lock each other.
		for _, id := range slices.Sorted(maps.Keys(used)) {
			when := used[id]
			_, err := t.NewRaw("UPDATE api_keys SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)",
				when, id, when).Exec(ctx)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return db.Wrap(err, "note the use of %d keys", len(used))
}

// RetiredAnswer returns what the request was answered that replaced the old
// key, and whose key it is, which is 0 for any other request.
func (s *Store) RetiredAnswer(
	ctx context.Context, old identity.Hash, name string, request idempotency.Hash, now time.Time,
) (keyID int64, a idempotency.Answer, err error) {
	var status int64
	find := db.Query(func(scan db.Scan) error { return scan(&keyID, &status, &a.Body) },
		`SELECT i.key_id, i.status, i.answer FROM retired_keys AS r JOIN idempotency AS i ON i.key_id = r.key_id
			JOIN api_keys AS k ON k.id = r.key_id JOIN users AS u ON u.id = k.user_id
			WHERE r.hash = ? AND i.key = ? AND i.request = ? AND i.created_at > ? AND i.finished_at IS NOT NULL
			AND k.revoked_at IS NULL AND k.disabled_at IS NULL AND u.disabled_at IS NULL`,
		old[:], name, request[:], now.Add(-idempotency.KeepFor))
	if db.Storable(name) {
		err = db.Wrap(s.db.Read(ctx, find), "answer of a retired key")
	}
	a.Status = int(status)
	return keyID, a, err
}
