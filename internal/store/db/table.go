package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/uptrace/bun"
)

// Table generates the statements of the table whose rows are values of R, and lets bun read such rows (see dialect).
type Table[R any] struct {
	name    string
	columns []column

	Missing error // what First fails with where it finds no row
}

type column struct {
	*form

	name   string
	index  []int // of the field
	insert bool
	update bool
}

// tables are the columns of the types that NewTable was called for.
var tables sync.Map // []column by reflect.Type

// NewTable returns the table of a type that knows nothing of tables. The list says where its columns are:
//
//	number:   the column that the database numbers
//	fixed:    those that are set when a row is inserted, and never changed
//	changes:  all others that are written
//	read:     those that are not
//
// A column is of the field of its name, or of that which follows a =, such as block_time=Block.Time. What follows a
// slash says how a field is stored whose type does not: /bytes as Packed, /exists whether there is a value. It panics
// for a field that there is not, or of a type that no column holds.
func NewTable[R any](name, columns string) *Table[R] {
	t := &Table[R]{name: name}
	group := ""
	for word := range strings.FieldsSeq(columns) {
		if g, ok := strings.CutSuffix(word, ":"); ok {
			group = g
			continue
		}
		word, how, _ := strings.Cut(word, "/")
		column, path, named := strings.Cut(word, "=")
		if !named {
			path = strings.ReplaceAll(column, "_", "")
		}
		t.add(column, group, how, path)
	}
	tables.Store(reflect.TypeFor[R](), t.columns)
	return t
}

func (t *Table[R]) add(name, group, how, path string) {
	c := column{name: name, insert: group == "fixed" || group == "changes", update: group == "changes"}
	of := reflect.TypeFor[R]()
	for part := range strings.SplitSeq(path, ".") {
		f, ok := of.FieldByNameFunc(func(n string) bool { return strings.EqualFold(n, part) })
		if !ok {
			panic(fmt.Sprintf("table %s: %s has no field %s", t.name, of, part))
		}
		c.index, of = append(c.index, f.Index...), f.Type
	}
	if how == "exists" {
		c.form = &form{"", nil, func(v reflect.Value) any { return exists{v} }}
	} else {
		c.form = columnForm(of, how == "bytes")
	}
	t.columns = append(t.columns, c)
}

// Else sets Missing.
func (t *Table[R]) Else(missing error) *Table[R] {
	t.Missing = missing
	return t
}

// First returns the first row of a query.
func (t *Table[R]) First(ctx context.Context, from bun.IDB, text string, args ...any) (R, error) {
	return First[R](ctx, from, t.Missing, text, args...)
}

// columnForm returns how a column of a hot statement is stored: arguments and destinations have the plain types that
// arrays knows.
func columnForm(t reflect.Type, packed bool) *form {
	if form := formOf(t, packed); form != nil && (form.kind != "bytea" || packed || t.Kind() == reflect.Array) {
		return form
	}
	_, stores := reflect.TypeAssert[driver.Valuer](reflect.Zero(t))
	switch {
	case t == reflect.TypeFor[Packed]():
		return &form{"bytea", reflect.Value.Interface, addressOf}
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return as[[]byte]("bytea", func(v reflect.Value) any { return v.Bytes() })
	case stores:
		return &form{"text", func(v reflect.Value) any {
			text, _ := v.Interface().(driver.Valuer).Value() //nolint:forcetypeassert // just asked
			return text
		}, addressOf}
	case formattable(t):
		return &form{"text", func(v reflect.Value) any { return fmt.Sprint(v.Interface()) }, addressOf}
	case t.Kind() == reflect.String:
		return as[string]("text", func(v reflect.Value) any { return v.String() })
	case t.Kind() == reflect.Bool:
		return as[bool]("boolean", func(v reflect.Value) any { return v.Bool() })
	case t.Kind() == reflect.Int64:
		return as[int64]("bigint", func(v reflect.Value) any { return v.Int() })
	case t.Kind() == reflect.Int:
		return as[integer]("bigint", func(v reflect.Value) any { return v.Int() })
	}
	panic(fmt.Sprintf("a model of a hot table has a field of type %s", t))
}

// formattable reports whether a type scans what it writes as a text.
func formattable(t reflect.Type) bool {
	_, scans := reflect.TypeAssert[sql.Scanner](reflect.Zero(reflect.PointerTo(t)))
	_, writes := reflect.TypeAssert[fmt.Stringer](reflect.Zero(t))
	return scans && writes
}

