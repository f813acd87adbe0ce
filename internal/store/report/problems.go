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

// Problems is work that waits for an operator, or for longer than it should.
type Problems struct {
	Deliveries []LateDelivery
	Sweeps     []SweepLine // under way for long
	Deposits   []LeftDeposit
	Reorged    []ReorgedPayment
	Recharges  []LateRecharge
	SetAside   []SetAsidePayment
	Changes    []LateChange
}

// MaxProblems bounds each list of Problems.
const MaxProblems = 50

// LateDelivery is a webhook that should have been tried long ago.
type LateDelivery struct {
	TxnID payment.ID `bun:"public_id"`
	Email string     // of the merchant
	Type  payment.EventType
	Made  int64 `bun:"attempt"` // attempts made
	DueAt time.Time
}

// LeftDeposit is final money that is not on its way to the merchant.
type LeftDeposit struct {
	TxnID    payment.ID `bun:"public_id"`
	Email    string     // of the merchant
	Network  chain.Network
	Chosen   bool   // the payer was offered this network for this address
	Counted  bool   // it is a token that counts as payment
	Symbol   string // as the token calls itself
	Decimals int
	Units    money.Units
	Amount   string `bun:"-"` // in tokens
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
	Tx        chain.TxHash `bun:"tx_hash"`
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
	Number  int64      `bun:"id"`
	TxnID   payment.ID `bun:"public_id"`
	Email   string     // of the merchant
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
const scheduled = `(d.final_at >= ? AND coalesce((SELECT plan.wait_us FROM settlement_schedules AS plan
	WHERE plan.key_id = d.key_id), 0) > 0)`

// What has waited too long, each until a time that is its argument.
const (
	overdueDeliveries = "deliveries WHERE state = 'WAITING' AND due_at < ?"
	overdueSweeps     = "sweeps AS s WHERE s.ended_at IS NULL AND s.created_at < ?"
	overdueRecharges  = "recharges AS r JOIN api_keys AS k ON k.id = r.key_id WHERE r.look_at < ?"
	overdueChanges    = "waiting_changes AS w WHERE w.state = 'WAITING' AND w.due_at < ?"
	overdueDeposits   = "deposits AS d WHERE swept_at IS NULL AND state = 'FINAL' AND final_at < ?"
)

// Stuck counts what has waited longer than it should at now. Deposits below dust
// wait for more to come.
func (r *Reader) Stuck(ctx context.Context, now time.Time, dust money.Micros) (st Stuck, err error) {
	err = r.db.Reader().NewRaw(`SELECT
		(SELECT min(due_at) FROM `+overdueDeliveries+`), (SELECT count(*) FROM `+overdueDeliveries+`),
		(SELECT count(*) FROM `+overdueSweeps+`), (SELECT count(*) FROM `+overdueRecharges+`),
		(SELECT count(*) FROM `+overdueChanges+`), (SELECT count(*) FROM set_aside),
		(SELECT count(*) FROM `+overdueDeposits+` AND `+AboutUSD+` >= ? AND NOT `+scheduled+`),
		(SELECT count(*) FROM `+overdueDeposits+` AND `+AboutUSD+` < ?)`,
		now.Add(-lateDelivery), now.Add(-lateDelivery), now.Add(-lateSweep), now.Add(-lateRecharge),
		now.Add(-lateChange), now.Add(-lateDeposit), USD(dust), now.Add(-lateSchedule), now.Add(-lateDeposit),
		USD(dust)).
		Scan(ctx, db.Time(&st.OldestDue), &st.Deliveries, &st.Sweeps, &st.Recharges, &st.Changes, &st.SetAside,
			&st.Unswept, &st.Dust)
	return st, db.Wrap(err, "stuck work")
}

// Problems lists what waits for an operator, or has waited longer than it should
// at now, all read in one transaction. Deposits below dust wait for more to come.
func (r *Reader) Problems(ctx context.Context, now time.Time, dust money.Micros) (all Problems, err error) {
	err = r.db.Snapshot(ctx, func(ctx context.Context, t db.Tx) (err error) {
		all = Problems{}
		read := func(into any, text string, args ...any) {
			if err == nil {
				err = t.NewRaw(text+" LIMIT ?", append(args, MaxProblems)...).Scan(ctx, into)
			}
		}
		read(&all.Deliveries, `SELECT p.public_id, u.email, waiting.type, waiting.attempt, waiting.due_at FROM
			(SELECT payment_id, type, attempt, due_at FROM `+overdueDeliveries+` ORDER BY due_at LIMIT ?) AS waiting
			JOIN payments AS p ON p.id = waiting.payment_id`+merchantOf+`ORDER BY waiting.due_at`, now.Add(-lateDelivery), MaxProblems)
		read(&all.Sweeps, selectSweepLines+"FROM "+overdueSweeps+" ORDER BY s.created_at", now.Add(-lateSweep))
		read(&all.Deposits, selectLeftDeposits, bun.List(chain.Networks()), USD(dust), now, now.Add(-lateDeposit),
			now.Add(-lateSchedule), MaxProblems)
		read(&all.Reorged, `SELECT p.id, p.public_id, u.email, p.amount, p.network, p.hash, p.ended_at FROM payments AS p`+merchantOf+`WHERE p.reorged ORDER BY p.id DESC`)
		read(&all.Recharges, `SELECT (SELECT email FROM users WHERE id = k.user_id) AS email, r.units, r.network, r.tx_hash,
			r.created_at FROM `+overdueRecharges+` ORDER BY r.look_at`, now.Add(-lateRecharge))
		// The payments that cannot be read, the longest first.
		read(&all.SetAside, `SELECT p.public_id AS payment_id, u.email, a.network, a.from_number AS "from", a.since, a.attempts,
			a.next_at, a.reason FROM set_aside AS a JOIN payments AS p ON p.id = a.payment_id`+merchantOf+`ORDER BY a.since, a.payment_id`)
		read(&all.Changes, `SELECT (SELECT email FROM users WHERE id = w.merchant_id) AS email, w.kind, w.due_at, w.attempts FROM
			`+overdueChanges+` ORDER BY w.due_at`, now.Add(-lateChange))
		return err
	})
	for i, d := range all.Deposits {
		all.Deposits[i].Amount = d.Units.Format(d.Decimals)
	}
	return all, db.Wrap(err, "list problems")
}

// merchantOf joins the account u of the merchant of a payment p.
const merchantOf = " JOIN api_keys AS k ON k.id = p.key_id JOIN users AS u ON u.id = k.user_id "

// selectLeftDeposits takes a page of deposits by their index, and then looks up what belongs to each. As a join,
// whether all routes are read would be up to what the database believes of its tables. They are final and not swept:
// immediately where the payer was not offered that network for the address, so that no sweep moves them, or where a
// sweep could not move them; otherwise after lateDeposit. It reads only unswept deposits, which are few.
const selectLeftDeposits = `SELECT p.public_id, u.email, waiting.network, waiting.chosen, waiting.token <> '' AS counted,
	waiting.symbol, waiting.decimals, waiting.units, waiting.contract, waiting.final_at, waiting.blocked, waiting.reason
	FROM (SELECT d.payment_id, d.network, d.chosen, d.token, d.symbol, d.decimals, d.units, d.contract, d.final_at, d.blocked,
	coalesce((SELECT b.reason FROM deposit_balances AS b WHERE ` + balanceOf + `), '') AS reason FROM (SELECT d.*,
	coalesce((SELECT 1 FROM routes AS r WHERE r.payment_id = d.payment_id AND r.network = d.network
	AND r.address = d.to_address), 0) = 1 AS chosen,
	(SELECT b.blocked_until FROM deposit_balances AS b WHERE ` + balanceOf + `) AS blocked FROM deposits AS d
	WHERE d.network IN (?) AND d.swept_at IS NULL AND d.state = 'FINAL' AND ` + AboutUSD + ` >= ?) AS d
	WHERE NOT d.chosen OR d.blocked > ? OR d.final_at < ? AND NOT ` + scheduled + ` ORDER BY d.final_at LIMIT ?) AS waiting
	JOIN payments AS p ON p.id = waiting.payment_id` + merchantOf + "ORDER BY waiting.final_at"

// balanceOf finds the balance b of the address and asset of a deposit d.
const balanceOf = "b.network = d.network AND b.address = d.to_address AND b.contract = d.contract"

// AboutUSD is the SQL expression of the value of a deposit d, as a float: only for
// sorting and thresholds, never for a sum that is shown.
const AboutUSD = `CASE WHEN ` + table.Listed + ` THEN
	CAST(d.units AS double precision) / CAST('1e' || d.decimals AS double precision) ELSE 0 END`

// USD converts an amount for comparison with AboutUSD.
func USD(m money.Micros) float64 { return float64(m) / float64(money.USD) }
