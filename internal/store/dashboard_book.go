package store

import (
	"context"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/store/report"
)

// Entries lists the book of a key before the entry given (0: from the newest),
// the newest first.
func (s *Store) Entries(ctx context.Context, keyID, before int64, limit int) ([]report.Entry, error) {
	own, page, args := string(ledger.Key(keyID)), "", []any{}
	if before > 0 {
		page, args = " AND id < ?", []any{before}
	}
	half := func(side, sign string) string {
		return "SELECT * FROM (SELECT id, ref, unit, " + sign + "count AS count, reason, at FROM ledger_entries WHERE " + side + " = ?" + page +
			" AND " + side + " <> 'issued' AND " + side + " <> 'spent' ORDER BY id DESC LIMIT ?) AS " + side
	}
	args = append(append([]any{own}, args...), limit)
	var rows []struct {
		ID     int64
		Ref    string
		Unit   string
		Count  int64
		Reason string
		At     instant
	}
	err := s.reader().NewRaw(half("from_account", "-")+" UNION ALL "+half("to_account", "")+" ORDER BY id DESC LIMIT ?",
		append(append(append([]any{}, args...), args...), limit)...).Scan(ctx, &rows)
	if err != nil {
		return nil, wrapIf(err, "book of key %d", keyID)
	}
	list := make([]report.Entry, len(rows))
	for i, r := range rows {
		list[i] = report.Entry{
			ID: r.ID, Ref: r.Ref, Unit: ledger.Unit(r.Unit), Count: r.Count, Reason: ledger.Reason(r.Reason), At: r.At.Time,
		}
	}
	return list, nil
}

// SweepsOf lists the tries to move a payment's money, the first first.
func (s *Store) SweepsOf(ctx context.Context, number int64) ([]report.Sweep, error) {
	var rows []struct {
		PublicID   string
		Network    string
		State      string
		Symbol     string
		Decimals   int64
		Moved      *string
		Settlement string
		TxHash     string
		CreatedAt  instant
		EndedAt    instant
		SentAt     instant
		Paid       string
		Pots       int64
		Reason     string
	}
	err := s.reader().NewRaw("SELECT s.public_id, s.network, s.state, i.symbol, i.decimals, i.moved, i.settlement, s.tx_hash, s.created_at, "+
		"s.ended_at, s.paid, s.moved AS pots, i.reason, (SELECT max(a.sent_at) FROM sweep_attempts AS a WHERE a.sweep_id = s.id) AS sent_at "+
		"FROM sweep_items AS i JOIN sweeps AS s ON s.id = i.sweep_id WHERE i.payment_id = ? ORDER BY i.id", number).Scan(ctx, &rows)
	if err != nil {
		return nil, wrapIf(err, "sweeps of payment %d", number)
	}
	list := make([]report.Sweep, len(rows))
	for i, r := range rows {
		paid, err := money.ParseUnits(r.Paid)
		if err != nil {
			return nil, wrapIf(err, "sweep %s", r.PublicID)
		}
		list[i] = report.Sweep{
			SentAt: r.SentAt.Time, Paid: paid, Pots: int(r.Pots),
			ID: r.PublicID, Network: chain.Network(r.Network), State: r.State, Symbol: r.Symbol, Settlement: chain.Address(r.Settlement),
			Tx: chain.TxHash(r.TxHash), CreatedAt: r.CreatedAt.Time, EndedAt: r.EndedAt.Time, Reason: r.Reason,
		}
		if r.Moved == nil {
			continue
		}
		units, err := money.ParseUnits(*r.Moved)
		if err != nil {
			return nil, wrapIf(err, "sweep %s", r.PublicID)
		}
		list[i].Moved = units.Format(int(r.Decimals))
	}
	return list, nil
}
