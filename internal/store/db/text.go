package db

import (
	"strings"
	"unicode/utf8"
)

// Storable reports whether both databases hold the text as it is: PostgreSQL
// refuses NUL and invalid UTF-8, SQLite would accept them.
func Storable(text string) bool {
	return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0
}

// Text is the text of a statement for one row of arguments and, on PostgreSQL,
// for many rows at once.
type Text struct{ one, many string }

// With returns an execution with the arguments of one row.
func (t Text) With(args ...any) *Stmt { return &Stmt{text: t.one, many: t.many, args: args} }

// Query returns an execution that passes each row it reads to row. The row must
// say which arguments it belongs to: executions may run as one.
func (t Text) Query(row func(Scan) error, args ...any) *Stmt {
	s := t.With(args...)
	s.row = row
	return s
}

// Numbered returns an execution that inserts one row and sets number to its id,
// which is meaningless if no row was inserted.
func (t Text) Numbered(number *int64, args ...any) *Stmt {
	return &Stmt{text: t.one, args: args, number: number}
}

// QueryMany returns one execution for many rows of arguments. PostgreSQL only.
func (t Text) QueryMany(row func(Scan) error, rows [][]any) *Stmt {
	return Query(row, t.many, arrays(rows)...)
}

// rowsMark is where the text of ForRows has its rows of arguments.
const rowsMark = "{rows}"

// ForRows returns a statement that reads its arguments as a table n. The text
// names it once, as {rows}; columns are those of the table, each "name type",
// in the order of the arguments. SQLite knows no bytea.
func ForRows(text string, columns ...string) Text {
	casts := make([]string, len(columns))
	for i, c := range columns {
		name, kind, _ := strings.Cut(c, " ")
		casts[i] = "CAST(? AS " + kind + ") AS " + name
	}
	one := "(SELECT " + strings.Join(casts, ", ") + ") AS n"
	return Text{
		one:  strings.Replace(text, rowsMark, one, 1),
		many: strings.Replace(text, rowsMark, rowsOf(columns), 1),
	}
}

// rowsOf writes arrays of arguments as a table n of the columns, each "name
// type".
func rowsOf(columns []string) string {
	arrays, names := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		name, kind, _ := strings.Cut(c, " ")
		names[i], arrays[i] = name, "?::"+kind+"[]"
	}
	return "unnest(" + strings.Join(arrays, ", ") + ") AS n (" + strings.Join(names, ", ") + ")"
}

// LowerASCII writes ASCII letters in lower case, as the indexes of texts do.
func LowerASCII(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}
