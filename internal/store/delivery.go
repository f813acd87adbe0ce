package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/store/table"
	"github.com/florinpay/florin/internal/webhook"
)

// Claim takes the first due deliveries of each receiver, as many as its share,
// and holds them until the time given. Two instances that claim at once may get
// fewer; no delivery goes to both.
func (s *Store) Claim(
	ctx context.Context, holder string, now, until time.Time, shares []webhook.Share,
) ([]webhook.Delivery, error) {
	var ids []int64
	for part := range slices.Chunk(shares, maxUnion) {
		found, err := s.firstDue(ctx, part, now)
		if err != nil {
			return nil, fmt.Errorf("claim deliveries: %w", err)
		}
		ids = append(ids, found...)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	var list []webhook.Delivery
	var bad []unsendable
	err := s.db.Write(ctx, func(ctx context.Context, t tx) error {
		if err := dropOvertaken(ctx, t, now, ids); err != nil {
			return err
		}
		var held []int64
		err := t.NewRaw(`UPDATE deliveries SET holder = ?, due_at = ? WHERE id IN (SELECT id FROM deliveries AS d
			WHERE id IN (?) AND state = 'WAITING' AND due_at <= ? AND NOT EXISTS (SELECT 1 `+report.LaterEvents+`)
			ORDER BY id ?) RETURNING id`,
			holder, until, bun.List(ids), now, bun.Safe(s.db.Dialect().SkipLocked)).Scan(ctx, &held)
		if err != nil {
			return err
		}
		if list, bad, err = s.readDeliveries(ctx, t, held); err != nil {
			return err
		}
		for _, u := range bad {
			if err := settle(ctx, t, holder, u.outcome(now)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("claim deliveries: %w", err)
	}
	for _, u := range bad {
		s.log.Error("a webhook was not sent", "why", u.why.English(), "event", u.EventID, "error", u.err)
	}
	return list, nil
}

// unsendable is a claimed delivery whose event or whose custodian's secrets cannot
// be read. It is a failed attempt of its own: were it an error of the claim, the
// next claim would meet it again, and no webhook of anybody would leave.
type unsendable struct {
	webhook.Delivery
	why mail.Words
	err error // for the operator
}

// Why a delivery is unsendable, as its merchant reads it.
var (
	eventDamaged   = mail.T("the webhook was not sent: its event cannot be read; the operator was notified")
	secretsDamaged = mail.T("the webhook was not sent: its secrets cannot be opened; the operator was notified")
)

var errNotJSON = errors.New("the data of an event is not JSON")

func (u unsendable) outcome(now time.Time) webhook.Outcome {
	o := webhook.Outcome{DeliveryID: u.ID, Attempt: webhook.Attempt{
		At: now, URL: u.URL, Error: u.why.Kept(),
	}}
	o.State, o.NextAt = webhook.Decide(u.Attempt, webhook.Result{Attempt: o.Attempt},
		rand.Float64()) //nolint:gosec // only spreads the load
	return o
}

// deliveryRow is a claimed delivery with all that is needed to send it.
type deliveryRow struct {
	webhook.Delivery

	TxnID          payment.ID
	Seq            int
	Data           []byte
	PublicID       string
	Sealed         string // the secret
	SigningSecrets string
}

var _ = db.NewTable[deliveryRow]("deliveries", `
	read: id txn_id seq attempt receiver callback_url=URL data replayed public_id secret=Sealed signing_secrets`)

// readDeliveries returns the deliveries by ID, those that cannot be sent apart.
func (s *Store) readDeliveries(
	ctx context.Context, t tx, ids []int64,
) (list []webhook.Delivery, bad []unsendable, err error) {
	if len(ids) == 0 {
		return nil, nil, nil
	}
	rows, err := db.All[deliveryRow](ctx, t, `SELECT d.id, p.public_id AS txn_id, e.seq, d.attempt, d.receiver, c.callback_url, e.data, d.replayed, c.public_id, c.secret, c.signing_secrets
		FROM deliveries AS d JOIN events AS e ON e.payment_id = d.payment_id AND e.seq = d.seq
		JOIN payments AS p ON p.id = d.payment_id JOIN custodians AS c ON c.id = d.custodian_id WHERE d.id IN (?) ORDER BY d.id`, bun.List(ids))
	if err != nil {
		return nil, nil, err
	}
	for _, r := range rows {
		d := r.Delivery
		d.EventID = payment.EventID(r.TxnID, r.Seq)
		if d.Body = r.Data; !json.Valid(d.Body) {
			bad = append(bad, unsendable{d, eventDamaged, errNotJSON})
			continue
		}
		d.Body = webhook.WithCustodian(d.Body, r.PublicID)
		if err := s.openSecrets(&d, r); err != nil {
			bad = append(bad, unsendable{d, secretsDamaged, err})
			continue
		}
		list = append(list, d)
	}
	return list, bad, nil
}

func (s *Store) openSecrets(d *webhook.Delivery, r deliveryRow) (err error) {
	if d.Secret, err = s.sealer.Open(table.SecretPlace(r.PublicID), r.Sealed); err != nil {
		return err
	}
	d.SigningSecrets, err = table.OpenSigning(s.sealer, r.PublicID, r.SigningSecrets)
	return err
}

// Settle writes the outcome of an attempt if the holder still has it.
func (s *Store) Settle(ctx context.Context, holder string, o webhook.Outcome) error {
	err := s.db.Hot(ctx, func(ctx context.Context, c conn) error { return settle(ctx, c, holder, o) })
	return db.Wrap(err, "settle delivery %d", o.DeliveryID)
}

func settle(ctx context.Context, c conn, holder string, o webhook.Outcome) error {
	var attempt, made int64
	if !o.Spared {
		made = 1
	}
	take := db.Query(func(scan scan) error { return scan(&attempt) },
		`UPDATE deliveries SET state = ?, attempt = attempt + ?, due_at = ?, holder = NULL
			WHERE id = ? AND holder = ? AND state = 'WAITING' RETURNING attempt`,
		string(o.State), made, dueAt(o), o.DeliveryID, holder)
	if err := c.Run(ctx, take); err != nil || take.Affected() == 0 {
		return err
	}
	a := o.Attempt
	var writes []*db.Stmt
	if !o.Spared {
		writes = append(writes, db.Exec(`INSERT INTO delivery_attempts
			(delivery_id, attempt, at, url, status, latency_us, error, response, request, keyed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			o.DeliveryID, attempt, a.At, db.Shown(a.URL), int64(a.Status),
			a.Latency.Microseconds(), db.Shown(a.Error), db.Shown(a.Response), db.Shown(a.Request), a.Keyed))
	}
	if o.State == webhook.Waiting {
		writes = append(writes, db.Exec(overtaken+"id = ?", a.At, o.DeliveryID).AnyNumber())
	}
	return c.Run(ctx, writes...)
}

// overtaken ends what is still to be sent of the deliveries of a condition that
// a later event of their payment makes untrue. A shop that receives "expired"
// after "completed" would cancel an order that is paid.
const overtaken = `UPDATE deliveries AS d SET state = 'OVERTAKEN', holder = NULL, due_at = ?
	WHERE state IN ('WAITING', 'FAILED') AND EXISTS (SELECT 1 ` + report.LaterEvents + `) AND `

// dropOvertaken ends those of the due deliveries that were overtaken while they
// were held by an instance that has crashed.
func dropOvertaken(ctx context.Context, t tx, now time.Time, due []int64) error {
	_, err := t.NewRaw(overtaken+"id IN (?) AND due_at <= ?", now, bun.List(due), now).Exec(ctx)
	return err
}

// overtake returns the statement that ends the deliveries of earlier events. One
// that is being sent right now ends when its attempt does (Settle); until then
// the new event waits (firstDue).
func overtake(number int64, e payment.Event) *db.Stmt {
	at := e.At
	return db.Exec(`UPDATE deliveries SET state = 'OVERTAKEN', holder = NULL, due_at = ?
		WHERE payment_id = ? AND seq < ? AND state IN ('WAITING', 'FAILED') AND (holder IS NULL OR due_at <= ?)`,
		at, number, int64(e.Seq), at).AnyNumber()
}

// dueAt is when the delivery is due again; for one that has ended, when it ended.
func dueAt(o webhook.Outcome) time.Time {
	if o.State == webhook.Waiting {
		return o.NextAt
	}
	return o.Attempt.At
}

// NextDue returns when the next unheld delivery is due; ok is false if none
// waits.
func (s *Store) NextDue(ctx context.Context, now time.Time) (due time.Time, ok bool, err error) {
	next := db.Query(func(scan scan) error {
		ok = true
		return scan(db.Time(&due))
	}, "SELECT due_at FROM deliveries WHERE state = 'WAITING' AND (holder IS NULL OR due_at <= ?) ORDER BY due_at LIMIT 1", now)
	if err := s.db.Read(ctx, next); err != nil {
		return time.Time{}, false, fmt.Errorf("next delivery: %w", err)
	}
	return due, ok, nil
}

// dueReceivers visits each receiver that has a delivery waiting once: a loose
// index scan of deliveries_by_receiver, whose cost grows with the receivers and not
// with their queues.
const dueReceivers = `WITH RECURSIVE receivers (id) AS (
	SELECT * FROM (SELECT receiver FROM deliveries WHERE state = 'WAITING' ORDER BY receiver LIMIT 1) AS first
	UNION ALL
	SELECT (SELECT d.receiver FROM deliveries AS d WHERE d.state = 'WAITING' AND d.receiver > receivers.id ORDER BY d.receiver LIMIT 1)
	FROM receivers WHERE receivers.id IS NOT NULL),
	heads (id, due_at) AS (SELECT id,
	(SELECT d.due_at FROM deliveries AS d WHERE d.state = 'WAITING' AND d.receiver = receivers.id ORDER BY d.due_at LIMIT 1)
	FROM receivers WHERE receivers.id IS NOT NULL)
	SELECT id, due_at AS since, (SELECT count(*) FROM deliveries AS d
	WHERE d.holder IS NOT NULL AND d.receiver = heads.id AND d.due_at > ?1) AS held FROM heads WHERE due_at <= ?0`

// DueReceivers lists the receivers with deliveries that are due at now.
func (s *Store) DueReceivers(ctx context.Context, now time.Time) ([]webhook.DueReceiver, error) {
	list, err := db.All[webhook.DueReceiver](ctx, s.db.Reader(), dueReceivers, now, webhook.ClaimedLately(now))
	return list, db.Wrap(err, "receivers of due deliveries")
}

// maxUnion is how many receivers one statement asks for: SQLite takes at most
// 500 parts in a UNION.
const maxUnion = 100

// firstDue returns the first due deliveries of each receiver, as many as its share,
// but none while an earlier event of its payment is being sent: the earlier one
// could arrive last.
func (s *Store) firstDue(ctx context.Context, shares []webhook.Share, now time.Time) ([]int64, error) {
	var text strings.Builder
	var args []any
	for i, share := range shares {
		if i > 0 {
			text.WriteString(" UNION ALL ")
		}
		text.WriteString(`SELECT * FROM (SELECT id FROM deliveries AS d WHERE state = 'WAITING' AND receiver = ? AND due_at <= ?
			AND NOT EXISTS (SELECT 1 FROM deliveries AS earlier WHERE earlier.payment_id = d.payment_id AND earlier.seq < d.seq
			AND earlier.state = 'WAITING' AND earlier.holder IS NOT NULL AND earlier.due_at > ?)
			ORDER BY due_at LIMIT ?) AS r` + strconv.Itoa(i))
		args = append(args, share.Receiver, now, now, share.N)
	}
	var ids []int64
	return ids, s.db.Reader().NewRaw(text.String(), args...).Scan(ctx, &ids)
}

// again makes a delivery due now, whatever its state, unless it is being sent or
// overtaken. Attempts go on being counted, so one whose attempts were used up is
// tried once. It goes to the current callback URL.
const again = `UPDATE deliveries AS d SET state = 'WAITING', due_at = ?, holder = NULL,
	receiver = (SELECT receiver FROM custodians WHERE id = d.custodian_id)
	WHERE custodian_id IN (` + custodianOfKeys + `) AND (holder IS NULL OR state <> 'WAITING')
	AND NOT EXISTS (SELECT 1 ` + report.LaterEvents + `)`

const custodianOfKeys = "SELECT id FROM custodians WHERE key_id IN (?)"

// Resend makes a delivery of the keys due now, or fails with
// report.ErrUnknownDelivery or report.ErrOvertaken.
func (s *Store) Resend(ctx context.Context, keys []int64, id int64, now time.Time, r audit.Record) error {
	if len(keys) == 0 {
		return report.ErrUnknownDelivery
	}
	ok, err := table.WriteOneAudited(
		ctx, s.db, s.sealer, r, table.AuditFields{},
		again+" AND id = ?", now, bun.List(keys), id,
	)
	if err != nil || ok {
		return err
	}
	var n int
	err = s.db.Reader().NewRaw(`SELECT count(*) FROM deliveries AS d WHERE id = ? AND custodian_id IN (`+custodianOfKeys+`)
		AND EXISTS (SELECT 1 `+report.LaterEvents+`)`, id, bun.List(keys)).Scan(ctx, &n)
	if err == nil && n > 0 {
		return report.ErrOvertaken
	}
	return cmp.Or[error](err, report.ErrUnknownDelivery)
}

// StopParked stops the deliveries of the key that wait for a callback URL, and returns how many. Later events make none
// until there is one.
func (s *Store) StopParked(ctx context.Context, keyID int64, now time.Time, r audit.Record) (int64, error) {
	var n int64
	err := table.WriteAudited(
		ctx, s.db, s.sealer, r, func(ctx context.Context, t tx, a *table.AuditFields) error {
			res, err := t.NewRaw(`UPDATE deliveries SET state = 'STOPPED', due_at = ?
				WHERE custodian_id IN (`+custodianOfKeys+`) AND state = 'WAITING' AND due_at = ?`,
				now, bun.List([]int64{keyID}), webhook.Parked()).Exec(ctx)
			if err != nil {
				return err
			}
			if n, err = res.RowsAffected(); err != nil {
				return err
			}
			a.Detail, a.Unchanged = strconv.FormatInt(n, 10), n == 0
			_, err = t.NewRaw(
				"UPDATE custodians SET receiver = "+table.NoReceiver+" WHERE key_id = ? AND callback_url = ''", keyID,
			).Exec(ctx)
			return err
		},
	)
	return n, db.Wrap(err, "stop webhooks of key %d", keyID)
}

// failing are the deliveries that failed so far, and those that failed for good and so begin to wait again.
var failing = []string{"state = 'WAITING' AND attempt > 0", "state IN ('FAILED', 'STOPPED')"}

// ResendFailed makes the failing deliveries of the key due now whose event came at
// since or later, and returns how many.
func (s *Store) ResendFailed(ctx context.Context, keyID int64, since, now time.Time, r audit.Record) (int64, error) {
	var n int64
	err := table.WriteAudited(
		ctx, s.db, s.sealer, r, func(ctx context.Context, t tx, a *table.AuditFields) error {
			n = 0
			for _, state := range failing {
				res, err := t.NewRaw(again+` AND `+state+` AND (state <> 'WAITING' OR due_at > ?) AND
					(SELECT e.at FROM events AS e WHERE e.payment_id = d.payment_id AND e.seq = d.seq) >= ?`,
					now, bun.List([]int64{keyID}), now, since).Exec(ctx)
				if err != nil {
					return err
				}
				made, err := res.RowsAffected()
				if err != nil {
					return err
				}
				n += made
			}
			a.Detail, a.Unchanged = strconv.FormatInt(n, 10), n == 0
			return nil
		},
	)
	return n, db.Wrap(err, "send failed webhooks of key %d again", keyID)
}
