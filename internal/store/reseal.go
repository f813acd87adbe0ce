package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// pageSize is how many rows are resealed in one transaction: few enough not to hold up a payment.
const pageSize = 100

// sealedRow is one value with what identifies its row.
type sealedRow struct {
	Number int64
	Text   string
	Value  []byte
}

// reseal seals the values of a column with the new key, a page after the other.
func reseal(ctx context.Context, e db.Engine, s *secret.Sealer, c table.SealedColumn, report *Rotation) error {
	var last *sealedRow
	for {
		rows, err := sealedPage(ctx, e, c, last)
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := resealPage(ctx, e, s, c, rows, report); err != nil {
			return err
		}
		last = &rows[len(rows)-1]
	}
}

// keyColumns returns the columns that identify a row, and the row's values of them.
func keyColumns(c table.SealedColumn, row sealedRow) (columns []string, values []any) {
	if c.Number != "" {
		columns, values = append(columns, c.Number), append(values, row.Number)
	}
	if c.Text != "" {
		columns, values = append(columns, c.Text), append(values, row.Text)
	}
	return columns, values
}

// page reads the rows after the last one, in the order of their key.
func sealedPage(ctx context.Context, e db.Engine, c table.SealedColumn, last *sealedRow) (rows []sealedRow, err error) {
	keys, _ := keyColumns(c, sealedRow{})
	number, text, order := "0", "''", strings.Join(keys, ", ")
	if c.Number != "" {
		number = c.Number
	}
	if c.Text != "" {
		text = c.Text
	}
	query := fmt.Sprintf("SELECT %s AS number, %s AS text, %s AS value FROM %s", number, text, c.Column, c.Table)
	var args []any
	if last != nil {
		_, args = keyColumns(c, *last)
		query += fmt.Sprintf(" WHERE (%s) > (%s)", order, strings.Join(strings.Split(strings.Repeat("?", len(args)), ""), ", "))
	}
	query += fmt.Sprintf(" ORDER BY %s LIMIT %d", order, pageSize)
	err = e.Reader().NewRaw(query, args...).Scan(ctx, &rows)
	return rows, err
}

// resealPage stores the new values. A row that changed since it was read is left to the next call of Rotate.
func resealPage(
	ctx context.Context, e db.Engine, s *secret.Sealer, c table.SealedColumn, page []sealedRow, report *Rotation,
) error {
	var resealed []sealedRow
	var before [][]byte
	for _, row := range page {
		value, err := c.Reseal(s, row.Number, row.Text, string(row.Value))
		if err != nil {
			report.Unreadable = append(report.Unreadable, unreadableSealed(c, row, err))
			continue
		}
		if value != string(row.Value) {
			before, row.Value = append(before, row.Value), []byte(value)
			resealed = append(resealed, row)
		}
	}
	if len(resealed) == 0 {
		return nil
	}
	var changed int64
	err := e.Write(ctx, func(ctx context.Context, t db.Tx) error {
		changed = 0
		for i, row := range resealed {
			n, err := replaceSealed(ctx, t, c, row, before[i])
			if err != nil {
				return err
			}
			changed += n
		}
		return nil
	})
	if err != nil {
		return err
	}
	report.Resealed += int(changed)
	return nil
}

// replace stores the new value of a row that still has the one before, and returns how many rows it changed.
func replaceSealed(ctx context.Context, t db.Tx, c table.SealedColumn, row sealedRow, before []byte) (int64, error) {
	typed := func(b []byte) any {
		if c.Bytes {
			return b
		}
		return string(b)
	}
	keys, args := keyColumns(c, row)
	query := fmt.Sprintf("UPDATE %s SET %s = ? WHERE %s = ? AND %s = ?",
		c.Table, c.Column, c.Column, strings.Join(keys, " = ? AND "))
	res, err := t.NewRaw(query, append([]any{typed(row.Value), typed(before)}, args...)...).Exec(ctx)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// unreadable names a value that neither key opens.
func unreadableSealed(c table.SealedColumn, row sealedRow, err error) string {
	why := "damaged"
	if errors.Is(err, secret.ErrUnknownKey) {
		why = "sealed with the key " + secret.KeyIDOf(string(row.Value))
	}
	_, key := keyColumns(c, row)
	return fmt.Sprintf("%s.%s of %s: %s", c.Table, c.Column, strings.Trim(fmt.Sprint(key), "[]"), why)
}
