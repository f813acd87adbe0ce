package table

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/webhook"
)

// What mails are delivered to: one mail server, and the operator's webhook.
var (
	mailServer   = int64(webhook.ReceiverOf("mailto:"))
	operatorHook = int64(webhook.ReceiverOf("operator"))
)

const insertMail = `INSERT INTO mails (message_id, kind, key_id, recipient, near, thread, subject, text, receiver, state, attempt,
	created_at, due_at, error) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'WAITING', 0, ?, ?, '') ON CONFLICT DO NOTHING`

// AddMails stores mails in the transaction of what they are about: one for each owner of a merchant account where it
// goes to owners. One that is stored already stays as it is.
func AddMails(ctx context.Context, t db.Tx, sealer *secret.Sealer, mails []mail.Mail) error {
	var calls []*db.Stmt
	for _, m := range mails {
		to, err := recipients(ctx, t, m)
		if err != nil {
			return err
		}
		receiver := mailServer
		if m.Kind == mail.Hook {
			receiver = operatorHook
		}
		for i, address := range to {
			id := m.ID
			if i > 0 {
				id += "." + strconv.Itoa(i)
			}
			calls = append(calls, db.Exec(insertMail, id, string(m.Kind), nil, db.Shown(address), m.Near,
				db.Shown(m.Thread), db.Shown(m.Subject), sealer.Seal(MailPlace(id), m.Text), receiver, m.At,
				m.At).AnyNumber())
		}
	}
	return db.RunEach(ctx, t, calls)
}

// recipients lists the addresses that get the mail.
func recipients(ctx context.Context, t db.Tx, m mail.Mail) (to []string, err error) {
	const owners = "SELECT DISTINCT u.id, u.email FROM memberships AS m JOIN users AS u ON u.id = m.user_id WHERE m.role = ? AND "
	var rows []struct {
		ID    int64
		Email string
	}
	switch {
	case m.Owners != 0:
		err = t.NewRaw(owners+"m.merchant_id = ? ORDER BY u.id", string(merchant.RoleOwner), m.Owners).Scan(ctx, &rows)
	case m.Member != 0:
		err = t.NewRaw(owners+"u.id <> ? AND m.merchant_id IN (SELECT merchant_id FROM memberships WHERE user_id = ?) "+
			"ORDER BY u.id", string(merchant.RoleOwner), m.Member, m.Member).Scan(ctx, &rows)
	default:
		return []string{m.To}, nil
	}
	for _, r := range rows {
		if r.Email != m.Except {
			to = append(to, r.Email)
		}
	}
	return to, err
}

// CreditMail returns the statement that stores that a mail about the credits of a key is due. One that waits already is
// enough.
func CreditMail(kind mail.Kind, keyID int64, at time.Time) *db.Stmt {
	id := fmt.Sprintf("%s.%d.%d", kind, keyID, at.UnixMicro())
	return db.Exec(insertMail, id, string(kind), keyID, "", "", "", "", "", mailServer, at, at).AnyNumber()
}

// SaleMail returns the statement that stores a mail about the sales of a key, or to a customer. One with its id stays
// as it is.
func SaleMail(sealer *secret.Sealer, m mail.Mail) *db.Stmt {
	var key any
	if m.Key != 0 {
		key = m.Key
	}
	return db.Exec(insertMail, m.ID, string(m.Kind), key, db.Shown(m.To), "", db.Shown(m.Thread), db.Shown(m.Subject),
		sealer.Seal(MailPlace(m.ID), m.Text), mailServer, m.At, m.At).AnyNumber()
}

// RareMail stores a mail as CreditMail does, unless one of its kind ended after since.
func RareMail(ctx context.Context, t db.Tx, kind mail.Kind, keyID int64, at, since time.Time) error {
	var n int
	err := t.NewRaw("SELECT count(*) FROM mails WHERE key_id = ? AND kind = ? AND due_at > ?", keyID,
		string(kind), since).Scan(ctx, &n)
	if err != nil || n > 0 {
		return err
	}
	return db.RunEach(ctx, t, []*db.Stmt{CreditMail(kind, keyID, at)})
}
