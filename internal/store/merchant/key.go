package merchant

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// keys generates the statements of API keys. The names of their owners are read beside.
var keys = db.NewTable[merchant.Key]("api_keys", `
	number: id
	fixed:  public_id user_id hash label wallet permissions sources confirmed currency created_at last_used_at revoked_at
	read:   disabled_at`)

// units lists what a key has a balance of.
func units() []ledger.Unit { return []ledger.Unit{ledger.Credit, ledger.Query} }

// CreateKey stores a new key with its first entries and returns it with its
// ID and its owner's name.
func (s *Store) CreateKey(
	ctx context.Context, k merchant.Key, entries func(id int64) []ledger.Entry, r audit.Record,
) (merchant.Key, error) {
	all := func(id, _ int64) []ledger.Entry { return entries(id) }
	return s.createKey(ctx, k, all, nil, func(context.Context, db.Tx) (int64, error) { return 0, nil }, r)
}

// CreateKeyWithin is CreateKey for a user who may have one more key, or fails
// with merchant.ErrTooManyKeys. The user is locked, so that keys made at the
// same time are counted one after the other.
func (s *Store) CreateKeyWithin(
	ctx context.Context, k merchant.Key, entries func(id, earlier int64) []ledger.Entry,
	keep idempotency.Keep[merchant.Key], r audit.Record,
) (merchant.Key, error) {
	return s.createKey(ctx, k, entries, keep, func(ctx context.Context, t db.Tx) (earlier int64, err error) {
		if err := table.LockUser(ctx, t, k.UserID); err != nil {
			return 0, err
		}
		n, err := db.First[struct{ Used, Ever int }](ctx, t, nil,
			"SELECT count(*) AS ever, count(*) - count(revoked_at) AS used FROM api_keys WHERE user_id = ?", k.UserID)
		if err == nil {
			err = merchant.MayMakeKey(n.Used, n.Ever)
		}
		return int64(n.Ever), err
	}, r)
}

func (s *Store) createKey(
	ctx context.Context, k merchant.Key, entries func(id, earlier int64) []ledger.Entry,
	keep idempotency.Keep[merchant.Key], allowed func(
		context.Context, db.Tx,
	) (earlier int64, err error), r audit.Record,
) (merchant.Key, error) {
	if err := db.CheckTexts("texts of an API key", k.PublicID, k.Label, string(k.Wallet)); err != nil {
		return merchant.Key{}, err
	}
	var stored merchant.Key
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
		*a = table.AuditFields{Subject: k.PublicID}
		earlier, err := allowed(ctx, t)
		if err != nil {
			return err
		}
		var id int64
		if err := keys.Into(t, " RETURNING id", k).Scan(ctx, &id); err != nil {
			return err
		}
		for _, unit := range units() {
			_, err := t.NewRaw("INSERT INTO balances (key_id, unit, balance) VALUES (?, ?, 0)", id, unit).Exec(ctx)
			if err != nil {
				return err
			}
		}
		if err := table.Post(ctx, t, entries(id, earlier)); err != nil {
			return err
		}
		var c keyScan
		if err := t.Run(ctx, c.read("k.id = ?", id)); err != nil {
			return err
		}
		stored = c.key
		kept, err := keep.Of(stored)
		if err != nil {
			return err
		}
		return table.KeepAnswer(ctx, t, kept)
	})
	if err != nil {
		return merchant.Key{}, fmt.Errorf("create API key: %w", err)
	}
	return stored, nil
}

// keyColumns are those of a key and of its owner.
var keyColumns = keys.Columns("k") + ", u.public_id, u.first_name, u.last_name, u.email"

// readKeys reads the keys, with their owners, that the condition selects; where
// may end with an order.
func readKeys(add func(merchant.Key), where string, args ...any) *db.Stmt {
	return db.Query(func(scan db.Scan) error {
		var k merchant.Key
		err := scan(append(keys.Dest(&k), &k.UserPublic, &k.FirstName, &k.LastName, &k.Email)...)
		if err == nil {
			add(k)
		}
		return err
	}, "SELECT "+keyColumns+" FROM api_keys AS k JOIN users AS u ON u.id = k.user_id WHERE "+where, args...)
}

// keyScan reads one key with its owner.
type keyScan struct {
	key   merchant.Key
	found bool
}

func (c *keyScan) read(where string, args ...any) *db.Stmt {
	return readKeys(func(k merchant.Key) { c.key, c.found = k, true }, where, args...)
}

