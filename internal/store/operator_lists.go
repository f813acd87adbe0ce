package store

import (
	"context"
	"math"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/report"
)

// TopUps lists purchases of credits before the one given (0: from the newest),
// the newest first.
func (s *Store) TopUps(ctx context.Context, before int64, limit int) ([]report.TopUp, error) {
	var rows []struct {
		ID        int64
		PublicID  string
		Email     string
		Label     string
		Credits   int64
		Amount    int64
		Status    string
		Network   string
		Token     string
		Hash      string
		CreatedAt instant
	}
	// The kind is written out, or the index of top-ups alone could not be used.
	err := s.reader().NewRaw("SELECT p.id, p.public_id, u.email, k.label, p.credits, p.amount, p.status, p.network, p.token, p.hash, p.created_at "+
		"FROM payments AS p JOIN api_keys AS k ON k.id = p.key_id JOIN users AS u ON u.id = k.user_id "+
		"WHERE p.kind = 'TOPUP' AND p.id < ? ORDER BY p.id DESC LIMIT ?", beforeOrLast(before), limit).Scan(ctx, &rows)
	if err != nil {
		return nil, wrapIf(err, "list top-ups")
	}
	list := make([]report.TopUp, len(rows))
	for i, r := range rows {
		list[i] = report.TopUp{
			ID: r.ID, TxnID: payment.ID(r.PublicID), Email: r.Email, Label: r.Label, Credits: r.Credits, Amount: money.Micros(r.Amount),
			Status: payment.Status(r.Status), Network: chain.Network(r.Network), Token: money.Token(r.Token), Hash: chain.TxHash(r.Hash), CreatedAt: r.CreatedAt.Time,
		}
	}
	return list, nil
}

// beforeOrLast is the number a page ends before.
func beforeOrLast(before int64) int64 {
	if before <= 0 {
		return math.MaxInt64
	}
	return before
}

// sweepLineRow is a sweep as lists show it.
type sweepLineRow struct {
	ID        int64
	PublicID  string
	Network   string
	State     string
	Pots      int64
	Moved     int64
	Attempts  int64
	TxHash    string
	Paid      string
	Note      string
	CreatedAt instant
	EndedAt   instant
}

const selectSweepLines = "SELECT s.id, s.public_id, s.network, s.state, (SELECT count(*) FROM sweep_items AS i WHERE i.sweep_id = s.id) AS pots, s.moved, " +
	"(SELECT count(*) FROM sweep_attempts AS a WHERE a.sweep_id = s.id) AS attempts, s.tx_hash, s.paid, s.note, s.created_at, s.ended_at FROM sweeps AS s "

func sweepLines(rows []sweepLineRow) ([]report.SweepLine, error) {
	list := make([]report.SweepLine, len(rows))
	for i, r := range rows {
		paid, err := money.ParseUnits(r.Paid)
		if err != nil {
			return nil, wrapIf(err, "sweep %s", r.PublicID)
		}
		list[i] = report.SweepLine{
			Number: r.ID, ID: r.PublicID, Network: chain.Network(r.Network), State: r.State, Pots: r.Pots, Moved: r.Moved, Attempts: r.Attempts,
			Tx: chain.TxHash(r.TxHash), Paid: paid, Note: r.Note, CreatedAt: r.CreatedAt.Time, EndedAt: r.EndedAt.Time,
		}
	}
	return list, nil
}

// SweepLines lists the transactions of settlement before the one given (0: from
// the newest), the newest first.
func (s *Store) SweepLines(ctx context.Context, before int64, limit int) ([]report.SweepLine, error) {
	var rows []sweepLineRow
	err := s.reader().NewRaw(selectSweepLines+"WHERE s.id < ? ORDER BY s.id DESC LIMIT ?", beforeOrLast(before), limit).Scan(ctx, &rows)
	if err != nil {
		return nil, wrapIf(err, "list sweeps")
	}
	return sweepLines(rows)
}

// Trouble lists what waits for a person, or has waited longer than it should
// at now, all as one moment knows it. Deposits below dust wait for more to come.
func (s *Store) Trouble(ctx context.Context, now time.Time, dust money.Micros) (report.Trouble, error) {
	var all report.Trouble
	err := s.db.Snapshot(ctx, func(ctx context.Context, t tx) error {
		var found report.Trouble
		for _, part := range []func() error{
			func() (err error) { found.Deliveries, err = lateDeliveries(ctx, t, now); return err },
			func() (err error) { found.Sweeps, err = lateSweeps(ctx, t, now); return err },
			func() (err error) { found.Deposits, err = leftDeposits(ctx, t, now, dust); return err },
			func() (err error) { found.Reorged, err = reorged(ctx, t); return err },
			func() (err error) { found.Recharges, err = lateRecharges(ctx, t, now); return err },
		} {
			if err := part(); err != nil {
				return err
			}
		}
		all = found
		return nil
	})
	return all, wrapIf(err, "list trouble")
}

func lateDeliveries(ctx context.Context, t tx, now time.Time) ([]report.LateDelivery, error) {
	var rows []struct {
		PublicID string
		Email    string
		Type     string
		Attempt  int64
		DueAt    instant
	}
	err := t.NewRaw("SELECT p.public_id, u.email, e.type, d.attempt, d.due_at FROM deliveries AS d "+
		"JOIN payments AS p ON p.id = d.payment_id JOIN events AS e ON e.payment_id = d.payment_id AND e.seq = d.seq "+
		"JOIN api_keys AS k ON k.id = p.key_id JOIN users AS u ON u.id = k.user_id "+
		"WHERE d.state = 'WAITING' AND d.due_at < ? ORDER BY d.due_at LIMIT ?", db.At(now.Add(-lateDelivery)), report.MaxTrouble).Scan(ctx, &rows)
	list := make([]report.LateDelivery, len(rows))
	for i, r := range rows {
		list[i] = report.LateDelivery{TxnID: payment.ID(r.PublicID), Email: r.Email, Type: payment.EventType(r.Type), Made: r.Attempt, DueAt: r.DueAt.Time}
	}
	return list, err
}

