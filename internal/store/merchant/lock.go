package merchant

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

const selectWaiting = "SELECT public_id, merchant_id, coalesce(key_id, 0) AS key_id, kind, subject, body, changes, actor, " +
	"created_at, due_at, attempts FROM waiting_changes WHERE state = 'WAITING' AND "

func (s *Store) waitingRows(ctx context.Context, where string, args ...any) ([]table.WaitingRow, error) {
	rows, err := db.All[table.WaitingRow](ctx, s.db.Reader(), selectWaiting+where, args...)
	return rows, db.Wrap(err, "changes that wait")
}

func (s *Store) readWaiting(ctx context.Context, where string, args ...any) ([]merchant.Waiting, error) {
	rows, err := s.waitingRows(ctx, where, args...)
	if err != nil {
		return nil, err
	}
	list := make([]merchant.Waiting, len(rows))
	for i, r := range rows {
		if list[i], err = r.Open(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Locked reports whether the owners locked where the merchant's money goes.
func (s *Store) Locked(ctx context.Context, merchantID int64) (bool, error) {
	var n int
	err := s.db.Reader().NewRaw("SELECT count(*) FROM wallet_locks WHERE merchant_id = ?", merchantID).Scan(ctx, &n)
	return n > 0, db.Wrap(err, "lock of merchant %d", merchantID)
}

// Lock locks where the merchant's money goes, and ends open invitations that would
// make an owner. A second lock changes nothing.
func (s *Store) Lock(ctx context.Context, merchantID int64, now time.Time, r audit.Record) error {
	err := table.WriteAudited(ctx, s.db, s.sealer, r,
		func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
			if err := table.LockUser(ctx, t, merchantID); err != nil {
				return err
			}
			res, err := t.NewRaw("INSERT INTO wallet_locks (merchant_id, since) VALUES (?, ?) ON CONFLICT (merchant_id) DO NOTHING",
				merchantID, now).Exec(ctx)
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			a.Unchanged = n == 0
			if err != nil || a.Unchanged {
				return err
			}
			return endInvited(ctx, t, "merchant_id = ? AND role = 'owner'", now, merchantID)
		})
	return db.Wrap(err, "lock merchant %d", merchantID)
}

// AddWaiting stores a change that waits, or fails with merchant.ErrChangeWaits if one
// of the same kind waits for the same key or campaign.
func (s *Store) AddWaiting(
	ctx context.Context, w merchant.Waiting, token identity.Hash, r audit.Record,
) error {
	changes, err := json.Marshal(w.Changes)
	if err != nil {
		return err
	}
	err = table.WriteAudited(ctx, s.db, s.sealer, r,
		func(ctx context.Context, t db.Tx, _ *table.AuditFields) error {
			if err := table.LockUser(ctx, t, w.MerchantID); err != nil {
				return err
			}
			var same int
			err := t.NewRaw("SELECT count(*) FROM waiting_changes WHERE state = 'WAITING' AND merchant_id = ? AND kind = ? "+
				"AND subject = ? AND (coalesce(key_id, 0) = ? OR kind = 'campaign')", w.MerchantID, string(w.Kind),
				w.Subject, w.KeyID).Scan(ctx, &same)
			if err != nil || same > 0 {
				return cmp.Or[error](err, merchant.ErrChangeWaits)
			}
			var key any
			if w.KeyID != 0 {
				key = w.KeyID
			}
			_, err = t.NewRaw("INSERT INTO waiting_changes (public_id, token, merchant_id, key_id, kind, subject, body, changes, "+
				"author_id, actor, created_at, due_at, next_at, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, "+
				"(SELECT id FROM users WHERE email = ?), ?, ?, ?, ?, 'WAITING')", w.ID, token[:],
				w.MerchantID, key, string(w.Kind), w.Subject,
				s.sealer.Seal(table.WaitingPlace(w.ID), w.Body), string(changes),
				w.By, w.By, w.CreatedAt, w.DueAt, w.DueAt).Exec(ctx)
			return err
		})
	return db.Wrap(err, "store a change that waits")
}

// WaitingOf lists the changes of the merchant that wait, the oldest first.
func (s *Store) WaitingOf(ctx context.Context, merchantID int64) ([]merchant.Waiting, error) {
	return s.readWaiting(ctx, "merchant_id = ? ORDER BY id", merchantID)
}

// WaitingBy returns the change that the token stops, or merchant.ErrNoChange.
func (s *Store) WaitingBy(ctx context.Context, token identity.Hash) (merchant.Waiting, error) {
	list, err := s.readWaiting(ctx, "token = ?", token[:])
	if err != nil || len(list) == 0 {
		return merchant.Waiting{}, cmp.Or[error](err, merchant.ErrNoChange)
	}
	return list[0], nil
}

// DueWaiting returns changes that are due at now, the longest due first, with their input, or with why it cannot be
// read.
func (s *Store) DueWaiting(ctx context.Context, now time.Time, limit int) ([]merchant.Waiting, error) {
	rows, err := s.waitingRows(ctx, "next_at <= ? ORDER BY next_at, id LIMIT ?", db.From(now), limit)
	if err != nil {
		return nil, err
	}
	due := make([]merchant.Waiting, len(rows))
	for i, r := range rows {
		w, err := r.Open()
		if err == nil {
			w.Body, err = s.sealer.Open(table.WaitingPlace(r.ID), r.Sealed)
		}
		w.Unread = db.Wrap(err, "input of the change %s", r.ID)
		due[i] = w
	}
	return due, nil
}

// PostponeWaiting stores that a change could not be made, and when it is tried again. One that has ended stays so.
func (s *Store) PostponeWaiting(ctx context.Context, id string, next time.Time) error {
	_, err := db.WriteOne(ctx, s.db, "UPDATE waiting_changes SET next_at = ?, attempts = attempts + 1 "+
		"WHERE public_id = ? AND state = 'WAITING'", next, id)
	return db.Wrap(err, "postpone the change %s", id)
}

// endWaiting ends a change that waits, or fails with merchant.ErrNoChange.
func endWaiting(ctx context.Context, t db.Tx, state string, now time.Time, where string, args ...any) error {
	return db.One(ctx, t, merchant.ErrNoChange, "UPDATE waiting_changes SET state = ?, ended_at = ? WHERE state = 'WAITING' AND "+where,
		append([]any{state, now}, args...)...)
}

// StopWaiting stops a change of the merchant, or fails with merchant.ErrNoChange.
func (s *Store) StopWaiting(
	ctx context.Context, merchantID int64, id string, now time.Time, r audit.Record,
) error {
	if !db.Storable(id) {
		return merchant.ErrNoChange
	}
	err := table.WriteAudited(ctx, s.db, s.sealer, r,
		func(ctx context.Context, t db.Tx, _ *table.AuditFields) error {
			return endWaiting(ctx, t, "STOPPED", now, "merchant_id = ? AND public_id = ?", merchantID, id)
		})
	return db.Wrap(err, "stop a change")
}

// FailWaiting ends a change that cannot be made, or fails with merchant.ErrNoChange.
func (s *Store) FailWaiting(ctx context.Context, id string, now time.Time, r audit.Record) error {
	err := table.WriteAudited(ctx, s.db, s.sealer, r,
		func(ctx context.Context, t db.Tx, _ *table.AuditFields) error {
			return endWaiting(ctx, t, "FAILED", now, "public_id = ?", id)
		})
	return db.Wrap(err, "end a change that cannot be made")
}

// ApplyWaiting makes a change that is due, in the transaction that ends it; or fails
// with merchant.ErrNoChange if it was stopped or made. fresh is the custodian of a key
// that has none yet. decide may run again, so it must have no effects.
func (s *Store) ApplyWaiting(
	ctx context.Context, w merchant.Waiting, now time.Time, fresh merchant.Custodian,
	decide func(merchant.Custodian) (merchant.CustodianChange, error),
) error {
	to, err := w.Settings()
	if err != nil {
		return err
	}
	err = table.WriteAudited(ctx, s.db, s.sealer, audit.Record{},
		func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
			err := endWaiting(ctx, t, "MADE", now, "public_id = ? AND due_at <= ?", w.ID, now)
			if err == nil {
				err = requireAuthor(ctx, t, w)
			}
			if err != nil {
				return err
			}
			switch w.Kind {
			case merchant.WaitingCustodian, merchant.WaitingShown, merchant.WaitingSigning:
				a.More, err = s.applyCustodian(ctx, t, w.KeyID, fresh, decide)
				if err == nil && to.Logo != nil {
					err = storeLogo(ctx, t, w.KeyID, *to.Logo, now)
				}
				return err
			case merchant.WaitingCampaign:
				err = changeCampaign(ctx, t, w, to, now)
			case merchant.WaitingRotation:
				err = replaceHash(ctx, t, merchant.Replacement{
					KeyID: w.KeyID, Old: to.Old, Next: to.Next, Most: merchant.RoleOwner.Permissions(),
				})
			case merchant.WaitingPaid: // it is completed
			case merchant.WaitingUnlock:
				_, err = t.NewRaw("DELETE FROM wallet_locks WHERE merchant_id = ?", w.MerchantID).Exec(ctx)
			case merchant.WaitingRights:
				err = applyRights(ctx, t, w, to)
			case merchant.WaitingRole:
				err = s.changeMember(ctx, t, now, w.MerchantID, "UPDATE memberships SET role = ? WHERE merchant_id = ? AND user_id = "+
					"(SELECT id FROM users WHERE public_id = ?)", string(to.Role), w.MerchantID, w.Subject)
			case merchant.WaitingRemoval:
				err = s.changeMember(ctx, t, now, w.MerchantID, "DELETE FROM memberships WHERE merchant_id = ? AND user_id = "+
					"(SELECT id FROM users WHERE public_id = ?)", w.MerchantID, w.Subject)
			default:
				err = merchant.ErrNoChange
			}
			if err != nil {
				return err
			}
			change, err := decide(merchant.Custodian{})
			a.More = change.Record
			return err
		})
	return db.Wrap(err, "make the change %s", w.ID)
}

// requireAuthor fails with merchant.ErrAuthorGone unless who asked for the change is an owner still, and not disabled.
func requireAuthor(ctx context.Context, t bun.IDB, w merchant.Waiting) error {
	var owners int
	err := t.NewRaw("SELECT count(*) FROM waiting_changes AS w JOIN memberships AS m ON m.merchant_id = w.merchant_id "+
		"AND m.user_id = w.author_id JOIN users AS u ON u.id = m.user_id "+
		"WHERE w.public_id = ? AND m.role = ? AND u.disabled_at IS NULL", w.ID, string(merchant.RoleOwner)).Scan(ctx, &owners)
	if err == nil && owners == 0 {
		err = merchant.ErrAuthorGone
	}
	return err
}

// CheckAuthor fails with merchant.ErrAuthorGone unless who asked for the change may make it still, and with
// merchant.ErrNoChange if it does not wait any more.
func (s *Store) CheckAuthor(ctx context.Context, w merchant.Waiting) error {
	list, err := s.readWaiting(ctx, "public_id = ?", w.ID)
	if err != nil || len(list) == 0 {
		return cmp.Or[error](err, merchant.ErrNoChange)
	}
	return db.Wrap(requireAuthor(ctx, s.db.Reader(), w), "the author of the change %s", w.ID)
}

// applyCustodian changes the custodian of the key, or makes it.
func (s *Store) applyCustodian(
	ctx context.Context, t db.Tx, keyID int64, fresh merchant.Custodian,
	decide func(merchant.Custodian) (merchant.CustodianChange, error),
) (audit.Record, error) {
	before, err := s.lockCustodian(ctx, t, keyID)
	if errors.Is(err, merchant.ErrNoCustodian) {
		change, err := decide(fresh)
		if err == nil {
			_, err = s.insertCustodian(ctx, t, change.Custodian)
		}
		return change.Record, err
	}
	if err != nil {
		return audit.Record{}, err
	}
	change, err := decide(before)
	if err == nil {
		err = s.saveCustodian(ctx, t, before, change.Custodian)
	}
	return change.Record, err
}

// applyRights sets what a key of the merchant may do, and from where.
func applyRights(ctx context.Context, t db.Tx, w merchant.Waiting, to merchant.NewSettings) error {
	return db.One(ctx, t, merchant.ErrUnknownKey, "UPDATE api_keys SET permissions = ?, sources = ?, confirmed = ? WHERE id = ? AND user_id = ? "+
		"AND revoked_at IS NULL", to.Permissions.String(), string(to.Sources), true, w.KeyID, w.MerchantID)
}

// changeCampaign gives a campaign of the merchant's keys another of them, other texts, or both.
func changeCampaign(ctx context.Context, t db.Tx, w merchant.Waiting, to merchant.NewSettings, now time.Time) error {
	return db.One(ctx, t, merchant.ErrUnknownKey, "UPDATE campaigns SET key_id = coalesce(?, key_id), title = coalesce(?, title), "+
		"description = coalesce(?, description), updated_at = ? WHERE slug = ? AND key_id IN "+
		"(SELECT id FROM api_keys WHERE user_id = ?)", sql.Null[int64]{V: w.KeyID, Valid: w.KeyID != 0}, to.Title, to.Text,
		now, w.Subject, w.MerchantID)
}
