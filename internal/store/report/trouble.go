package report

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// Trouble is work that waits for an operator, or for longer than it should.
type Trouble struct {
	Deliveries []LateDelivery
	Sweeps     []SweepLine // under way for long
	Deposits   []LeftDeposit
	Reorged    []ReorgedPayment
	Recharges  []LateRecharge
	SetAside   []SetAsidePayment
	Changes    []LateChange
}

// MaxTrouble bounds each list of Trouble.
const MaxTrouble = 50

// LateDelivery is a webhook that should have been tried long ago.
type LateDelivery struct {
	TxnID payment.ID
	Email string // of the merchant
	Type  payment.EventType
	Made  int64 // attempts made
	DueAt time.Time
}

// LeftDeposit is final money that is not on its way to the merchant.
type LeftDeposit struct {
	TxnID    payment.ID
	Email    string // of the merchant
	Network  chain.Network
	Chosen   bool   // the payer was offered this network for this address
	Counted  bool   // it is a token that counts as payment
	Symbol   string // as the token calls itself
	Amount   string // in tokens
	FinalAt  time.Time
	Blocked  time.Time // until when it is not swept; zero: it may be swept now
	Reason   string    // why it could not be moved; may be empty
	Contract chain.Address
}

// LateRecharge is a purchase of query units that is paid, or about to be, and
// that no longer makes progress, since its network is not configured any more.
type LateRecharge struct {
	Email     string // of the merchant
	Units     int64
	Network   chain.Network
	Tx        chain.TxHash
	CreatedAt time.Time
}

// LateChange is a change of where a merchant's money goes whose day of waiting is over, and that cannot be made.
type LateChange struct {
	Email    string // of the merchant
	Kind     merchant.WaitingKind
	DueAt    time.Time
	Attempts int
}

// ReorgedPayment is a payment completed by money that a reorg took back.
type ReorgedPayment struct {
	Number  int64
	TxnID   payment.ID
	Email   string // of the merchant
	Amount  money.Micros
	Network chain.Network
	Hash    chain.TxHash
	EndedAt time.Time
}

// SetAsidePayment is a payment that cannot be read on a network at present.
type SetAsidePayment struct {
	watch.SetAside

	Email string // of the merchant
}

// Stuck is work that has waited longer than it should.
type Stuck struct {
	Deliveries int64     // webhooks overdue
	OldestDue  time.Time // since when; zero if none
	Sweeps     int64     // sweeps under way for long
	Unswept    int64     // deposits that are final for lateDeposit and not swept, dust apart
	SetAside   int64     // payments that cannot be read on a network
	Recharges  int64     // purchases of query units whose network is not configured
	Changes    int64     // changes of where money goes that are due and cannot be made
	Dust       int64     // such deposits worth less than moving them costs
}

// A delivery is tried within a second of being due, a sweep within some minutes
// of being planned.
const (
	lateDelivery = 5 * time.Minute
	lateSweep    = 10 * time.Minute
	// lateDeposit is the longest that the operator lets money wait for others, and half a day for gas to get cheaper.
	lateDeposit = 36 * time.Hour
	// lateSchedule is the same where the merchant lets money wait longer.
	lateSchedule = settlement.MaxWait + 12*time.Hour
	lateRecharge = 10 * time.Minute // recharges under way are checked every few seconds
	lateChange   = 10 * time.Minute // changes are made within half a minute
)

// scheduled holds for a deposit d whose merchant lets money wait longer than the operator does. It is a value, not
// EXISTS, of which a planner makes a scan of all schedules.
const scheduled = "(d.final_at >= ? AND coalesce((SELECT plan.wait_us FROM settlement_schedules AS plan " +
	"WHERE plan.key_id = d.key_id), 0) > 0)"

