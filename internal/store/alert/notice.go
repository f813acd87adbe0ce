package alert

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/store/db"
)

// noticeRow is a row of operator_notices.
type noticeRow struct {
	ID       int64
	NoticeID string
	Phase    string
	Kind     string
	Subject  string
	Title    string
	Detail   string
	Advice   string
	Since    db.Instant
	At       db.Instant
	Attempt  int
}

// dueNotice selects the first notice that is due on a channel, unless an earlier one of the same alert is to be sent
// before it: that it is over must not arrive first.
const dueNotice = "SELECT id FROM operator_notices AS n WHERE channel = ? AND state = 'WAITING' AND due_at <= ? AND NOT EXISTS (" +
	"SELECT 1 FROM operator_notices AS earlier WHERE earlier.channel = n.channel AND earlier.state = 'WAITING' " +
	"AND earlier.kind = n.kind AND earlier.subject = n.subject AND earlier.id < n.id) ORDER BY due_at, id LIMIT 1"

// TakePosting takes the first notice that is due on the channel.
func (s *Store) TakePosting(
	ctx context.Context, channel string, now, until time.Time,
) (p alert.Posting, ok bool, err error) {
	var due []int64
	// Usually there is none, and nothing is written.
	if err := s.db.Reader().NewRaw(dueNotice, channel, db.At(now)).Scan(ctx, &due); err != nil || len(due) == 0 {
		return p, false, db.Wrap(err, "notices to operators")
	}
	err = s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		var rows []noticeRow
		err := t.NewRaw("UPDATE operator_notices SET attempt = attempt + 1, due_at = ? WHERE id = ? AND state = 'WAITING' "+
			"AND due_at <= ? RETURNING id, notice_id, phase, kind, subject, title, detail, advice, since, at, attempt - 1 AS attempt",
			db.At(until), due[0], db.At(now)).Scan(ctx, &rows)
		if ok = err == nil && len(rows) == 1; ok {
			p = posting(channel, rows[0])
		}
		return err
	})
	return p, ok && err == nil, db.Wrap(err, "take a notice to operators")
}

func posting(channel string, r noticeRow) alert.Posting {
	return alert.Posting{
		Row: r.ID, Channel: channel, Attempt: r.Attempt,
		Notice: alert.Notice{
			ID: r.NoticeID, Phase: alert.Phase(r.Phase), At: r.At.Time,
			Alert: alert.Alert{Since: r.Since.Time, Condition: alert.Condition{
				Kind: alert.Kind(r.Kind), Subject: r.Subject, Title: r.Title, Text: r.Detail, Advice: r.Advice,
			}},
		},
	}
}

// EndPosting stores the outcome of an attempt. One that was not sent and has no time when it is due is given up.
func (s *Store) EndPosting(ctx context.Context, p alert.Posting, sent bool, due time.Time) error {
	state := "WAITING"
	switch {
	case sent:
		state = "SENT"
	case due.IsZero():
		state, due = "FAILED", p.At
	}
	_, err := db.WriteOne(ctx, s.db, "UPDATE operator_notices SET state = ?, due_at = ? WHERE id = ? AND attempt = ? AND state = 'WAITING'",
		state, db.At(due), p.Row, p.Attempt+1)
	return db.Wrap(err, "end notice %d to operators", p.Row)
}

// SaveCertificates stores until when the certificates of the hosts are valid.
func (s *Store) SaveCertificates(ctx context.Context, list []alert.Certificate, now, forget time.Time) error {
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		for _, c := range list {
			_, err := t.NewRaw("INSERT INTO callback_certificates (host, expires_at, seen_at) VALUES (?, ?, ?) "+
				"ON CONFLICT (host) DO UPDATE SET expires_at = excluded.expires_at, seen_at = excluded.seen_at",
				db.Shown(c.Host), db.At(c.ExpiresAt), db.At(now)).Exec(ctx)
			if err != nil {
				return err
			}
		}
		_, err := t.NewRaw("DELETE FROM callback_certificates WHERE seen_at < ?", db.At(forget)).Exec(ctx)
		return err
	})
	return db.Wrap(err, "save certificates of callbacks")
}
