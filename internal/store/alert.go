package store

import (
	"context"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// Alerts stores what operators are notified of, and certificates. An alert and the mails of its change are written
// together, by the instance that has the lease.
type Alerts struct {
	db     db.Engine
	sealer *secret.Sealer
}

var _ alert.Store = (*Alerts)(nil)

// alertLease is the name of the lease to judge.
const alertLease = "alerts"

var alertTable = db.NewTable[alert.Alert]("operator_alerts", `
	fixed:   kind subject
	changes: title detail=Text advice public since seen_at notified_at`)

// List lists the stored alerts, in the order in which they began.
func (s *Alerts) List(ctx context.Context) (list []alert.Alert, err error) {
	err = s.db.Snapshot(ctx, func(ctx context.Context, t db.Tx) (err error) {
		list, err = readAlerts(ctx, t)
		return err
	})
	return list, db.Wrap(err, "alerts")
}

func readAlerts(ctx context.Context, t db.Tx) ([]alert.Alert, error) {
	return db.All[alert.Alert](ctx, t, "SELECT * FROM operator_alerts ORDER BY since, kind, subject")
}

// UpdateAlerts stores what decide makes of the stored alerts, if the lease can be had.
func (s *Alerts) UpdateAlerts(
	ctx context.Context, l alert.Lease, decide func([]alert.Alert) (alert.Change, error),
) (list []alert.Alert, leads bool, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		// The row of the lease stays locked until the end, so no other instance decides meanwhile.
		leads, err = table.Take(ctx, t, alertLease, l.Holder, l.Now, l.Until)
		if err != nil {
			return err
		}
		if list, err = readAlerts(ctx, t); err != nil {
			return err
		}
		if !leads {
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

func (s *Alerts) save(ctx context.Context, t db.Tx, c alert.Change) error {
	for _, a := range c.Save {
		for _, text := range []*string{&a.Subject, &a.Title, &a.Text, &a.Advice} {
			*text = db.Shown(*text)
		}
		_, err := alertTable.Into(t, alertTable.OnConflict("kind, subject"), a).Exec(ctx)
		if err != nil {
			return err
		}
	}
	for _, a := range c.Remove {
		_, err := t.NewRaw("DELETE FROM operator_alerts WHERE kind = ? AND subject = ?", a.Kind,
			db.Shown(a.Subject)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return table.AddMails(ctx, t, s.sealer, c.Mails)
}
