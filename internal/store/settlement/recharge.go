package settlement

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/recharge"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// rechargeRow is a purchase of query units.
type rechargeRow struct {
	bun.BaseModel `bun:"table:recharges,alias:r"`

	ID          int64 `bun:",pk,autoincrement"`
	PublicID    string
	KeyID       int64
	Units       int64
	Network     string
	Contract    string
	Symbol      string
	Decimals    int64
	Token       string
	Wallet      string
	Treasury    string
	Amount      string
	TxHash      string
	Raw         []byte
	Nonce       int64
	State       string
	Note        string
	BlockNumber int64
	BlockHash   string
	BlockTime   db.Instant
	CreatedAt   db.Instant
	SentAt      db.Instant
	LookAt      db.Instant
	EndedAt     db.Instant
}

func rowOfRecharge(r recharge.Recharge) (rechargeRow, error) {
	if r.ID == "" || r.Units < 1 || len(r.Bytes.Raw) == 0 || r.Bytes.Tx == "" || r.Bytes.Nonce > math.MaxInt64 {
		return rechargeRow{}, fmt.Errorf("recharge %q makes no sense", r.ID)
	}
	block, err := table.BlockNumber(r.Block)
	if err != nil {
		return rechargeRow{}, err
	}
	t := r.Transfer
	return rechargeRow{
		PublicID: string(r.ID), KeyID: r.KeyID, Units: r.Units,
		Network: string(t.Asset.Network), Contract: string(t.Asset.Contract), Symbol: db.Shown(t.Asset.Symbol),
		Decimals: int64(t.Asset.Decimals),
		Token:    string(t.Asset.Token), Wallet: string(t.From), Treasury: string(t.To), Amount: t.Amount.String(),
		TxHash: string(r.Bytes.Tx), Raw: r.Bytes.Raw, Nonce: int64(r.Bytes.Nonce), State: string(r.State),
		Note:        db.Shown(r.Note),
		BlockNumber: block, BlockHash: r.Block.Hash, BlockTime: db.At(r.Block.Time),
		CreatedAt: db.At(r.CreatedAt), SentAt: db.At(r.SentAt), LookAt: db.At(r.LookAt), EndedAt: db.At(r.EndedAt),
	}, nil
}

func (r rechargeRow) recharge() (recharge.Recharge, error) {
	amount, err := money.ParseUnits(r.Amount)
	if err != nil {
		return recharge.Recharge{}, fmt.Errorf("amount of recharge %s: %w", r.PublicID, err)
	}
	return recharge.Recharge{
		ID: recharge.ID(r.PublicID), KeyID: r.KeyID, Units: r.Units,
		Transfer: chain.TokenTransfer{
			Asset: chain.Asset{
				Network: chain.Network(
					r.Network,
				), Contract: chain.Address(r.Contract), Symbol: r.Symbol, Decimals: int(r.Decimals),
				Token: money.Token(r.Token),
			},
			From: chain.Address(r.Wallet), To: chain.Address(r.Treasury), Amount: amount,
		},
		Bytes: chain.SignedTx{Tx: chain.TxHash(r.TxHash), Raw: r.Raw, Nonce: uint64(r.Nonce)},
		State: recharge.State(r.State), Note: r.Note, Block: table.Block(r.BlockNumber, r.BlockHash, r.BlockTime),
		CreatedAt: r.CreatedAt.Time, SentAt: r.SentAt.Time, LookAt: r.LookAt.Time, EndedAt: r.EndedAt.Time,
	}, nil
}

// CreateRecharge stores a signed recharge, or fails with recharge.ErrBusy if
// one of the same wallet is in flight.
func (s *Store) CreateRecharge(ctx context.Context, r recharge.Recharge, trail ...audit.Entry) error {
	row, err := rowOfRecharge(r)
	if err != nil || r.State != recharge.Signed {
		return cmp.Or[error](err, fmt.Errorf("create recharge %s: it is not signed", r.ID))
	}
	// Which transaction it is was not known before it was signed.
	err = table.WriteAudited(ctx, s.db, nil, audit.Record{Entries: trail},
		func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
			*a = table.AuditFields{Detail: ", " + string(r.Bytes.Tx)}
			if _, err := t.NewInsert().Model(&row).Exec(ctx); err != nil {
				if db.IsDuplicate(err) {
					return recharge.ErrBusy
				}
				return err
			}
			return nil
		})
	return db.Wrap(err, "create recharge %s", r.ID)
}

