package db

import (
	"context"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/testkit/postgres"
)

// A panic while a row is read does not cost PostgreSQL's pool its connection.
func TestPostgres_PanicInARow(t *testing.T) {
	t.Parallel()
	e, err := Open(t.Context(), postgres.URL(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	one := func(row func(Scan) error) *Stmt { return Query(row, "SELECT 1") }
	panics := one(func(Scan) error { panic("a fault") })
	if Guard(func() error { return e.ReadAll(ctx, panics, panics) }) == nil {
		t.Fatal("the panic was lost")
	}
	var n int
	reads := one(func(scan Scan) error { return scan(&n) })
	if err := e.ReadAll(ctx, reads, reads); err != nil {
		t.Fatal(err)
	}
}
