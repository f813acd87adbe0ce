package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
	"github.com/florinpay/florin/internal/webhook"
)

// Outbox is that of mails and of the operator's webhook, whose loop sends them (webhook). It is safe for
// concurrent use.
//
// Its one invariant: a mail is written by table.AddMails with what it is about, and its text is gone when it has ended.
type Outbox struct {
	db     db.Engine
	sealer *secret.Sealer
}

var _ webhook.Store = (*Outbox)(nil)

// Add stores mails by themselves.
func (s *Outbox) Add(ctx context.Context, mails ...mail.Mail) error {
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error { return table.AddMails(ctx, t, s.sealer, mails) })
	return db.Wrap(err, "store mails")
}

// mailRow is a mail as it is stored.
type mailRow struct {
	mail.Mail

	Sealed string // Text
}

var _ = db.NewTable[mailRow]("mails", "read: message_id=ID kind key_id=Key recipient=To near thread subject text=Sealed created_at=At")

// Mail returns a mail that waits.
func (s *Outbox) Mail(ctx context.Context, id int64) (mail.Mail, error) {
	r, err := db.First[mailRow](ctx, s.db.Reader(), sql.ErrNoRows, `SELECT message_id, kind, coalesce(key_id, 0) AS key_id, recipient, near,
		thread, subject, text, created_at FROM mails WHERE id = ?`, id)
	m := r.Mail
	if err == nil && r.Sealed != "" {
		var body secret.Text
		if body, err = s.sealer.Open(table.MailPlace(m.ID), r.Sealed); err == nil {
			m, err = m.Read(body)
		}
	}
	return m, db.Wrap(err, "mail %d", id)
}

// mostEarlierMails bounds how many mails to one address Allowed looks at.
const mostEarlierMails = 1_000

// Allowed reports whether a mail that a stranger asked for may be sent (mail.Mail.Allowed), so that nobody fills a
// mailbox. It gives the same answer for the same mail again.
func (s *Outbox) Allowed(ctx context.Context, id int64) (bool, error) {
	m, err := s.Mail(ctx, id)
	if err != nil {
		return false, err
	}
	before, err := db.All[mail.Mail](ctx, s.db.Reader(), `SELECT near FROM mails WHERE recipient = ? AND kind IN ('ASKED', 'RESET') AND kind = ? AND subject = ? AND id < ?
		AND created_at > ? AND state <> 'STOPPED' ORDER BY id DESC LIMIT ?`, m.To, m.Kind, m.Subject, id,
		m.At.Add(-time.Hour), mostEarlierMails)
	return m.Allowed(before), db.Wrap(err, "mails to an address")
}

// DueReceivers returns the mail server and the operator's webhook, where something is due.
func (s *Outbox) DueReceivers(ctx context.Context, now time.Time) (list []webhook.DueReceiver, err error) {
	list, err = db.All[webhook.DueReceiver](ctx, s.db.Reader(), `SELECT receiver AS id, min(due_at) AS since, (SELECT count(*) FROM mails AS h
			WHERE h.state = 'WAITING' AND h.holder IS NOT NULL AND h.receiver = mails.receiver AND h.due_at > ?1) AS held
		FROM mails WHERE state = 'WAITING' AND due_at <= ?0 GROUP BY receiver`, now, webhook.ClaimedLately(now))
	return list, db.Wrap(err, "due mails")
}

// claimMails holds the first due mails of a receiver, but none while an earlier one of its thread waits: that
// something is over must not arrive before that it began.
const claimMails = `UPDATE mails SET holder = ?, due_at = ? WHERE id IN (
	SELECT id FROM mails AS m WHERE state = 'WAITING' AND receiver = ? AND due_at <= ? AND (thread = '' OR NOT EXISTS (
		SELECT 1 FROM mails AS e WHERE e.state = 'WAITING' AND e.thread = m.thread AND e.receiver = m.receiver
		AND e.recipient = m.recipient AND e.id < m.id))
	ORDER BY due_at, id LIMIT ? ?)
	RETURNING id, message_id AS event_id, attempt, receiver`

// Claim holds the first due mails of each receiver, as many as its share.
func (s *Outbox) Claim(
	ctx context.Context, holder string, now, until time.Time, shares []webhook.Share,
) (list []webhook.Delivery, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		list = nil
		for _, share := range shares {
			claimed, err := db.All[webhook.Delivery](ctx, t, claimMails, holder, until, share.Receiver, now, share.N,
				bun.Safe(s.db.Dialect().SkipLocked))
			if err != nil {
				return err
			}
			list = append(list, claimed...)
		}
		return nil
	})
	return list, db.Wrap(err, "claim mails")
}

// mailKeptFor is how long it is kept that a mail was sent or given up.
const mailKeptFor = 30 * 24 * time.Hour

// Settle writes the outcome of an attempt if the holder still has the mail. The text of one that has ended is dropped:
// it may have a link that opens an account.
func (s *Outbox) Settle(ctx context.Context, holder string, o webhook.Outcome) error {
	due := o.Attempt.At
	if o.State == webhook.Waiting {
		due = o.NextAt
	}
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		_, err := t.NewRaw(`UPDATE mails SET state = ?0, attempt = attempt + 1, due_at = ?1, holder = NULL, error = ?2,
			text = CASE ?0 WHEN 'WAITING' THEN text ELSE '' END WHERE id = ?3 AND holder = ?4 AND state = 'WAITING'`,
			o.State, due, db.Shown(o.Attempt.Error), o.DeliveryID, holder).Exec(ctx)
		if err != nil || o.State == webhook.Waiting {
			return err
		}
		_, err = t.NewRaw("DELETE FROM mails WHERE state <> 'WAITING' AND due_at < ?", due.Add(-mailKeptFor)).Exec(ctx)
		return err
	})
	return db.Wrap(err, "settle mail %d", o.DeliveryID)
}

// NextDue returns when the next mail is due that nobody holds.
func (s *Outbox) NextDue(ctx context.Context, now time.Time) (time.Time, bool, error) {
	due, err := db.First[struct{ DueAt time.Time }](ctx, s.db.Reader(), nil, `SELECT due_at FROM mails
		WHERE state = 'WAITING' AND (holder IS NULL OR due_at <= ?) ORDER BY due_at LIMIT 1`, now)
	return due.DueAt, !due.DueAt.IsZero(), db.Wrap(err, "next mail")
}
