package merchant

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// Generated statements of the rows of an account.
var (
	keys = db.NewTable[merchant.Key]("api_keys", `
		number:  id
		fixed:   public_id user_id wallet created_at
		changes: hash label permissions sources confirmed currency zone revoked_at disabled_at
		read:    last_used_at`).Else(merchant.ErrUnknownKey)
	members = db.NewTable[merchant.Member]("memberships", `
		fixed:   merchant_id user_id=ID created_at=Since chosen_at=Since
		changes: role news`)
	invitations = db.NewTable[merchant.Invited]("team_invitations", `
		fixed:   public_id=ID merchant_id email role created_at
		changes: token invited_by=By expires_at ended_at`)
)

// Account reads an account, without a custodian.
func (s *Store) Account(ctx context.Context, by merchant.By) (a merchant.Account, err error) {
	id := by.ID
	if id == 0 {
		id, err = db.First[int64](ctx, s.db.Reader(), nil, `
			SELECT merchant_id FROM team_invitations WHERE token = ?0 AND ended_at IS NULL
			UNION ALL SELECT merchant_id FROM waiting_changes WHERE token = ?0 AND state = 'WAITING'`, by.Token[:])
	}
	if err == nil && id != 0 {
		a, err = s.loadAccount(ctx, s.db.Reader(), "", id)
	}
	return a, db.Wrap(err, "merchant account %d", id)
}

// Keys lists all keys that an account ever had, revoked ones last.
func (s *Store) Keys(ctx context.Context, id int64) ([]merchant.Key, error) {
	list, err := keysOf(ctx, s.db.Reader(), id)
	return list, db.Wrap(err, "keys of merchant account %d", id)
}

func keysOf(ctx context.Context, from bun.IDB, id int64) ([]merchant.Key, error) {
	return db.All[merchant.Key](ctx, from, selectKeys+"k.user_id = ?"+keysInOrder, id)
}

// loadAccount reads an account. The rows that others change without a lock of the account are locked.
func (s *Store) loadAccount(ctx context.Context, from bun.IDB, lock string, id int64) (merchant.Account, error) {
	a := merchant.Account{ID: id}
	var waiting []table.WaitingRow
	var locked struct{ Since time.Time }
	for _, load := range []func() error{
		func() (err error) {
			a.Founder, err = db.First[identity.User](ctx, from, nil, "SELECT * FROM users WHERE id = ?", id)
			return err
		},
		func() (err error) {
			a.Keys, err = keysOf(ctx, from, id)
			return err
		},
		func() (err error) {
			a.Members, err = db.All[merchant.Member](ctx, from, `SELECT u.*, m.merchant_id, m.role, m.news, m.created_at AS since
				FROM memberships AS m JOIN users AS u ON u.id = m.user_id WHERE m.merchant_id = ?
				ORDER BY m.role <> 'owner', u.email`, id)
			return err
		},
		func() (err error) {
			a.Invited, err = db.All[merchant.Invited](ctx, from, `SELECT * FROM team_invitations
				WHERE merchant_id = ? AND ended_at IS NULL ORDER BY created_at DESC, id DESC`+lock, id)
			return err
		},
		func() (err error) {
			waiting, err = db.All[table.WaitingRow](ctx, from, selectWaiting+"merchant_id = ? ORDER BY id"+lock, id)
			return err
		},
		func() (err error) {
			locked, err = db.First[struct{ Since time.Time }](ctx, from, nil,
				"SELECT since FROM wallet_locks WHERE merchant_id = ?", id)
			return err
		},
		func() (err error) {
			a.Chat, err = table.ReadChat(ctx, from, s.sealer, id)
			return err
		},
	} {
		if err := load(); err != nil {
			return merchant.Account{}, err
		}
	}
	a.LockedAt = locked.Since
	var err error
	a.Waiting, err = openWaiting(waiting)
	return a, err
}

// UpdateAccount locks the account, calls decide and writes its Change, all in one transaction.
func (s *Store) UpdateAccount(
	ctx context.Context, id, keyID int64, decide func(merchant.Account) (merchant.Change, error),
) (done merchant.Done, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		if err := table.LockUser(ctx, t, id); err != nil {
			return err
		}
		before, err := s.loadAccount(ctx, t, t.ForUpdate(), id)
		if err == nil && keyID != 0 {
			before.Custodian, err = s.lockCustodian(ctx, t, keyID)
		}
		if err != nil {
			return err
		}
		change, err := decide(before)
		if err != nil {
			return err
		}
		done, err = s.saveAccount(ctx, t, keyID, before, change)
		return err
	})
	if err != nil {
		return merchant.Done{}, fmt.Errorf("change merchant account %d: %w", id, err)
	}
	return done, nil
}

