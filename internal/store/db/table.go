package db

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun/dialect/pgdialect"
)

// Table generates the hot statements of the table that the bun model R
// describes. The model is the only list of the table's columns.
//
// Two tags say how a column is written:
//
//	db:"fixed"  set when a row is inserted, never changed
//	db:"read"   not written by this model's statements
//
// All other columns are inserted and updated. A column with the bun option
// autoincrement is numbered by the database.
type Table[R any] struct {
	name    string
	columns []column
}

type column struct {
	name   string
	sql    string // type in PostgreSQL
	index  []int  // of the field
	insert bool
	update bool
}

// NewTable reads the model. It panics if the model has a column whose type has
// no place in a hot statement: that is a mistake of the program.
func NewTable[R any]() *Table[R] {
	model := pgdialect.New().Tables().Get(reflect.TypeFor[R]())
	t := &Table[R]{name: model.Name}
	for _, f := range model.Fields {
		tag := f.StructField.Tag.Get("db")
		t.columns = append(t.columns, column{
			name: f.Name, sql: sqlType(f.StructField.Type), index: f.Index,
			insert: tag != "read" && !f.AutoIncrement,
			update: tag == "" && !f.AutoIncrement,
		})
	}
	return t
}

func sqlType(t reflect.Type) string {
	switch reflect.Zero(t).Interface().(type) {
	case string:
		return "text"
	case int64:
		return "bigint"
	case bool:
		return "boolean"
	case []byte, Packed:
		return "bytea"
	case Instant:
		return "timestamptz"
	}
	panic(fmt.Sprintf("a model of a hot table has a field of type %s", t))
}

// Columns lists the columns for SELECT, each with the alias before it unless
// that is empty.
func (t *Table[R]) Columns(alias string) string {
	if alias != "" {
		alias += "."
	}
	return t.join(all, func(c column) string { return alias + c.name })
}

// ColumnsOrZero is Columns for a row that an outer join may not find: its
// columns are then read as zero values.
func (t *Table[R]) ColumnsOrZero(alias string) string {
	zeros := map[string]string{"text": "''", "bigint": "0", "boolean": "FALSE"}
	return t.join(all, func(c column) string {
		if zero, ok := zeros[c.sql]; ok {
			return "coalesce(" + alias + "." + c.name + ", " + zero + ")"
		}
		return alias + "." + c.name
	})
}

// Dest returns where a row of Columns is read to.
func (t *Table[R]) Dest(r *R) []any {
	row := reflect.ValueOf(r).Elem()
	dest := make([]any, len(t.columns))
	for i := range t.columns {
		dest[i] = row.FieldByIndex(t.columns[i].index).Addr().Interface()
	}
	return dest
}

// Values returns the arguments of Insert and Upsert.
func (t *Table[R]) Values(r *R) []any { return t.values(r, inserted) }

// Changes returns the arguments of Update: the columns that may change, then
// those of the condition.
func (t *Table[R]) Changes(r *R, by ...any) []any { return append(t.values(r, updated), by...) }

// Insert returns the statement that inserts a row; tail ends its text.
func (t *Table[R]) Insert(tail string) Text {
	names := t.join(inserted, name)
	marks := t.join(inserted, func(column) string { return "?" })
	into := "INSERT INTO " + t.name + " (" + names + ") "
	return Text{
		one:  into + "VALUES (" + marks + ")" + tail,
		many: into + "SELECT * FROM " + rowsOf(t.typed(inserted)) + tail,
	}
}

// Upsert returns the statement that inserts a row, or updates the row with the
// same key; tail ends its text.
func (t *Table[R]) Upsert(key, tail string) Text {
	set := t.join(updated, func(c column) string { return c.name + " = excluded." + c.name })
	return t.Insert(" ON CONFLICT (" + key + ") DO UPDATE SET " + set + tail)
}

// Update returns the statement that updates the row in which the columns named
// hold the arguments given.
func (t *Table[R]) Update(by ...string) Text {
	var one, many, old []string
	for _, n := range by {
		i := slices.IndexFunc(t.columns, func(c column) bool { return c.name == n })
		one = append(one, n+" = ?")
		many = append(many, "t."+n+" = n.old_"+n)
		old = append(old, "old_"+n+" "+t.columns[i].sql)
	}
	return Text{
		one: "UPDATE " + t.name + " SET " + t.join(updated, func(c column) string { return c.name + " = ?" }) +
			" WHERE " + strings.Join(one, " AND "),
		many: "UPDATE " + t.name + " AS t SET " + t.join(updated,
			func(c column) string { return c.name + " = n." + c.name }) +
			" FROM " + rowsOf(append(t.typed(updated), old...)) + " WHERE " + strings.Join(many, " AND "),
	}
}

// InsertWith returns PostgreSQL's statement that inserts rows, each with one
// row of another table that refers to it by the column link, its first. Rows
// whose key exists are left out, with their other row. The statement returns
// key and number (the column id) of each row it inserted.
//
// It exists for the rate of creates: a payment and its first event are one
// statement, and so one transaction in one round trip, for all callers that
// wait.
func InsertWith[R, C any](t *Table[R], key string, child *Table[C], link string) Text {
	own := t.join(inserted, name)
	rest := child.typed(func(c column) bool { return c.insert && c.name != link })
	names := child.join(func(c column) bool { return c.insert && c.name != link }, name)
	prefixed := make([]string, len(rest))
	for i, c := range rest {
		prefixed[i] = "child_" + c
	}
	fromN := child.join(func(c column) bool { return c.insert && c.name != link },
		func(c column) string { return "n.child_" + c.name })
	return Text{many: "WITH n AS (SELECT * FROM " + rowsOf(append(t.typed(inserted), prefixed...)) + "), " +
		"p AS (INSERT INTO " + t.name + " (" + own + ") SELECT " + own + " FROM n ON CONFLICT (" + key + ") " +
		"DO NOTHING RETURNING id, " + key + "), " +
		"c AS (INSERT INTO " + child.name + " (" + link + ", " + names + ") " +
		"SELECT p.id, " + fromN + " FROM p JOIN n USING (" + key + ")) " +
		"SELECT " + key + ", id FROM p"}
}

func all(column) bool        { return true }
func inserted(c column) bool { return c.insert }
func updated(c column) bool  { return c.update }
func name(c column) string   { return c.name }

// join writes the columns that take selects, separated by commas.
func (t *Table[R]) join(take func(column) bool, write func(column) string) string {
	var parts []string
	for _, c := range t.columns {
		if take(c) {
			parts = append(parts, write(c))
		}
	}
	return strings.Join(parts, ", ")
}

// typed lists the columns that take selects as "name type".
func (t *Table[R]) typed(take func(column) bool) []string {
	var list []string
	for _, c := range t.columns {
		if take(c) {
			list = append(list, c.name+" "+c.sql)
		}
	}
	return list
}

func (t *Table[R]) values(r *R, take func(column) bool) []any {
	row := reflect.ValueOf(r).Elem()
	list := make([]any, 0, len(t.columns)+2)
	for i := range t.columns {
		if c := &t.columns[i]; take(*c) {
			list = append(list, row.FieldByIndex(c.index).Interface())
		}
	}
	return list
}
