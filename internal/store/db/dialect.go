package db

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/uptrace/bun"
	sqldialect "github.com/uptrace/bun/dialect"
	"github.com/uptrace/bun/schema"
)

// dialect is a dialect of bun that reads fields of the domain's types as the columns hold them, and a Table writes them
// so, too. A row needs no type of its own:
//
//	time.Time          whole microseconds in UTC; the zero time is NULL
//	time.Duration      whole microseconds
//	uint64             a number of 63 bits
//	arrays of bytes    bytes
//	text types         text; where the column has bytes, those of Packed
//	lists of texts     text, separated by commas
//	what scans itself  text (money.Units); what has a Codec likewise
//
// Of a type with a table of its own (NewTable), it reads the columns of that.
type dialect struct {
	schema.Dialect

	tables *schema.Tables
}

// newDB returns bun's view of a pool. A newer version may have added columns, which this one does not know.
func newDB(pool *sql.DB, inner schema.Dialect, options ...bun.DBOption) *bun.DB {
	d := &dialect{Dialect: inner}
	d.tables = schema.NewTables(d) // those of the inner dialect would call its OnTable
	return bun.NewDB(pool, d, append(options, bun.WithDiscardUnknownColumns())...)
}

func (d *dialect) Tables() *schema.Tables { return d.tables }

// OnTable replaces how the fields of a row are read.
func (d *dialect) OnTable(t *schema.Table) {
	d.Dialect.OnTable(t)
	for _, f := range t.FieldMap {
		if form := formOf(f.StructField.Type, false); form != nil {
			f.Scan = form.scanner(f.Scan)
		}
	}
	d.addColumns(t, t.Type, nil)
	for _, f := range reflect.VisibleFields(t.Type) {
		if f.Anonymous {
			d.addColumns(t, f.Type, f.Index)
		}
	}
}

// addColumns adds the columns of the table of a type, which is the row or a part of it.
func (d *dialect) addColumns(t *schema.Table, of reflect.Type, index []int) {
	known, _ := tables.Load(of)
	columns, _ := known.([]column)
	for _, c := range columns {
		index := slices.Concat(index, c.index)
		f := t.Type.FieldByIndex(index)
		t.FieldMap[c.name] = &schema.Field{
			StructField: f, IndirectType: f.Type, Index: index, Name: c.name, GoName: f.Name,
			Scan: c.scanner(schema.Scanner(f.Type)),
		}
	}
}

// AppendTime writes a time as it is stored.
func (d *dialect) AppendTime(b []byte, t time.Time) []byte {
	t = At(t)
	switch {
	case t.IsZero():
		return sqldialect.AppendNull(b)
	case d.Name() == sqldialect.SQLite:
		return fmt.Appendf(b, "%d", t.UnixMicro())
	}
	return d.Dialect.AppendTime(b, t)
}

// form is how a field is stored: the type of its column in PostgreSQL, its argument, and where it is read to.
type form struct {
	kind  string
	value func(reflect.Value) any
	dest  func(reflect.Value) any
}

// as is a form that reads through a type with the same memory.
func as[T any](kind string, value func(reflect.Value) any) *form {
	return &form{kind, value, func(v reflect.Value) any { return (*T)(v.Addr().UnsafePointer()) }}
}

// scanner reads a column for bun, with bun's own function for what needs no other.
func (f *form) scanner(inner schema.ScannerFunc) schema.ScannerFunc {
	return func(v reflect.Value, src any) error {
		if _, text := src.(string); text && f.kind != "text" { // in a column of texts; of a time in bun's own tables
			return inner(v, src)
		}
		if dest, ok := f.dest(v).(sql.Scanner); ok {
			return dest.Scan(src)
		}
		return inner(v, src)
	}
}

// formOf returns how a type is stored that bun does not know as we store it; nil for any other.
func formOf(t reflect.Type, packed bool) *form {
	coded, ok := codecs.Load(t)
	_, scans := reflect.TypeAssert[sql.Scanner](reflect.Zero(reflect.PointerTo(t)))
	switch {
	case ok:
		return coded.(*form) //nolint:forcetypeassert // only forms are stored
	case t == reflect.TypeFor[time.Time]():
		return as[instant]("timestamptz", reflect.Value.Interface)
	case t == reflect.TypeFor[time.Duration]():
		return as[micros]("bigint", func(v reflect.Value) any { return v.Int() / int64(time.Microsecond) })
	case t.Kind() == reflect.Uint64:
		return as[number]("bigint", func(v reflect.Value) any { return numberOf(v.Uint()) })
	case scans:
		return nil
	case t.Kind() == reflect.String && (packed || t != reflect.TypeFor[string]()):
		return as[Packed]("bytea", func(v reflect.Value) any { return Packed(v.String()) })
	case t.Kind() == reflect.Array && t.Elem().Kind() == reflect.Uint8:
		return &form{"bytea", bytesOf, func(v reflect.Value) any { return array{v} }}
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String:
		return &form{"text", joined, func(v reflect.Value) any { return list{v} }}
	}
	return nil
}

// codecs are the forms of the types that have one.
var codecs sync.Map // *form by reflect.Type

