package session

import (
	"context"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/settings"
	"github.com/florinpay/florin/web/shell"
)

// Waiting lists the changes of a locked merchant that wait.
func (g *Guard) Waiting(ctx context.Context, merchantID int64) ([]settings.WaitingRow, error) {
	list, err := g.Merchants.Waiting(ctx, merchantID)
	var rows []settings.WaitingRow
	for _, w := range list {
		rows = append(rows, WaitingRow(views.LocaleOf(ctx), w))
	}
	return rows, err
}

// WaitingRow is what pages show of a change that waits.
func WaitingRow(l *views.Locale, w merchant.Waiting) settings.WaitingRow {
	row := settings.WaitingRow{ID: w.ID, What: w.Kind.What(), By: w.By, Due: l.Time(w.DueAt)}
	for _, line := range w.Changes {
		row.Changes = append(row.Changes, shell.Said(l, line))
	}
	return row
}