// saveAccount writes what was decided: users and keys first that others refer to, then every row that differs, what it
// costs, and what it leaves.
func (s *Store) saveAccount(
	ctx context.Context, t db.Tx, keyID int64, before merchant.Account, c merchant.Change,
) (done merchant.Done, err error) {
	a, fields := c.Account, table.AuditFields{}
	a.Keys, a.Members = slices.Clone(a.Keys), slices.Clone(a.Members)
	for i := range a.Members {
		if m := &a.Members[i]; m.ID == 0 {
			if err := table.InsertUser(ctx, t, &m.User); err != nil {
				return done, err
			}
			fields.User = m.ID
		}
	}
	for i := range a.Keys {
		if k := &a.Keys[i]; k.ID == 0 {
			if err := insertKey(ctx, t, k); err != nil {
				return done, err
			}
			keyID, before.Keys = k.ID, append(slices.Clip(before.Keys), *k)
		}
	}
	if err := s.saveRows(ctx, t, before, a); err != nil {
		return done, err
	}
	if a.Custodian, err = s.saveCustodian(ctx, t, before.Custodian, a.Custodian); err != nil {
		return done, err
	}
	if c.Logo != nil {
		err = storeLogo(ctx, t, keyID, *c.Logo, a.Custodian.UpdatedAt)
	}
	if err == nil && c.Campaign != nil {
		err = changeCampaign(ctx, t, a.ID, *c.Campaign)
	}
	if err != nil {
		return done, err
	}
	done.Account = a
	for _, k := range a.Keys {
		if k.ID == keyID {
			done.Key = k
		}
	}
	unchanged, err := s.settle(ctx, t, keyID, c, &done)
	if err != nil || unchanged {
		return done, err
	}
	if err := db.RunEach(ctx, t, table.InsertAudit(c.Record.Entries, fields)); err != nil {
		return done, err
	}
	return done, table.AddMails(ctx, t, s.sealer, c.Mails)
}

// settle posts what the change costs, and keeps the answer of its request. unchanged reports that the entries of a
// change that is made once were posted before.
func (s *Store) settle(
	ctx context.Context, t db.Tx, keyID int64, c merchant.Change, done *merchant.Done,
) (unchanged bool, err error) {
	if keyID == 0 {
		return false, nil
	}
	entries := slices.Clone(c.Entries)
	for i := range entries {
		for _, side := range []*ledger.Account{&entries[i].From, &entries[i].To} {
			if *side == ledger.Key(0) {
				*side = ledger.Key(keyID)
			}
		}
	}
	var before table.BalanceScan
	if err := t.Run(ctx, before.Read(keyID)); err != nil {
		return false, err
	}
	if done.Left, err = table.Charge(ctx, t, keyID, entries); err != nil {
		return false, err
	}
	var kept *idempotency.Kept
	if c.Keep != nil {
		kept, err = c.Keep(*done)
	}
	if err == nil {
		err = table.KeepAnswer(ctx, t, kept)
	}
	if err == nil && kept != nil && c.Retired != (identity.Hash{}) {
		err = retire(ctx, t, keyID, c.Retired, kept.At)
	}
	return c.Once && done.Left == before.Balance, err
}

// saveRows writes the rows that differ.
func (s *Store) saveRows(ctx context.Context, t db.Tx, before, after merchant.Account) error {
	old, err := s.waitingRows(before.Waiting)
	if err != nil {
		return err
	}
	waiting, err := s.waitingRows(after.Waiting)
	if err != nil {
		return err
	}
	writes := slices.Concat(
		keys.Save(before.Keys, after.Keys, "id"),
		members.Save(before.Members, after.Members, "merchant_id", "user_id"),
		invitations.Save(before.Invited, after.Invited, "public_id"),
		table.Waiting.Save(old, waiting, "public_id"),
	)
	switch was, is := !before.LockedAt.IsZero(), !after.LockedAt.IsZero(); {
	case is && !was:
		writes = append(writes, db.Exec("INSERT INTO wallet_locks (merchant_id, since) VALUES (?, ?)", after.ID,
			after.LockedAt))
	case was && !is:
		writes = append(writes, db.Exec("DELETE FROM wallet_locks WHERE merchant_id = ?", after.ID))
	}
	if before.Chat != after.Chat {
		writes = append(writes, table.SaveChat(s.sealer, after.ID, after.Chat)...)
	}
	return db.RunEach(ctx, t, writes)
}

// insertKey stores a new key with empty balances, and sets its ID.
func insertKey(ctx context.Context, t db.Tx, k *merchant.Key) error {
	if err := db.CheckTexts("texts of an API key", k.PublicID, k.Label, string(k.Wallet)); err != nil {
		return err
	}
	keys.AsStored(k)
	if err := keys.Into(t, " RETURNING id", *k).Scan(ctx, &k.ID); err != nil {
		return err
	}
	_, err := t.NewRaw("INSERT INTO balances (key_id, unit, balance) VALUES (?0, ?1, 0), (?0, ?2, 0)", k.ID,
		ledger.Credit, ledger.Query).Exec(ctx)
	return err
}

// retire keeps the old hash of a key, by which the same request finds its answer when it comes again.
func retire(ctx context.Context, t db.Tx, keyID int64, old identity.Hash, now time.Time) error {
	return db.RunEach(ctx, t, []*db.Stmt{
		db.Exec("DELETE FROM retired_keys WHERE retired_at <= ?", now.Add(-idempotency.KeepFor)).AnyNumber(),
		db.Exec("INSERT INTO retired_keys (hash, key_id, retired_at) VALUES (?, ?, ?)", old[:], keyID, now),
	})
}

// changeCampaign gives a campaign of the account's keys another of them, other texts, or both.
func changeCampaign(ctx context.Context, t db.Tx, merchantID int64, c merchant.CampaignChange) error {
	return db.One(ctx, t, keys.Missing, `UPDATE campaigns SET key_id = coalesce(?, key_id),
		title = coalesce(?, title), description = coalesce(?, description), updated_at = ? WHERE slug = ? AND key_id IN
		(SELECT id FROM api_keys WHERE user_id = ?)`, sql.Null[int64]{V: c.KeyID, Valid: c.KeyID != 0}, c.Title, c.Text,
		c.At, c.Slug, merchantID)
}
