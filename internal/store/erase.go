package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// eraseAtOnce is how many payments one transaction changes, so that it holds up no other for long.
const eraseAtOnce = 100

// EraseCustomer forgets the customer in every payment with the e-mail address, in any case of ASCII letters: the
// address, the donor's name and message, and the metadata, also where events repeat it, and what receivers of webhooks
// answered. The address alone is replaced where it stands in a description, a reference or an address to return to, and
// in audit entries about payments. Amounts, addresses, ledger and deposits stay as they are. It returns how many
// payments and audit entries it changed, and writes the audit entry, which must not name the customer, for every
// operator if there was any. What a failure has left over, the next call erases.
func (s *Store) EraseCustomer(ctx context.Context, email string, entry audit.Entry) (Erased, error) {
	var n Erased
	names := newNames(email)
	for more := true; more; {
		some := 0
		err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) (err error) {
			some, err = eraseSome(ctx, t, s.db.Dialect().Bytewise, email, names)
			return err
		})
		if err != nil {
			return n, fmt.Errorf("erase a customer: %w", err)
		}
		n.Payments, more = n.Payments+some, some == eraseAtOnce
	}
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		_, err := t.NewRaw("DELETE FROM mails WHERE kind = 'CUSTOMER' AND lower(recipient COLLATE ?) = ?",
			bun.Safe(s.db.Dialect().Bytewise), db.LowerASCII(email)).Exec(ctx)
		return err
	})
	if err != nil {
		return n, fmt.Errorf("erase mails to a customer: %w", err)
	}
	if n.Entries, err = eraseAudit(ctx, s.db, names); err != nil {
		return n, fmt.Errorf("erase a customer in audit entries: %w", err)
	}
	if n == (Erased{}) {
		return n, nil
	}
	entry.Detail = mail.N("{{.N}} payments", "{{.N}} payment", n.Payments).Kept()
	err = s.db.Write(ctx, func(ctx context.Context, t db.Tx) error { return table.AuditOperators(ctx, t, entry) })
	return n, db.Wrap(err, "erase a customer")
}

// Erased is how much was changed.
type Erased struct{ Payments, Entries int }

func eraseSome(ctx context.Context, t db.Tx, bytewise, email string, names names) (int, error) {
	var ids []int64
	err := t.NewRaw(`SELECT id FROM payments WHERE key_id IN (SELECT id FROM api_keys) AND customer_email <> ''
		AND lower(customer_email COLLATE ?) = ? ORDER BY id LIMIT ?`+t.ForUpdate(),
		bun.Safe(bytewise), db.LowerASCII(email), eraseAtOnce).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	for _, text := range []string{
		"INSERT INTO erasures (payment_id) SELECT id FROM payments WHERE id IN (?)",
		"UPDATE payments SET customer_email = '', donor_name = '', donor_message = '', metadata = '' WHERE id IN (?)",
		"UPDATE refunds SET reason = '' WHERE reason <> '' AND payment_id IN (?)",
		`UPDATE delivery_attempts SET response = '' WHERE response <> '' AND delivery_id IN
			(SELECT id FROM deliveries WHERE payment_id IN (?))`, // receivers repeat what they got
	} {
		if _, err := t.NewRaw(text, bun.List(ids)).Exec(ctx); err != nil {
			return 0, err
		}
	}
	if err := eraseTexts(ctx, t, ids, names); err != nil {
		return 0, err
	}
	if err := eraseEvents(ctx, t, ids, names); err != nil {
		return 0, err
	}
	_, err = t.NewRaw("DELETE FROM erasures").Exec(ctx)
	return len(ids), err
}

// eraseTexts replaces the address in what merchants wrote about the payments, and what is erased is no longer found.
func eraseTexts(ctx context.Context, t db.Tx, ids []int64, names names) error {
	var rows []struct {
		ID                                            int64
		Reference, Description, SuccessURL, CancelURL string
	}
	err := t.NewRaw("SELECT id, reference, description, success_url, cancel_url FROM payments WHERE id IN (?) ORDER BY id",
		bun.List(ids)).Scan(ctx, &rows)
	if err != nil {
		return err
	}
	for _, r := range rows {
		next := r
		next.Reference, next.Description = names.replace(r.Reference), names.replace(r.Description)
		next.SuccessURL, next.CancelURL = names.replace(r.SuccessURL), names.replace(r.CancelURL)
		words := wordsOf(payment.Details{Reference: next.Reference, Description: next.Description})
		_, err := t.NewRaw(`UPDATE payments SET reference = ?, description = ?, success_url = ?, cancel_url = ?, words = ?
			WHERE id = ?`, next.Reference, next.Description, next.SuccessURL, next.CancelURL, words, r.ID).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// eraseEvents removes the metadata from the events of the payments, and the address wherever it stands.
func eraseEvents(ctx context.Context, t db.Tx, ids []int64, names names) error {
	var events []struct {
		PaymentID, Seq int64
		PublicID       payment.ID
		Data           []byte
	}
	err := t.NewRaw(`SELECT e.payment_id, e.seq, p.public_id, e.data FROM events AS e JOIN payments AS p ON p.id = e.payment_id
		WHERE e.payment_id IN (?) ORDER BY e.payment_id, e.seq`, bun.List(ids)).Scan(ctx, &events)
	if err != nil {
		return err
	}
	for _, event := range events {
		var body struct{ Metadata json.RawMessage }
		if err := json.Unmarshal(event.Data, &body); err != nil {
			return fmt.Errorf("event %d of payment %s: %w", event.Seq, event.PublicID, err)
		}
		data := string(event.Data)
		if len(body.Metadata) > 0 { // no text can have these bytes: its quotes are escaped
			data = strings.Replace(data, `"metadata":`+string(body.Metadata), `"metadata":{}`, 1)
		}
		if data = names.replace(data); data == string(event.Data) {
			continue
		}
		_, err = t.NewRaw("UPDATE events SET data = ? WHERE payment_id = ? AND seq = ?",
			[]byte(data), event.PaymentID, event.Seq).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}
