package settlement

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/recharge"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

var recharges = db.NewTable[rechargeRow]("recharges", `
	number:  id=Number
	fixed:   public_id=ID key_id units network=Transfer.Asset.Network contract=Transfer.Asset.Contract symbol=Transfer.Asset.Symbol
	         decimals=Transfer.Asset.Decimals token=Transfer.Asset.Token wallet=Transfer.From treasury=Transfer.To amount
	         tx_hash=Bytes.Tx raw=Bytes.Raw nonce=Bytes.Nonce created_at
	changes: state note block_number=Block.Number block_hash=Block.Hash block_time=Block.Time sent_at look_at ended_at`).Else(recharge.ErrUnknown)

// rechargeRow is a purchase of query units. Its amount is read last: one that cannot be read holds up no other.
type rechargeRow struct {
	recharge.Recharge

	Number int64
	Amount string
}

func rowOfRecharge(r recharge.Recharge) (rechargeRow, error) {
	if r.ID == "" || r.Units < 1 || len(r.Bytes.Raw) == 0 || r.Bytes.Tx == "" || r.Bytes.Nonce > math.MaxInt64 {
		return rechargeRow{}, fmt.Errorf("recharge %q makes no sense", r.ID)
	}
	_, err := table.BlockNumber(r.Block)
	r.Transfer.Asset.Symbol, r.Note = db.Shown(r.Transfer.Asset.Symbol), db.Shown(r.Note)
	return rechargeRow{Recharge: r, Amount: r.Transfer.Amount.String()}, err
}

func (r rechargeRow) recharge() (_ recharge.Recharge, err error) {
	r.Transfer.Amount, err = money.ParseUnits(r.Amount)
	return r.Recharge, db.Wrap(err, "amount of recharge %s", r.ID)
}

// CreateRecharge stores a signed recharge, the only one of its wallet that is in flight.
func (s *Store) CreateRecharge(ctx context.Context, r recharge.Recharge, record audit.Record) error {
	row, err := rowOfRecharge(r)
	if err != nil || r.State != recharge.Signed {
		return cmp.Or[error](err, fmt.Errorf("create recharge %s: it is not signed", r.ID))
	}
	err = table.WriteAudited(ctx, s.db, nil, record, func(ctx context.Context, t db.Tx, _ *table.AuditFields) error {
		_, err := recharges.Into(t, "", row).Exec(ctx)
		if db.IsDuplicate(err) {
			return recharge.ErrBusy
		}
		return err
	})
	return db.Wrap(err, "create recharge %s", r.ID)
}

// Recharge returns the recharge of the id.
func (s *Store) Recharge(ctx context.Context, id recharge.ID) (recharge.Recharge, error) {
	list, err := s.recharges(ctx, "WHERE public_id = ?", id)
	if err == nil && len(list) == 0 {
		err = recharges.Missing
	}
	if err != nil {
		return recharge.Recharge{}, fmt.Errorf("recharge %s: %w", id, err)
	}
	return list[0], nil
}

// RechargeOf returns the wallet's recharge in flight; ok is false without one.
func (s *Store) RechargeOf(ctx context.Context, wallet chain.Address) (r recharge.Recharge, ok bool, err error) {
	list, err := s.recharges(ctx, "WHERE wallet = ? AND state = 'SIGNED'", wallet)
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
			now, limit, offset)
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
	return db.All[rechargeRow](ctx, s.db.Reader(), "SELECT * FROM recharges "+where, args...)
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

var updateRecharge = recharges.Update("id")

// UpdateRecharge locks the recharge, calls decide and stores its change with
// the entries it posts. decide may run again, so it must have no effects.
func (s *Store) UpdateRecharge(
	ctx context.Context, id recharge.ID, decide func(recharge.Recharge) recharge.Change,
) (after recharge.Recharge, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		stored, err := recharges.First(ctx, t, "SELECT * FROM recharges WHERE public_id = ?"+t.ForUpdate(), id)
		if err != nil {
			return err
		}
		before, err := stored.recharge()
		if err != nil {
			return err
		}
		change := decide(before)
		after = change.Recharge
		row, err := rowOfRecharge(after)
		if err != nil {
			return err
		}
		if row.ID != before.ID || row.Bytes.Tx != before.Bytes.Tx || row.KeyID != before.KeyID ||
			row.Units != before.Units || before.State.Over() && row.State != before.State {
			return fmt.Errorf("a decision changed what is fixed of recharge %s", id)
		}
		if err := table.Post(ctx, t, change.Entries); err != nil {
			return err
		}
		return t.Run(ctx, updateRecharge.With(recharges.Changes(&row, stored.Number)...))
	})
	return after, db.Wrap(err, "change recharge %s", id)
}