func addressOf(v reflect.Value) any { return v.Addr().Interface() }

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
		if zero, ok := zeros[c.kind]; ok {
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
		dest[i] = t.columns[i].dest(row.FieldByIndex(t.columns[i].index))
	}
	return dest
}

// Values returns the arguments of Insert and Upsert.
func (t *Table[R]) Values(r *R) []any { return t.values(r, inserted) }

// Changes returns the arguments of Update: the columns that may change, then
// those of the condition.
func (t *Table[R]) Changes(r *R, by ...any) []any { return append(t.values(r, updated), by...) }

// AsStored makes the times of a row what they will be when it is read back.
func (t *Table[R]) AsStored(r *R) {
	row := reflect.ValueOf(r).Elem()
	for i := range t.columns {
		if at, ok := reflect.TypeAssert[*time.Time](row.FieldByIndex(t.columns[i].index).Addr()); ok {
			*at = At(*at)
		}
	}
}

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
func (t *Table[R]) Upsert(key, tail string) Text { return t.Insert(t.OnConflict(key) + tail) }

// OnConflict is the clause of Upsert.
func (t *Table[R]) OnConflict(key string) string {
	return " ON CONFLICT (" + key + ") DO UPDATE SET " +
		t.join(updated, func(c column) string { return c.name + " = excluded." + c.name })
}

// Into returns the query by which bun inserts rows; tail ends its text.
func (t *Table[R]) Into(db bun.IDB, tail string, rows ...R) *bun.RawQuery {
	one := ", (" + t.join(inserted, func(column) string { return "?" }) + ")"
	var args []any
	for i := range rows {
		args = append(args, t.values(&rows[i], inserted)...)
	}
	all := strings.Repeat(one, len(rows))[2:]
	return db.NewRaw("INSERT INTO "+t.name+" ("+t.join(inserted, name)+") VALUES "+all+tail, args...)
}

// Update returns the statement that updates the row in which the columns named
// hold the arguments given.
func (t *Table[R]) Update(by ...string) Text {
	var one, many, old []string
	for _, n := range by {
		i := slices.IndexFunc(t.columns, func(c column) bool { return c.name == n })
		one = append(one, n+" = ?")
		many = append(many, "t."+n+" = n.old_"+n)
		old = append(old, "old_"+n+" "+t.columns[i].kind)
	}
	return Text{
		one: "UPDATE " + t.name + " SET " + t.join(updated, func(c column) string { return c.name + " = ?" }) +
			" WHERE " + strings.Join(one, " AND "),
		many: "UPDATE " + t.name + " AS t SET " + t.join(updated,
			func(c column) string { return c.name + " = n." + c.name }) +
			" FROM " + rowsOf(append(t.typed(updated), old...)) + " WHERE " + strings.Join(many, " AND "),
	}
}

// Save returns the statements that make the rows that were loaded into those that were decided: rows that are gone are
// deleted, rows that differ are updated, new ones are inserted. The columns named, in the order of the table, tell rows
// apart.
func (t *Table[R]) Save(loaded, decided []R, by ...string) []*Stmt {
	key := func(c column) bool { return slices.Contains(by, c.name) }
	old := make(map[string]*R, len(loaded))
	for i := range loaded {
		old[fmt.Sprint(t.values(&loaded[i], key))] = &loaded[i]
	}
	var updates, inserts, deletes []*Stmt
	for i := range decided {
		r := &decided[i]
		id := t.values(r, key)
		was, known := old[fmt.Sprint(id)]
		delete(old, fmt.Sprint(id))
		switch {
		case !known:
			inserts = append(inserts, t.Insert("").With(t.Values(r)...))
		case !reflect.DeepEqual(t.values(was, updated), t.values(r, updated)):
			updates = append(updates, t.Update(by...).With(t.Changes(r, id...)...))
		}
	}
	for _, gone := range old {
		deletes = append(deletes, Exec("DELETE FROM "+t.name+" WHERE "+strings.Join(by, " = ? AND ")+" = ?",
			t.values(gone, key)...))
	}
	return slices.Concat(deletes, updates, inserts)
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
			list = append(list, c.name+" "+c.kind)
		}
	}
	return list
}

func (t *Table[R]) values(r *R, take func(column) bool) []any {
	row := reflect.ValueOf(r).Elem()
	list := make([]any, 0, len(t.columns)+2)
	for i := range t.columns {
		if c := &t.columns[i]; take(*c) {
			list = append(list, c.value(row.FieldByIndex(c.index)))
		}
	}
	return list
}