// Recharge returns the recharge of the id, or recharge.ErrUnknown.
func (s *Store) Recharge(ctx context.Context, id recharge.ID) (recharge.Recharge, error) {
	list, err := s.recharges(ctx, "WHERE public_id = ?", string(id))
	if err == nil && len(list) == 0 {
		err = recharge.ErrUnknown
	}
	if err != nil {
		return recharge.Recharge{}, fmt.Errorf("recharge %s: %w", id, err)
	}
	return list[0], nil
}

// RechargeOf returns the wallet's recharge in flight; ok is false without one.
func (s *Store) RechargeOf(ctx context.Context, wallet chain.Address) (r recharge.Recharge, ok bool, err error) {
	list, err := s.recharges(ctx, "WHERE wallet = ? AND state = 'SIGNED'", string(wallet))
	if err != nil || len(list) == 0 {
		return recharge.Recharge{}, false, db.Wrap(err, "recharge of wallet %s", wallet)
	}
	return list[0], true, nil
}

// OpenRecharges counts recharges in flight.
func (s *Store) OpenRecharges(ctx context.Context) (n int64, err error) {
	err = s.db.Reader().NewRaw("SELECT count(*) FROM recharges WHERE state = 'SIGNED'").Scan(ctx, &n)
	return n, db.Wrap(err, "count recharges in flight")
}

// DueRecharges lists recharges whose next check is due, the longest due first. One that cannot be read is left out and
// named in the error, beside the others: it takes nothing of the limit, so that many of them hold up no other.
func (s *Store) DueRecharges(ctx context.Context, now time.Time, limit int) ([]recharge.Recharge, error) {
	var due []recharge.Recharge
	var unread []error
	for offset := 0; len(due) < limit; offset += limit {
		rows, err := s.rechargeRows(ctx, "WHERE look_at IS NOT NULL AND look_at <= ? ORDER BY look_at, id LIMIT ? OFFSET ?",
			db.At(now), limit, offset)
		if err != nil {
			return nil, db.Wrap(err, "recharges that are due")
		}
		for _, row := range rows {
			r, err := row.recharge()
			if err != nil {
				unread = append(unread, err)
				continue
			}
			due = append(due, r)
		}
		if len(rows) < limit {
			break
		}
	}
	return due[:min(len(due), limit)], errors.Join(unread...)
}

func (s *Store) rechargeRows(ctx context.Context, where string, args ...any) ([]rechargeRow, error) {
	var rows []rechargeRow
	err := s.db.Reader().NewRaw("SELECT * FROM recharges "+where, args...).Scan(ctx, &rows)
	return rows, err
}

func (s *Store) recharges(ctx context.Context, where string, args ...any) ([]recharge.Recharge, error) {
	rows, err := s.rechargeRows(ctx, where, args...)
	if err != nil {
		return nil, err
	}
	list := make([]recharge.Recharge, len(rows))
	for i, row := range rows {
		if list[i], err = row.recharge(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// UpdateRecharge locks the recharge, calls decide and stores its change with
// the entries it posts. decide may run again, so it must have no effects.
func (s *Store) UpdateRecharge(
	ctx context.Context, id recharge.ID, decide func(recharge.Recharge) recharge.Change,
) (after recharge.Recharge, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		var rows []rechargeRow
		if err := t.NewRaw("SELECT * FROM recharges WHERE public_id = ?"+t.ForUpdate(), string(id)).Scan(ctx,
			&rows); err != nil {
			return err
		}
		if len(rows) == 0 {
			return recharge.ErrUnknown
		}
		before, err := rows[0].recharge()
		if err != nil {
			return err
		}
		change := decide(before)
		after = change.Recharge
		row, err := rowOfRecharge(after)
		if err != nil {
			return err
		}
		if row.PublicID != rows[0].PublicID || row.TxHash != rows[0].TxHash || row.KeyID != rows[0].KeyID ||
			row.Units != rows[0].Units ||
			recharge.State(rows[0].State).Over() && row.State != rows[0].State {
			return fmt.Errorf("a decision changed what is fixed of recharge %s", id)
		}
		if err := table.Post(ctx, t, change.Entries); err != nil {
			return err
		}
		_, err = t.NewRaw("UPDATE recharges SET state = ?, note = ?, block_number = ?, block_hash = ?, block_time = ?, "+
			"sent_at = ?, look_at = ?, ended_at = ? WHERE id = ?", row.State, row.Note, row.BlockNumber, row.BlockHash,
			row.BlockTime,
			row.SentAt, row.LookAt, row.EndedAt, rows[0].ID).Exec(ctx)
		return err
	})
	return after, db.Wrap(err, "change recharge %s", id)
}
