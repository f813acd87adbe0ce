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
			one := m
			if one.To = address; i > 0 {
				one.ID += "." + strconv.Itoa(i)
			}
			calls = append(calls, storeMail(sealer, one, receiver))
		}
		if m.Wish == "" {
			continue
		}
		post, url, wanted, err := chatMail(ctx, t, sealer, m)
		if err != nil {
			return err
		}
		if wanted {
			calls = append(calls, storeMail(sealer, post, int64(webhook.ReceiverOf(url))))
		}
	}
	return db.RunEach(ctx, t, calls)
}

// storeMail returns the statement that stores one mail.
func storeMail(sealer *secret.Sealer, m mail.Mail, receiver int64) *db.Stmt {
	var key any
	if m.Key != 0 {
		key = m.Key
	}
	return db.Exec(insertMail, m.ID, string(m.Kind), key, db.Shown(m.To), m.Near, db.Shown(m.Thread),
		db.Shown(m.Subject), sealer.Seal(MailPlace(m.ID), m.Body()), receiver, m.At, m.At).AnyNumber()
}

// recipients lists the addresses that get the mail.
func recipients(ctx context.Context, t db.Tx, m mail.Mail) (to []string, err error) {
	const owners = "SELECT DISTINCT u.id, u.email FROM memberships AS m JOIN users AS u ON u.id = m.user_id WHERE m.role = ? AND "
	var rows []struct {
		ID    int64
		Email string
	}
	switch {
	case m.Owners != 0 && m.Wish != "":
		err = t.NewRaw(`SELECT u.id, u.email FROM memberships AS m JOIN users AS u ON u.id = m.user_id WHERE
			u.disabled_at IS NULL AND m.merchant_id = ? AND `+wanting(m.Wish, newsOfMember)+` ORDER BY u.id`, m.Owners).
			Scan(ctx, &rows)
	case m.Owners != 0:
		err = t.NewRaw(owners+"m.merchant_id = ? ORDER BY u.id", string(merchant.RoleOwner), m.Owners).Scan(ctx, &rows)
	case m.Member != 0:
		err = t.NewRaw(owners+`u.id <> ? AND m.merchant_id IN (SELECT merchant_id FROM memberships WHERE user_id = ?)
			ORDER BY u.id`, string(merchant.RoleOwner), m.Member, m.Member).Scan(ctx, &rows)
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
// as it is, and of news that nobody wants there is none: a shop that sells much would store one for each sale.
func SaleMail(sealer *secret.Sealer, m mail.Mail) *db.Stmt {
	insert, ok := insertNews[m.Kind]
	if !ok {
		return storeMail(sealer, m, mailServer)
	}
	return db.Exec(insert, m.ID, string(m.Kind), m.Key, db.Shown(m.Thread), db.Shown(m.Subject),
		sealer.Seal(MailPlace(m.ID), m.Body()), mailServer, m.At, m.At, m.Key, m.Key).AnyNumber()
}

var insertNews = map[mail.Kind]string{
	mail.Paid: newsInsert(mail.WishPaid), mail.Attention: newsInsert(mail.WishAttention),
}

func newsInsert(w mail.Wish) string {
	return `INSERT INTO mails (message_id, kind, key_id, recipient, near, thread, subject, text, receiver, state, attempt,
		created_at, due_at, error) SELECT CAST(? AS text), CAST(? AS text), CAST(? AS bigint), '', '', CAST(? AS text),
		CAST(? AS text), CAST(? AS text), CAST(? AS bigint), 'WAITING', 0, CAST(? AS timestamptz), CAST(? AS timestamptz), ''
		WHERE EXISTS (SELECT 1 FROM api_keys AS k JOIN memberships AS m ON m.merchant_id = k.user_id
			WHERE k.id = CAST(? AS bigint) AND ` + wanting(w, newsOfMember) + `)
		OR EXISTS (SELECT 1 FROM api_keys AS k JOIN chats AS c ON c.merchant_id = k.user_id
			WHERE k.id = CAST(? AS bigint) AND ` + wanting(w, "c.news") + `) ON CONFLICT DO NOTHING`
}

// newsOfMember is what a member wants to be notified of (merchant.News).
var newsOfMember = fmt.Sprintf("CASE m.news WHEN '' THEN CASE m.role WHEN '%s' THEN '%s' ELSE '' END ELSE m.news END",
	merchant.RoleOwner, merchant.NewsOf(mail.Wished(true)))

// wanting is the condition that the news hold the wish.
func wanting(w mail.Wish, news string) string {
	return "',' || " + news + " || ',' LIKE '%," + string(w) + ",%'"
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
