package store

import (
	"context"
	"slices"
	"strings"

	"github.com/florinpay/florin/internal/payment"
)

// joined reads a payment with its routes and deposits in one statement, and so
// on one snapshot. Each route comes with every deposit. What is not there comes
// as empty.
var joined = "SELECT " + aliased("p", "id, "+paymentColumns) + ", " +
	aliasedOrEmpty("r", routeColumns, (&routeRow{}).fields()) + ", " + aliasedOrEmpty("d", depositColumns, (&depositRow{}).fields()) +
	" FROM payments AS p LEFT JOIN routes AS r ON r.payment_id = p.id LEFT JOIN deposits AS d ON d.payment_id = p.id " +
	"WHERE p.public_id = ? ORDER BY r.id, d.id"

// aliased writes the columns as those of an alias.
func aliased(alias, columns string) string {
	names := strings.Split(columns, ", ")
	for i, name := range names {
		names[i] = alias + "." + name
	}
	return strings.Join(names, ", ")
}

// aliasedOrEmpty is aliased for a row that may not be there: the columns are
// then read as empty by fields that know no NULL.
func aliasedOrEmpty(alias, columns string, fields []any) string {
	names := strings.Split(aliased(alias, columns), ", ")
	for i, field := range fields {
		switch field.(type) {
		case *string:
			names[i] = "coalesce(" + names[i] + ", '')"
		case *int64:
			names[i] = "coalesce(" + names[i] + ", 0)"
		case *bool:
			names[i] = "coalesce(" + names[i] + ", FALSE)"
		}
	}
	return strings.Join(names, ", ")
}

// addJoined takes the deposits that come with the first route, and a route
// when it is the next.
func (l *loaded) addJoined(scan func(...any) error) error {
	var r routeRow
	var d depositRow
	if err := scan(slices.Concat(l.row.fields(), r.fields(), d.fields())...); err != nil {
		return err
	}
	if r.PaymentID != 0 && (len(l.routes) == 0 || l.routes[len(l.routes)-1].Network != r.Network) {
		l.routes = append(l.routes, r)
	}
	if d.PaymentID != 0 && len(l.routes) <= 1 {
		l.deposits = append(l.deposits, d)
	}
	return nil
}

func (e *sqliteEngine) load(ctx context.Context, id payment.ID) (*loaded, error) {
	var l loaded
	err := e.read(ctx, query(l.addJoined, joined, string(id)))
	return &l, err
}
