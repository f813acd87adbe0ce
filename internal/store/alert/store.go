// Package alert stores what operators are notified of. It implements the Store port of the domain package alert.
//
// Its one invariant: an alert and the mails of its change are written together, by the instance that has the lease.
package alert

import (
	"context"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// Store stores alerts and certificates. It is safe for concurrent use.
type Store struct {
	db     db.Engine
	sealer *secret.Sealer
}

var _ alert.Store = (*Store)(nil)

// New returns the store on an open database.
func New(e db.Engine, sealer *secret.Sealer) *Store { return &Store{e, sealer} }

// leaseName is the name of the lease to judge.
const leaseName = "alerts"

// alertRow is a row of operator_alerts.
type alertRow struct {
	Kind, Subject, Title, Detail, Advice string

	Public     bool
	Since      db.Instant
	SeenAt     db.Instant
	NotifiedAt db.Instant
}

// List lists the stored alerts, in the order in which they began.
func (s *Store) List(ctx context.Context) (list []alert.Alert, err error) {
	err = s.db.Snapshot(ctx, func(ctx context.Context, t db.Tx) (err error) {
		list, err = readAlerts(ctx, t)
		return err
	})
	return list, db.Wrap(err, "alerts")
}

func readAlerts(ctx context.Context, t db.Tx) ([]alert.Alert, error) {
	var rows []alertRow
	err := t.NewRaw("SELECT kind, subject, title, detail, advice, public, since, seen_at, notified_at FROM operator_alerts "+
		"ORDER BY since, kind, subject").Scan(ctx, &rows)
	list := make([]alert.Alert, len(rows))
	for i, r := range rows {
		list[i] = alert.Alert{
			Condition: alert.Condition{
				Kind: alert.Kind(r.Kind), Subject: r.Subject, Title: r.Title, Text: r.Detail, Advice: r.Advice,
				Public: r.Public,
			},
			Since: r.Since.Time, SeenAt: r.SeenAt.Time, NotifiedAt: r.NotifiedAt.Time,
		}
	}
	return list, err
}

// UpdateAlerts stores what decide makes of the stored alerts, if the lease can be had.
func (s *Store) UpdateAlerts(
	ctx context.Context, l alert.Lease, decide func([]alert.Alert) (alert.Change, error),
) (list []alert.Alert, leads bool, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		// The row of the lease stays locked until the end, so no other instance decides meanwhile.
		res, err := t.NewRaw("INSERT INTO leases (name, holder, until) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE "+
			"SET holder = excluded.holder, until = excluded.until WHERE leases.holder = excluded.holder OR leases.until <= ?",
			leaseName, l.Holder, db.At(l.Until), db.At(l.Now)).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return err
		}
		if list, err = readAlerts(ctx, t); err != nil {
			return err
		}
		if leads = n == 1; !leads {
			return nil
		}
		change, err := decide(list)
		if err != nil || change.Empty() {
			return err
		}
		if err := s.save(ctx, t, change); err != nil {
			return err
		}
		list, err = readAlerts(ctx, t)
		return err
	})
	return list, leads && err == nil, db.Wrap(err, "update alerts")
}

func (s *Store) save(ctx context.Context, t db.Tx, c alert.Change) error {
	for _, a := range c.Save {
		_, err := t.NewRaw("INSERT INTO operator_alerts (kind, subject, title, detail, advice, public, since, seen_at, notified_at) "+
			"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (kind, subject) DO UPDATE SET title = excluded.title, "+
			"detail = excluded.detail, advice = excluded.advice, public = excluded.public, since = excluded.since, "+
			"seen_at = excluded.seen_at, notified_at = excluded.notified_at",
			string(a.Kind), db.Shown(a.Subject), db.Shown(a.Title), db.Shown(a.Text), db.Shown(a.Advice), a.Public,
			db.At(a.Since), db.At(a.SeenAt), db.At(a.NotifiedAt)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	for _, a := range c.Remove {
		_, err := t.NewRaw("DELETE FROM operator_alerts WHERE kind = ? AND subject = ?", string(a.Kind),
			db.Shown(a.Subject)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return table.AddMails(ctx, t, s.sealer, c.Mails)
}
