package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/store/db"
)

// eraseAtOnce is how many payments one transaction of EraseCustomer changes, so that it holds up no other for long.
const eraseAtOnce = 100

// EraseCustomer forgets the customer in every payment with the e-mail address, in any case of ASCII letters: the
// address, the donor's name and message, and the metadata, also where events repeat it. Amounts, addresses, ledger and
// deposits stay as they are. It returns how many payments it changed, and writes the audit entry, which must not name
// the customer, for every operator if there was any. What a failure has left over, the next call erases.
func (s *Store) EraseCustomer(ctx context.Context, email string, entry audit.Entry) (erased int, err error) {
	for more := true; more; {
		n := 0
		err := s.db.Write(ctx, func(ctx context.Context, t tx) (err error) {
			n, err = s.eraseSome(ctx, t, email)
			return err
		})
		if err != nil {
			return erased, fmt.Errorf("erase a customer: %w", err)
		}
		erased, more = erased+n, n == eraseAtOnce
	}
	if erased == 0 {
		return 0, nil
	}
	entry.Detail = fmt.Sprintf("%d payments", erased)
	err = s.db.Write(ctx, func(ctx context.Context, t tx) error { return auditOperators(ctx, t, entry) })
	return erased, db.Wrap(err, "erase a customer")
}

func (s *Store) eraseSome(ctx context.Context, t tx, email string) (int, error) {
	var ids []int64
	err := t.NewRaw("SELECT id FROM payments WHERE key_id IN (SELECT id FROM api_keys) AND customer_email <> '' "+
		"AND lower(customer_email COLLATE ?) = ? ORDER BY id LIMIT ?"+t.ForUpdate(),
		bun.Safe(s.db.Dialect().Bytewise), lowerASCII(email), eraseAtOnce).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	for _, text := range []string{
		"INSERT INTO erasures (payment_id) SELECT id FROM payments WHERE id IN (?)",
		"UPDATE payments SET customer_email = '', donor_name = '', donor_message = '', metadata = '' WHERE id IN (?)",
	} {
		if _, err := t.NewRaw(text, bun.List(ids)).Exec(ctx); err != nil {
			return 0, err
		}
	}
	if err := eraseEvents(ctx, t, ids); err != nil {
		return 0, err
	}
	_, err = t.NewRaw("DELETE FROM erasures").Exec(ctx)
	return len(ids), err
}

// eraseEvents removes the metadata from the events of the payments.
func eraseEvents(ctx context.Context, t tx, ids []int64) error {
	var events []struct {
		ID   int64
		Data string
	}
	err := t.NewRaw("SELECT id, data FROM events WHERE payment_id IN (?) ORDER BY id", bun.List(ids)).Scan(ctx, &events)
	if err != nil {
		return err
	}
	for _, e := range events {
		var body struct{ Metadata json.RawMessage }
		if err := json.Unmarshal([]byte(e.Data), &body); err != nil {
			return fmt.Errorf("event %d: %w", e.ID, err)
		}
		if len(body.Metadata) == 0 {
			continue // it is not public
		}
		// No text can have these bytes: its quotes are escaped.
		data := strings.Replace(e.Data, `"metadata":`+string(body.Metadata), `"metadata":{}`, 1)
		if _, err := t.NewRaw("UPDATE events SET data = ? WHERE id = ?", data, e.ID).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}