// Codec says how values of a type are written as texts. It returns the type, so that a variable can be made of it.
func Codec[T any](write func(T) string, read func(string) (T, error)) reflect.Type {
	of := reflect.TypeFor[T]()
	codecs.Store(of, &form{
		"text", func(v reflect.Value) any { return write(v.Interface().(T)) }, //nolint:forcetypeassert // a field of the type
		func(v reflect.Value) any {
			return coded(func(text string) error {
				value, err := read(text)
				v.Set(reflect.ValueOf(value))
				return err
			})
		},
	})
	return of
}

// coded reads a text that a Codec wrote.
type coded func(string) error

// ScanText reads what PostgreSQL sends, without the copies of Scan.
func (c coded) ScanText(v pgtype.Text) error { return c(v.String) }

// Scan reads what either database returns.
func (c coded) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("a stored text has type %T", src)
	}
	return c(text)
}

// exists reads whether there is a value.
type exists struct{ v reflect.Value }

// Scan reads what either database returns.
func (e exists) Scan(src any) error {
	e.v.SetBool(src != nil)
	return nil
}

// ScanTimestamptz reads what PostgreSQL sends, without the copies of Scan.
func (e exists) ScanTimestamptz(v pgtype.Timestamptz) error {
	e.v.SetBool(v.Valid)
	return nil
}

// instant reads a time.Time.
type instant time.Time

// Time returns where a column is read to that has a time.
func Time(t *time.Time) sql.Scanner { return (*instant)(t) }

// Scan reads what either database returns.
func (i *instant) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*i = instant{}
	case int64:
		*i = instant(time.UnixMicro(v).UTC())
	case time.Time:
		*i = instant(At(v))
	default:
		return fmt.Errorf("a stored time has type %T", src)
	}
	return nil
}

// ScanTimestamptz reads what PostgreSQL sends, without the copies of Scan.
func (i *instant) ScanTimestamptz(v pgtype.Timestamptz) error {
	if v.InfinityModifier != pgtype.Finite {
		return errors.New("a stored time is infinite")
	}
	*i = instant(At(v.Time)) // the zero time for NULL
	return nil
}

// micros reads a time.Duration.
type micros time.Duration

// Scan reads what either database returns.
func (m *micros) Scan(src any) error {
	n, err := whole(src)
	*m = micros(n * int64(time.Microsecond))
	return err
}

// ScanInt64 reads what PostgreSQL sends, without the copies of Scan.
func (m *micros) ScanInt64(v pgtype.Int8) error {
	*m = micros(v.Int64 * int64(time.Microsecond))
	return nil
}

// integer reads an int.
type integer int

// Scan reads what either database returns.
func (i *integer) Scan(src any) error {
	n, err := whole(src)
	*i = integer(n)
	return err
}

// ScanInt64 reads what PostgreSQL sends, without the copies of Scan.
func (i *integer) ScanInt64(v pgtype.Int8) error {
	*i = integer(v.Int64)
	return nil
}

// number is a number of 63 bits that is not negative, such as that of a block.
type number uint64

// Scan reads what either database returns.
func (n *number) Scan(src any) error {
	read, err := whole(src)
	*n = number(max(read, 0)) //nolint:gosec // just bounded
	return err
}

// ScanInt64 reads what PostgreSQL sends, without the copies of Scan.
func (n *number) ScanInt64(v pgtype.Int8) error {
	*n = number(max(v.Int64, 0)) //nolint:gosec // just bounded
	return nil
}

// numberOf is the argument of a number.
func numberOf(n uint64) any {
	if n > math.MaxInt64 {
		return number(n)
	}
	return int64(n)
}

// Value refuses what the databases cannot hold.
func (n number) Value() (driver.Value, error) {
	return nil, fmt.Errorf("number %d is out of range", uint64(n))
}

func whole(src any) (int64, error) {
	if src == nil {
		return 0, nil
	}
	n, ok := src.(int64)
	if !ok {
		return 0, fmt.Errorf("a stored number has type %T", src)
	}
	return n, nil
}

// array reads bytes into an array, such as a hash.
type array struct{ v reflect.Value }

// Scan reads what either database returns.
func (a array) Scan(src any) error {
	a.v.SetZero()
	if raw, ok := src.([]byte); ok {
		reflect.Copy(a.v, reflect.ValueOf(raw))
	} else if src != nil {
		return fmt.Errorf("stored bytes have type %T", src)
	}
	return nil
}

func bytesOf(v reflect.Value) any {
	raw := make([]byte, v.Len())
	reflect.Copy(reflect.ValueOf(raw), v)
	return raw
}

// list reads a list of texts.
type list struct{ v reflect.Value }

// between stands between the texts of a list.
const between = ","

// Scan reads what either database returns.
func (l list) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("a stored list has type %T", src)
	}
	return l.ScanText(pgtype.Text{String: text})
}

// ScanText reads what PostgreSQL sends, without the copies of Scan.
func (l list) ScanText(v pgtype.Text) error {
	var texts []string
	if v.String != "" {
		texts = strings.Split(v.String, between)
	}
	*(*[]string)(l.v.Addr().UnsafePointer()) = texts // a list of texts has the memory of a []string
	return nil
}

// Joined returns a list of texts as it is stored.
func Joined[T ~string](list []T) string { return joined(reflect.ValueOf(list)).(string) } //nolint:forcetypeassert // it is

func joined(v reflect.Value) any {
	texts := make([]string, v.Len())
	for i := range texts {
		texts[i] = v.Index(i).String()
	}
	return strings.Join(texts, between)
}

var _ pgtype.TimestamptzScanner = (*instant)(nil)