// KeyByHash returns the key in use with the hash and its owner's name, or
// merchant.ErrBadKey: so also for one that is disabled, or whose owner is.
func (s *Store) KeyByHash(ctx context.Context, h identity.Hash) (merchant.Key, error) {
	return s.keys.Get(ctx, h, func(ctx context.Context) (merchant.Key, error) {
		var c keyScan
		if err := s.db.LookUp(ctx, c.read("k.hash = ? AND k.revoked_at IS NULL AND k.disabled_at IS NULL AND u.disabled_at IS NULL", h[:])); err != nil {
			return merchant.Key{}, fmt.Errorf("API key by hash: %w", err)
		}
		if !c.found {
			return merchant.Key{}, merchant.ErrBadKey
		}
		return c.key, nil
	})
}

// Balance returns what the key has left, or merchant.ErrUnknownKey.
func (s *Store) Balance(ctx context.Context, keyID int64) (ledger.Balance, error) {
	return s.balances.Get(ctx, keyID, func(ctx context.Context) (ledger.Balance, error) {
		var b table.BalanceScan
		if err := s.db.LookUp(ctx, b.Read(keyID)); err != nil {
			return ledger.Balance{}, fmt.Errorf("balance of key %d: %w", keyID, err)
		}
		return b.Balance, b.Missing()
	})
}

// PostEntries posts entries of the key and returns its new balance. Entries that were
// posted before are skipped, and leave no audit entry again.
func (s *Store) PostEntries(
	ctx context.Context, keyID int64, entries []ledger.Entry, r audit.Record,
) (after ledger.Balance, err error) {
	err = table.WriteAudited(ctx, s.db, s.sealer, r,
		func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
			var before table.BalanceScan
			if err := t.Run(ctx, before.Read(keyID)); err != nil {
				return err
			}
			after, err = table.Charge(ctx, t, keyID, entries)
			a.Unchanged = after == before.Balance // they were posted before
			return err
		})
	if err != nil {
		return ledger.Balance{}, fmt.Errorf("post entries of key %d: %w", keyID, err)
	}
	return after, nil
}

// KeysOfUser returns all API keys the user ever had, revoked ones last: their
// payments are still the user's.
func (s *Store) KeysOfUser(ctx context.Context, userID int64) ([]merchant.Key, error) {
	var list []merchant.Key
	add := func(k merchant.Key) { list = append(list, k) }
	if err := s.db.Read(ctx, readKeys(add, "k.user_id = ? ORDER BY (k.revoked_at IS NOT NULL), k.id",
		userID)); err != nil {
		return nil, db.Wrap(err, "all API keys of user %d", userID)
	}
	return list, nil
}

// SetKeyText sets a text of a key of the user, or fails with merchant.ErrUnknownKey.
func (s *Store) SetKeyText(
	ctx context.Context, userID, keyID int64, which merchant.KeyText, text string, r audit.Record,
) error {
	column := "label"
	if which == merchant.KeyCurrency {
		column = "currency"
	}
	if err := db.CheckTexts(column, text); err != nil {
		return err
	}
	ok, err := table.WriteOneAudited(ctx, s.db, s.sealer, r, table.AuditFields{},
		"UPDATE api_keys SET "+column+" = ? WHERE id = ? AND user_id = ? AND revoked_at IS NULL", text, keyID, userID)
	if err == nil && !ok {
		return merchant.ErrUnknownKey
	}
	return err
}

// SetKeyRights sets what a key of the user may do and from where, and that an owner
// confirms it, or fails with merchant.ErrUnknownKey.
func (s *Store) SetKeyRights(
	ctx context.Context, userID, keyID int64, p merchant.Permissions, from merchant.Sources, r audit.Record,
) error {
	ok, err := table.WriteOneAudited(ctx, s.db, s.sealer, r, table.AuditFields{},
		"UPDATE api_keys SET permissions = ?, sources = ?, confirmed = ? WHERE id = ? AND user_id = ? AND revoked_at IS NULL",
		p.String(), string(from), true, keyID, userID)
	if err == nil && !ok {
		return merchant.ErrUnknownKey
	}
	return err
}

// RevokeKey ends a key of the user, or fails with merchant.ErrUnknownKey.
func (s *Store) RevokeKey(ctx context.Context, userID, keyID int64, now time.Time, r audit.Record) error {
	ok, err := table.WriteOneAudited(ctx, s.db, s.sealer, r, table.AuditFields{}, "UPDATE api_keys SET revoked_at = ? WHERE id = ? AND user_id = ? AND revoked_at IS NULL", now, keyID, userID)
	if err == nil && !ok {
		return merchant.ErrUnknownKey
	}
	return err
}