// Stuck counts what has waited longer than it should at now. Deposits below dust
// wait for more to come.
func (r *Reader) Stuck(ctx context.Context, now time.Time, dust money.Micros) (Stuck, error) {
	var st Stuck
	var oldest db.Instant
	err := r.db.Reader().NewRaw("SELECT "+
		"(SELECT count(*) FROM deliveries WHERE state = 'WAITING' AND due_at < ?), "+
		"(SELECT min(due_at) FROM deliveries WHERE state = 'WAITING' AND due_at < ?), "+
		"(SELECT count(*) FROM sweeps WHERE ended_at IS NULL AND created_at < ?), "+
		"(SELECT count(*) FROM deposits AS d WHERE swept_at IS NULL AND state = 'FINAL' AND final_at < ? AND "+AboutUSD+" >= ? AND NOT "+scheduled+"), "+
		"(SELECT count(*) FROM deposits AS d WHERE swept_at IS NULL AND state = 'FINAL' AND final_at < ? AND "+AboutUSD+" < ?), "+
		"(SELECT count(*) FROM recharges WHERE look_at < ?), (SELECT count(*) FROM set_aside), "+
		"(SELECT count(*) FROM waiting_changes WHERE state = 'WAITING' AND due_at < ?)",
		db.At(
			now.Add(-lateDelivery),
		), db.At(
			now.Add(-lateDelivery),
		), db.At(
			now.Add(-lateSweep),
		),
		db.At(now.Add(-lateDeposit)), USD(dust), db.At(now.Add(-lateSchedule)), db.At(now.Add(-lateDeposit)), USD(dust),
		db.At(now.Add(-lateRecharge)), db.At(now.Add(-lateChange))).
		Scan(ctx, &st.Deliveries, &oldest, &st.Sweeps, &st.Unswept, &st.Dust, &st.Recharges, &st.SetAside, &st.Changes)
	st.OldestDue = oldest.Time
	return st, db.Wrap(err, "stuck work")
}

// Trouble lists what waits for an operator, or has waited longer than it should
// at now, all read in one transaction. Deposits below dust wait for more to come.
func (r *Reader) Trouble(ctx context.Context, now time.Time, dust money.Micros) (Trouble, error) {
	var all Trouble
	err := r.db.Snapshot(ctx, func(ctx context.Context, t db.Tx) error {
		var found Trouble
		for _, part := range []func() error{
			func() (err error) { found.Deliveries, err = lateDeliveries(ctx, t, now); return err },
			func() (err error) { found.Sweeps, err = lateSweeps(ctx, t, now); return err },
			func() (err error) { found.Deposits, err = leftDeposits(ctx, t, now, dust); return err },
			func() (err error) { found.Reorged, err = reorged(ctx, t); return err },
			func() (err error) { found.Recharges, err = lateRecharges(ctx, t, now); return err },
			func() (err error) { found.SetAside, err = setAside(ctx, t); return err },
			func() (err error) { found.Changes, err = lateChanges(ctx, t, now); return err },
		} {
			if err := part(); err != nil {
				return err
			}
		}
		all = found
		return nil
	})
	return all, db.Wrap(err, "list trouble")
}

func lateDeliveries(ctx context.Context, t db.Tx, now time.Time) ([]LateDelivery, error) {
	var rows []struct {
		PublicID string
		Email    string
		Type     string
		Attempt  int64
		DueAt    db.Instant
	}
	err := t.NewRaw("SELECT p.public_id, u.email, waiting.type, waiting.attempt, waiting.due_at FROM "+
		"(SELECT payment_id, type, attempt, due_at FROM deliveries WHERE state = 'WAITING' AND due_at < ? ORDER BY due_at LIMIT ?) AS waiting "+
		"JOIN payments AS p ON p.id = waiting.payment_id JOIN api_keys AS k ON k.id = p.key_id JOIN users AS u ON u.id = k.user_id "+
		"ORDER BY waiting.due_at", db.At(now.Add(-lateDelivery)), MaxTrouble).Scan(ctx, &rows)
	list := make([]LateDelivery, len(rows))
	for i, r := range rows {
		list[i] = LateDelivery{
			TxnID: payment.ID(r.PublicID), Email: r.Email, Type: payment.EventType(r.Type),
			Made: r.Attempt, DueAt: r.DueAt.Time,
		}
	}
	return list, err
}

