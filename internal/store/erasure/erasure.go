// Package erasure forgets customers.
//
// Its one invariant: amounts, deposits and the ledger stay as they are, and events change in their metadata alone.
package erasure

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// eraseAtOnce is how many payments one transaction changes, so that it holds up no other for long.
const eraseAtOnce = 100

// Customer forgets the customer in every payment with the e-mail address, in any case of ASCII letters: the
// address, the donor's name and message, and the metadata, also where events repeat it. Amounts, addresses, ledger and
// deposits stay as they are. It returns how many payments it changed, and writes the audit entry, which must not name
// the customer, for every operator if there was any. What a failure has left over, the next call erases.
func Customer(ctx context.Context, e db.Engine, email string, entry audit.Entry) (erased int, err error) {
	for more := true; more; {
		n := 0
		err := e.Write(ctx, func(ctx context.Context, t db.Tx) (err error) {
			n, err = eraseSome(ctx, t, e.Dialect().Bytewise, email)
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
	err = e.Write(ctx, func(ctx context.Context, t db.Tx) error { return table.AuditOperators(ctx, t, entry) })
	return erased, db.Wrap(err, "erase a customer")
}

func eraseSome(ctx context.Context, t db.Tx, bytewise, email string) (int, error) {
	var ids []int64
	err := t.NewRaw("SELECT id FROM payments WHERE key_id IN (SELECT id FROM api_keys) AND customer_email <> '' "+
		"AND lower(customer_email COLLATE ?) = ? ORDER BY id LIMIT ?"+t.ForUpdate(),
		bun.Safe(bytewise), db.LowerASCII(email), eraseAtOnce).Scan(ctx, &ids)
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
func eraseEvents(ctx context.Context, t db.Tx, ids []int64) error {
	var events []struct {
		ID   int64
		Data string
	}
	err := t.NewRaw("SELECT id, data FROM events WHERE payment_id IN (?) ORDER BY id", bun.List(ids)).Scan(ctx, &events)
	if err != nil {
		return err
	}
	for _, event := range events {
		var body struct{ Metadata json.RawMessage }
		if err := json.Unmarshal([]byte(event.Data), &body); err != nil {
			return fmt.Errorf("event %d: %w", event.ID, err)
		}
		if len(body.Metadata) == 0 {
			continue // it is not public
		}
		// No text can have these bytes: its quotes are escaped.
		data := strings.Replace(event.Data, `"metadata":`+string(body.Metadata), `"metadata":{}`, 1)
		if _, err := t.NewRaw("UPDATE events SET data = ? WHERE id = ?", data, event.ID).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}