// DisableKey disables the key at the time given, or enables it with the zero
// time; changed is false if it was so already.
func (s *Store) DisableKey(
	ctx context.Context, keyID int64, when time.Time, r audit.Record,
) (changed bool, err error) {
	err = table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
		changed, err = table.SetDisabled(ctx, t, "api_keys", keyID, when)
		a.Unchanged = !changed
		return err
	})
	return changed, db.Wrap(err, "disable key %d", keyID)
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

// RotateKey replaces the key's hash, posts the entries, and keeps the answer
// if one is to be kept; the old key fails from then on. It returns what the
// key has left, or fails with merchant.ErrBadKey if r.Old is no longer in use.
func (s *Store) RotateKey(ctx context.Context, r merchant.Replacement) (left ledger.Balance, err error) {
	err = table.WriteAudited(ctx, s.db, s.sealer, r.Record,
		func(ctx context.Context, t db.Tx, _ *table.AuditFields) error {
			if err := replaceHash(ctx, t, r); err != nil {
				return err
			}
			if left, err = table.Charge(ctx, t, r.KeyID, r.Entries); err != nil || r.Keep == nil {
				return err
			}
			return keepReplacement(ctx, t, r, left)
		},
	)
	if err != nil {
		return ledger.Balance{}, fmt.Errorf("rotate API key: %w", err)
	}
	return left, nil
}

// replaceHash gives the key its new hash and the permissions it keeps. The row is
// read in the transaction: its permissions may have been changed since the request
// read the key.
func replaceHash(ctx context.Context, t db.Tx, r merchant.Replacement) error {
	now, err := db.First[merchant.Key](ctx, t, merchant.ErrBadKey, "SELECT permissions FROM api_keys "+
		"WHERE id = ? AND hash = ? AND revoked_at IS NULL"+t.ForUpdate(), r.KeyID, r.Old[:])
	if err != nil {
		return err
	}
	keeps := now.Permissions.Within(r.Most)
	if keeps.Empty() {
		return merchant.ErrNothingLeft
	}
	_, err = t.NewRaw("UPDATE api_keys SET hash = ?, permissions = ? WHERE id = ?", r.Next[:], keeps.String(),
		r.KeyID).Exec(ctx)
	return err
}

// keepReplacement finishes the request that replaced the key, and notes the
// old hash, by which the same request finds its answer when it comes again.
func keepReplacement(ctx context.Context, t db.Tx, r merchant.Replacement, left ledger.Balance) error {
	kept, err := r.Keep(left)
	if err != nil {
		return err
	}
	forget := db.Exec("DELETE FROM retired_keys WHERE retired_at <= ?", r.Now.Add(-idempotency.KeepFor)).AnyNumber()
	retire := db.Exec("INSERT INTO retired_keys (hash, key_id, retired_at) VALUES (?, ?, ?)", r.Old[:], r.KeyID, r.Now)
	if err := db.RunEach(ctx, t, []*db.Stmt{forget, retire}); err != nil {
		return err
	}
	return table.KeepAnswer(ctx, t, kept)
}

// RetiredAnswer returns what the request was answered that replaced the old
// key, and whose key it is; or merchant.ErrBadKey for any other request, so
// that it tells nothing to whoever cannot repeat that one to the letter.
func (s *Store) RetiredAnswer(
	ctx context.Context, old identity.Hash, name string, request idempotency.Hash, now time.Time,
) (keyID int64, a idempotency.Answer, err error) {
	var status int64
	find := db.Query(func(scan db.Scan) error { return scan(&keyID, &status, &a.Body) },
		"SELECT i.key_id, i.status, i.answer FROM retired_keys AS r JOIN idempotency AS i ON i.key_id = r.key_id "+
			"JOIN api_keys AS k ON k.id = r.key_id JOIN users AS u ON u.id = k.user_id "+
			"WHERE r.hash = ? AND i.key = ? AND i.request = ? AND i.created_at > ? AND i.finished_at IS NOT NULL "+
			"AND k.revoked_at IS NULL AND k.disabled_at IS NULL AND u.disabled_at IS NULL",
		old[:], name, request[:], now.Add(-idempotency.KeepFor))
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
