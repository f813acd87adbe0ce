package db

import (
	"testing"
	"time"
)

type (
	orderRow struct {
		ID      int64
		Name    string
		State   kind
		Raw     []byte
		EndedAt time.Time
		Place   struct{ Seen bool }
	}
	lineRow struct{ OrderID, N int64 }
	kind    string
)

var (
	orders = NewTable[orderRow]("orders", "number: id fixed: name changes: state raw ended_at read: seen=Place.Seen")
	lines  = NewTable[lineRow]("lines", "fixed: order_id n")
)

// The texts of a table name each column once, in the order of the model, and
// leave out what the statement must not write.
func TestTable_Texts(t *testing.T) {
	t.Parallel()
	update, upsert := orders.Update("id"), orders.Upsert("name", " WHERE TRUE")
	with := InsertWith(orders, "name", lines, "order_id")
	for what, c := range map[string]struct{ got, want string }{
		"Columns":       {orders.Columns("o"), "o.id, o.name, o.state, o.raw, o.ended_at, o.seen"},
		"ColumnsOrZero": {orders.ColumnsOrZero("o"), "coalesce(o.id, 0), coalesce(o.name, ''), coalesce(o.state, ''), o.raw, o.ended_at, coalesce(o.seen, FALSE)"},
		"InsertOne":     {orders.Insert("").one, "INSERT INTO orders (name, state, raw, ended_at) VALUES (?, ?, ?, ?)"},
		"InsertMany": {orders.Insert("").many, "INSERT INTO orders (name, state, raw, ended_at) SELECT * FROM " +
			"unnest(?::text[], ?::text[], ?::bytea[], ?::timestamptz[]) AS n (name, state, raw, ended_at)"},
		"UpdateOne": {update.one, "UPDATE orders SET state = ?, raw = ?, ended_at = ? WHERE id = ?"},
		"UpdateMany": {update.many, "UPDATE orders AS t SET state = n.state, raw = n.raw, ended_at = n.ended_at FROM " +
			"unnest(?::text[], ?::bytea[], ?::timestamptz[], ?::bigint[]) AS n (state, raw, ended_at, old_id) WHERE t.id = n.old_id"},
		"Upsert": {upsert.one, "INSERT INTO orders (name, state, raw, ended_at) VALUES (?, ?, ?, ?) ON CONFLICT (name) " +
			"DO UPDATE SET state = excluded.state, raw = excluded.raw, ended_at = excluded.ended_at WHERE TRUE"},
		"InsertWith": {with.many, "WITH n AS (SELECT * FROM unnest(?::text[], ?::text[], ?::bytea[], ?::timestamptz[], ?::bigint[]) " +
			"AS n (name, state, raw, ended_at, child_n)), p AS (INSERT INTO orders (name, state, raw, ended_at) " +
			"SELECT name, state, raw, ended_at FROM n ON CONFLICT (name) DO NOTHING RETURNING id, name), " +
			"c AS (INSERT INTO lines (order_id, n) SELECT p.id, n.child_n FROM p JOIN n USING (name)) SELECT name, id FROM p"},
		"ForRows": {
			ForRows("SELECT n.a FROM {rows}", "a bigint", "b text").one,
			"SELECT n.a FROM (SELECT CAST(? AS bigint) AS a, CAST(? AS text) AS b) AS n",
		},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", what, c.got, c.want)
		}
	}
}

// A list of columns names fields that there are, of types that a column can hold.
func TestNewTable_Panics(t *testing.T) {
	t.Parallel()
	type badRow struct{ Price float64 }
	for _, columns := range []string{"fixed: price", "fixed: cost"} {
		if Guard(func() error { NewTable[badRow]("bad", columns); return nil }) == nil {
			t.Errorf("%s was accepted", columns)
		}
	}
}