func lateRecharges(ctx context.Context, t tx, now time.Time) ([]report.LateRecharge, error) {
	var rows []struct {
		Email     string
		Units     int64
		Network   string
		TxHash    string
		CreatedAt instant
	}
	err := t.NewRaw("SELECT u.email, r.units, r.network, r.tx_hash, r.created_at FROM recharges AS r "+
		"JOIN api_keys AS k ON k.id = r.key_id JOIN users AS u ON u.id = k.user_id "+
		"WHERE r.look_at < ? ORDER BY r.look_at LIMIT ?", db.At(now.Add(-lateRecharge)), report.MaxTrouble).Scan(ctx, &rows)
	list := make([]report.LateRecharge, len(rows))
	for i, r := range rows {
		list[i] = report.LateRecharge{Email: r.Email, Units: r.Units, Network: chain.Network(r.Network), Tx: chain.TxHash(r.TxHash), CreatedAt: r.CreatedAt.Time}
	}
	return list, err
}

func lateSweeps(ctx context.Context, t tx, now time.Time) ([]report.SweepLine, error) {
	var rows []sweepLineRow
	err := t.NewRaw(selectSweepLines+"WHERE s.ended_at IS NULL AND s.created_at < ? ORDER BY s.created_at LIMIT ?",
		db.At(now.Add(-lateSweep)), report.MaxTrouble).Scan(ctx, &rows)
	if err != nil {
		return nil, err
	}
	return sweepLines(rows)
}

// leftDeposits are final and not swept: at once where the payer was not shown
// that network for the address, so that no sweep takes them, or where a sweep
// could not move them; otherwise after a day. It reads what is not swept, which
// is little.
func leftDeposits(ctx context.Context, t tx, now time.Time, dust money.Micros) ([]report.LeftDeposit, error) {
	var rows []struct {
		PublicID string
		Email    string
		Network  string
		Chosen   bool
		Token    string
		Symbol   string
		Decimals int
		Units    string
		Contract string
		FinalAt  instant
		Blocked  instant
		Reason   string
	}
	err := t.NewRaw("SELECT p.public_id, u.email, d.network, r.id IS NOT NULL AS chosen, d.token, d.symbol, d.decimals, d.units, d.contract, d.final_at, "+
		"pot.blocked_until AS blocked, coalesce(pot.reason, '') AS reason FROM deposits AS d JOIN payments AS p ON p.id = d.payment_id "+
		"JOIN api_keys AS k ON k.id = p.key_id JOIN users AS u ON u.id = k.user_id "+
		"LEFT JOIN routes AS r ON r.payment_id = d.payment_id AND r.network = d.network AND r.address = d.to_address "+
		"LEFT JOIN pots AS pot ON pot.network = d.network AND pot.address = d.to_address AND pot.contract = d.contract "+
		"WHERE d.network IN (?) AND d.swept_at IS NULL AND d.state = 'FINAL' AND "+aboutUSD+" >= ? AND (r.id IS NULL OR pot.blocked_until > ? OR d.final_at < ?) "+
		"ORDER BY d.final_at LIMIT ?", bun.List(chain.Networks()), usd(dust), db.At(now), db.At(now.Add(-day)), report.MaxTrouble).Scan(ctx, &rows)
	if err != nil {
		return nil, err
	}
	list := make([]report.LeftDeposit, len(rows))
	for i, r := range rows {
		units, err := money.ParseUnits(r.Units)
		if err != nil {
			return nil, err
		}
		list[i] = report.LeftDeposit{
			TxnID: payment.ID(r.PublicID), Email: r.Email, Network: chain.Network(r.Network), Chosen: r.Chosen, Counted: r.Token != "", Symbol: r.Symbol,
			Amount: units.Format(r.Decimals), FinalAt: r.FinalAt.Time, Blocked: r.Blocked.Time, Reason: r.Reason, Contract: chain.Address(r.Contract),
		}
	}
	return list, nil
}

func reorged(ctx context.Context, t tx) ([]report.ReorgedPayment, error) {
	var rows []struct {
		ID       int64
		PublicID string
		Email    string
		Amount   int64
		Network  string
		Hash     string
		EndedAt  instant
	}
	err := t.NewRaw("SELECT p.id, p.public_id, u.email, p.amount, p.network, p.hash, p.ended_at FROM payments AS p "+
		"JOIN api_keys AS k ON k.id = p.key_id JOIN users AS u ON u.id = k.user_id WHERE p.reorged ORDER BY p.id DESC LIMIT ?", report.MaxTrouble).Scan(ctx, &rows)
	list := make([]report.ReorgedPayment, len(rows))
	for i, r := range rows {
		list[i] = report.ReorgedPayment{
			Number: r.ID, TxnID: payment.ID(r.PublicID), Email: r.Email, Amount: money.Micros(r.Amount), Network: chain.Network(r.Network),
			Hash: chain.TxHash(r.Hash), EndedAt: r.EndedAt.Time,
		}
	}
	return list, err
}
