package report

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

const (
	// maxAlerts bounds each list of conditions that have a subject each.
	maxAlerts = 500
	// maxDiffering bounds how many balances that differ are alerts of their own: a cause that concerns many is one.
	maxDiffering = 20
	// deadFor is how long webhooks that were given up count, if nothing was sent since.
	deadFor = 30 * 24 * time.Hour
	// reorgFor is how long a reorg of a top-up counts: no merchant resolves it.
	reorgFor = 7 * 24 * time.Hour
)

// Alerts returns what the database says of work that waits for an operator at now. Deposits below dust wait for more to
// come.
func (r *Reader) Alerts(ctx context.Context, now time.Time, dust money.Micros) (alert.Stored, error) {
	st, err := r.Stuck(ctx, now, dust)
	if err != nil {
		return alert.Stored{}, err
	}
	a := alert.Stored{
		Overdue: st.Deliveries, OldestDue: st.OldestDue, Sweeps: st.Sweeps, Unswept: st.Unswept,
		Recharges: st.Recharges, Changes: st.Changes, OwnBackups: !r.db.Dialect().ManyWriters,
	}
	if a.BackedUpAt, err = r.BackedUpAt(ctx); err != nil {
		return alert.Stored{}, err
	}
	if a.Slots, err = r.Slots(ctx); err != nil {
		return alert.Stored{}, err
	}
	err = r.db.Snapshot(ctx, func(ctx context.Context, t db.Tx) (err error) {
		if a.SetAside, err = setAsideByNetwork(ctx, t); err != nil {
			return err
		}
		if a.Balances, err = differing(ctx, t); err != nil {
			return err
		}
		if a.Receivers, err = deadReceivers(ctx, t, now); err != nil {
			return err
		}
		if a.Reorged, err = reorgedOpen(ctx, t, now); err != nil {
			return err
		}
		if a.Expiring, err = expiring(ctx, t, now); err != nil {
			return err
		}
		a.Ledger, err = lastCheck(ctx, t)
		return err
	})
	return a, db.Wrap(err, "what an operator should know")
}

func setAsideByNetwork(ctx context.Context, t db.Tx) ([]alert.SetAside, error) {
	return db.All[alert.SetAside](ctx, t, `SELECT a.network, count(*) AS payments, min(a.since) AS since,
		(SELECT b.reason FROM set_aside AS b WHERE b.network = a.network ORDER BY b.since, b.payment_id LIMIT 1) AS reason
		FROM set_aside AS a GROUP BY a.network ORDER BY a.network`)
}

// differing lists the balances that are known to differ from the records, the oldest first.
func differing(ctx context.Context, t db.Tx) ([]alert.Balance, error) {
	return db.All[alert.Balance](ctx, t, `SELECT network, address, contract, txnid AS id, text, advice, unrecorded
		FROM balance_differences WHERE proven_at IS NOT NULL ORDER BY since, network, address, contract LIMIT ?`, maxDiffering)
}

// newestDelivered is the id of the newest delivery of a type that arrived at the custodian f.
const newestDelivered = `coalesce((SELECT o.id FROM deliveries AS o WHERE o.custodian_id = f.custodian_id
	AND o.state = 'DELIVERED' AND o.type = ? ORDER BY -o.id LIMIT 1), 0)`

// deadReceivers lists the callbacks of which webhooks were given up after the last one that arrived. It reads what was
// given up, which is little, and one delivery of each type that arrived.
func deadReceivers(ctx context.Context, t db.Tx, now time.Time) ([]alert.Receiver, error) {
	type receiver struct {
		alert.Receiver
		CallbackURL                         string
		Last, Completed, Expired, Cancelled int64
	}
	rows, err := db.All[receiver](ctx, t, `SELECT k.public_id AS key, CASE WHEN c.name = '' THEN k.label ELSE c.name END AS shop,
		u.email AS merchant, c.callback_url, f.failed, f.last, `+newestDelivered+` AS completed,
		`+newestDelivered+` AS expired, `+newestDelivered+` AS cancelled FROM (SELECT d.custodian_id, count(*) AS failed,
		max(d.id) AS last FROM deliveries AS d WHERE d.state IN ('FAILED', 'STOPPED') AND d.due_at > ? GROUP BY d.custodian_id) AS f
		JOIN custodians AS c ON c.id = f.custodian_id JOIN api_keys AS k ON k.id = c.key_id
		JOIN users AS u ON u.id = k.user_id WHERE c.callback_url <> '' AND k.revoked_at IS NULL ORDER BY c.id LIMIT ?`,
		payment.EventCompleted, payment.EventExpired, payment.EventCancelled, now.Add(-deadFor), maxAlerts)
	var list []alert.Receiver
	for _, r := range rows {
		if r.Last > max(r.Completed, r.Expired, r.Cancelled) {
			r.Host = hostOf(r.CallbackURL)
			list = append(list, r.Receiver)
		}
	}
	return list, err
}

// hostOf returns the host of a callback: its path may hold a secret.
func hostOf(callback string) string {
	u, err := url.Parse(callback)
	if err != nil {
		return ""
	}
	return u.Host
}

// reorgedOpen lists the payments that a reorg took money from, until their merchant has resolved them.
func reorgedOpen(ctx context.Context, t db.Tx, now time.Time) ([]alert.Reorged, error) {
	return db.All[alert.Reorged](ctx, t, `SELECT p.public_id AS id, u.email AS merchant, p.amount, p.network FROM payments AS p
		JOIN api_keys AS k ON k.id = p.key_id JOIN users AS u ON u.id = k.user_id
		WHERE p.reorged AND (p.attention <> '' OR p.kind = ? AND p.ended_at > ?) ORDER BY p.id LIMIT ?`,
		payment.KindTopUp, now.Add(-reorgFor), maxAlerts)
}

// expiring lists the certificates that expire soon, of hosts that still are callbacks.
func expiring(ctx context.Context, t db.Tx, now time.Time) ([]alert.Certificate, error) {
	list, err := db.All[alert.Certificate](ctx, t, `SELECT host, expires_at FROM callback_certificates
		WHERE expires_at < ? ORDER BY expires_at, host LIMIT ?`, now.Add(alert.CertificateWarning), maxAlerts)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	urls, err := db.All[string](ctx, t, `SELECT DISTINCT c.callback_url FROM custodians AS c JOIN api_keys AS k ON k.id = c.key_id
		WHERE k.revoked_at IS NULL AND c.callback_url <> ''`)
	used := make(map[string]bool, len(urls))
	for _, u := range urls {
		used[hostOf(u)] = true
	}
	return slices.DeleteFunc(list, func(c alert.Certificate) bool { return !used[c.Host] }), err
}

func lastCheck(ctx context.Context, t db.Tx) (alert.LedgerCheck, error) {
	rows, err := db.All[struct {
		alert.LedgerCheck
		Differences string
	}](ctx, t, "SELECT asked_at, ended_at, differences, found, problem FROM ledger_checks WHERE only_row = 1")
	if err != nil || len(rows) == 0 {
		return alert.LedgerCheck{}, err
	}
	var differences []string
	if err := json.Unmarshal([]byte(rows[0].Differences), &differences); err != nil {
		return alert.LedgerCheck{}, err
	}
	if len(differences) > 0 {
		rows[0].First = differences[0]
	}
	return rows[0].LedgerCheck, nil
}