func lateRecharges(ctx context.Context, t db.Tx, now time.Time) ([]LateRecharge, error) {
	var rows []struct {
		Email     string
		Units     int64
		Network   string
		TxHash    string
		CreatedAt db.Instant
	}
	err := t.NewRaw("SELECT u.email, r.units, r.network, r.tx_hash, r.created_at FROM recharges AS r "+
		"JOIN api_keys AS k ON k.id = r.key_id JOIN users AS u ON u.id = k.user_id "+
		"WHERE r.look_at < ? ORDER BY r.look_at LIMIT ?", db.At(now.Add(-lateRecharge)), MaxTrouble).Scan(ctx, &rows)
	list := make([]LateRecharge, len(rows))
	for i, r := range rows {
		list[i] = LateRecharge{
			Email: r.Email, Units: r.Units, Network: chain.Network(r.Network),
			Tx: chain.TxHash(r.TxHash), CreatedAt: r.CreatedAt.Time,
		}
	}
	return list, err
}

func lateChanges(ctx context.Context, t db.Tx, now time.Time) ([]LateChange, error) {
	var rows []struct {
		Email    string
		Kind     string
		DueAt    db.Instant
		Attempts int64
	}
	err := t.NewRaw("SELECT u.email, w.kind, w.due_at, w.attempts FROM waiting_changes AS w "+
		"JOIN users AS u ON u.id = w.merchant_id WHERE w.state = 'WAITING' AND w.due_at < ? ORDER BY w.due_at LIMIT ?",
		db.At(now.Add(-lateChange)), MaxTrouble).Scan(ctx, &rows)
	list := make([]LateChange, len(rows))
	for i, r := range rows {
		list[i] = LateChange{
			Email: r.Email, Kind: merchant.WaitingKind(r.Kind), DueAt: r.DueAt.Time, Attempts: int(r.Attempts),
		}
	}
	return list, err
}

func lateSweeps(ctx context.Context, t db.Tx, now time.Time) ([]SweepLine, error) {
	var rows []sweepLineRow
	err := t.NewRaw(selectSweepLines+"WHERE s.ended_at IS NULL AND s.created_at < ? ORDER BY s.created_at LIMIT ?",
		db.At(now.Add(-lateSweep)), MaxTrouble).Scan(ctx, &rows)
	if err != nil {
		return nil, err
	}
	return sweepLines(rows)
}

// selectLeftDeposits takes a page of deposits by their index, and then looks up what belongs to each. As a join,
// whether all routes are read would be up to what the database believes of its tables.
const selectLeftDeposits = "SELECT p.public_id, u.email, waiting.network, waiting.chosen, waiting.token, waiting.symbol, " +
	"waiting.decimals, waiting.units, waiting.contract, waiting.final_at, waiting.blocked, waiting.reason FROM (SELECT d.payment_id, d.network, d.chosen, d.token, d.symbol, " +
	"d.decimals, d.units, d.contract, d.final_at, d.blocked, " +
	"coalesce((SELECT b.reason FROM deposit_balances AS b WHERE " + balanceOf + "), '') AS reason FROM (SELECT d.*, " +
	"coalesce((SELECT 1 FROM routes AS r WHERE r.payment_id = d.payment_id AND r.network = d.network " +
	"AND r.address = d.to_address), 0) = 1 AS chosen, " +
	"(SELECT b.blocked_until FROM deposit_balances AS b WHERE " + balanceOf + ") AS blocked FROM deposits AS d " +
	"WHERE d.network IN (?) AND d.swept_at IS NULL AND d.state = 'FINAL' AND " + AboutUSD + " >= ?) AS d " +
	"WHERE NOT d.chosen OR d.blocked > ? OR d.final_at < ? AND NOT " + scheduled + " ORDER BY d.final_at LIMIT ?) AS waiting " +
	"JOIN payments AS p ON p.id = waiting.payment_id JOIN api_keys AS k ON k.id = p.key_id JOIN users AS u ON u.id = k.user_id " +
	"ORDER BY waiting.final_at"

// balanceOf finds the balance b of the address and asset of a deposit d.
const balanceOf = "b.network = d.network AND b.address = d.to_address AND b.contract = d.contract"

// leftDeposits returns deposits that are final and not swept: immediately where the
// payer was not offered that network for the address, so that no sweep moves them,
// or where a sweep could not move them; otherwise after lateDeposit. It reads only
// unswept deposits, which are few.
func leftDeposits(ctx context.Context, t db.Tx, now time.Time, dust money.Micros) ([]LeftDeposit, error) {
	var rows []struct {
		PublicID string
		Email    string
		Network  string
		Chosen   bool
		Token    string
		Symbol   string
		Decimals int
		Units    string
		Contract db.Packed
		FinalAt  db.Instant
		Blocked  db.Instant
		Reason   string
	}
	err := t.NewRaw(selectLeftDeposits, bun.List(chain.Networks()), USD(dust), db.At(now), db.At(now.Add(-lateDeposit)),
		db.At(now.Add(-lateSchedule)), MaxTrouble).Scan(ctx, &rows)
	if err != nil {
		return nil, err
	}
	list := make([]LeftDeposit, len(rows))
	for i, r := range rows {
		units, err := money.ParseUnits(r.Units)
		if err != nil {
			return nil, err
		}
		list[i] = LeftDeposit{
			TxnID: payment.ID(r.PublicID), Email: r.Email, Network: chain.Network(r.Network), Chosen: r.Chosen,
			Counted: r.Token != "", Symbol: r.Symbol,
			Amount: units.Format(r.Decimals), FinalAt: r.FinalAt.Time, Blocked: r.Blocked.Time, Reason: r.Reason,
			Contract: chain.Address(r.Contract),
		}
	}
	return list, nil
}

func reorged(ctx context.Context, t db.Tx) ([]ReorgedPayment, error) {
	var rows []struct {
		ID       int64
		PublicID string
		Email    string
		Amount   int64
		Network  string
		Hash     db.Packed
		EndedAt  db.Instant
	}
	err := t.NewRaw("SELECT p.id, p.public_id, u.email, p.amount, p.network, p.hash, p.ended_at FROM payments AS p "+
		"JOIN api_keys AS k ON k.id = p.key_id JOIN users AS u ON u.id = k.user_id WHERE p.reorged ORDER BY p.id DESC LIMIT ?", MaxTrouble).Scan(ctx, &rows)
	list := make([]ReorgedPayment, len(rows))
	for i, r := range rows {
		list[i] = ReorgedPayment{
			Number: r.ID, TxnID: payment.ID(r.PublicID), Email: r.Email, Amount: money.Micros(r.Amount),
			Network: chain.Network(r.Network),
			Hash:    chain.TxHash(r.Hash), EndedAt: r.EndedAt.Time,
		}
	}
	return list, err
}

// AboutUSD is the SQL expression of the value of a deposit d, as a float: only for
// sorting and thresholds, never for a sum that is shown.
const AboutUSD = "CASE WHEN " + table.Listed + " THEN " +
	"CAST(d.units AS double precision) / CAST('1e' || d.decimals AS double precision) ELSE 0 END"

// USD converts an amount for comparison with AboutUSD.
func USD(m money.Micros) float64 { return float64(m) / float64(money.USD) }

// setAside lists the payments that cannot be read, the longest first.
func setAside(ctx context.Context, t db.Tx) ([]SetAsidePayment, error) {
	var rows []struct {
		PublicID   string
		Email      string
		Network    string
		FromNumber int64
		Since      db.Instant
		Attempts   int64
		NextAt     db.Instant
		Reason     string
	}
	err := t.NewRaw("SELECT p.public_id, u.email, a.network, a.from_number, a.since, a.attempts, a.next_at, a.reason "+
		"FROM set_aside AS a JOIN payments AS p ON p.id = a.payment_id "+
		"JOIN api_keys AS k ON k.id = p.key_id JOIN users AS u ON u.id = k.user_id "+
		"ORDER BY a.since, a.payment_id LIMIT ?", MaxTrouble).Scan(ctx, &rows)
	list := make([]SetAsidePayment, len(rows))
	for i, r := range rows {
		list[i] = SetAsidePayment{Email: r.Email, SetAside: watch.SetAside{
			PaymentID: payment.ID(r.PublicID), Network: chain.Network(r.Network), From: uint64(max(r.FromNumber, 0)),
			Since: r.Since.Time, Attempts: int(r.Attempts), NextAt: r.NextAt.Time, Reason: r.Reason,
		}}
	}
	return list, err
}
