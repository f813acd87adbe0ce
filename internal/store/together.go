package store

import (
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
)

// table is a table of arguments for the many form of a call: the columns in
// order, each "name type", as n.
func table(columns ...string) string {
	arrays, names := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		name, kind, _ := strings.Cut(c, " ")
		names[i], arrays[i] = name, "?::"+kind+"[]"
	}
	return "unnest(" + strings.Join(arrays, ", ") + ") AS n (" + strings.Join(names, ", ") + ")"
}

// insertMany is the many form of an INSERT of such columns.
func insertMany(into string, columns ...string) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i], _, _ = strings.Cut(c, " ")
	}
	return "INSERT INTO " + into + " (" + strings.Join(names, ", ") + ") SELECT * FROM " + table(columns...)
}

// group is calls that are run by one statement.
type group struct {
	calls []*call
	one   *call // what is run
}

// grouped puts the calls of the same text that have a form for many into one
// each, which takes the place of the first of them.
func grouped(calls []*call) []group {
	groups := make([]group, 0, len(calls))
	byText := make(map[string]int)
	for _, k := range calls {
		if k.many == "" {
			groups = append(groups, group{calls: []*call{k}, one: k})
			continue
		}
		i, ok := byText[k.many]
		if !ok {
			i = len(groups)
			byText[k.many] = i
			groups = append(groups, group{one: k})
		}
		groups[i].calls = append(groups[i].calls, k)
	}
	for i := range groups {
		g := &groups[i]
		if len(g.calls) < 2 {
			continue
		}
		rows := make([][]any, len(g.calls))
		for i, k := range g.calls {
			rows[i] = k.args
		}
		g.one = &call{text: g.calls[0].many, args: columnsOf(rows), row: g.calls[0].row}
	}
	return groups
}

// done tells each call how many rows it wrote: one, if all together wrote as
// many as they are, and otherwise none, for whose is missing is not known. Those
// that read, or write any number, are not asked.
func (g group) done() {
	if len(g.calls) < 2 {
		return
	}
	each := int64(0)
	if g.one.affected == int64(len(g.calls)) {
		each = 1
	}
	for _, k := range g.calls {
		k.affected = each
	}
}

// columnsOf turns rows of arguments into one array for each column.
func columnsOf(rows [][]any) []any {
	out := make([]any, len(rows[0]))
	for i, first := range rows[0] {
		switch first.(type) {
		case string:
			out[i] = column[string](rows, i)
		case int64:
			out[i] = column[int64](rows, i)
		case bool:
			out[i] = column[bool](rows, i)
		case []byte:
			out[i] = column[[]byte](rows, i)
		case instant:
			times := make([]pgtype.Timestamptz, len(rows))
			for r, row := range rows {
				t := row[i].(instant) //nolint:forcetypeassert // all calls of one text have arguments of the same types
				times[r] = pgtype.Timestamptz{Time: t.Time, Valid: !t.IsZero()}
			}
			out[i] = times
		}
	}
	return out
}

func column[T any](rows [][]any, i int) []T {
	values := make([]T, len(rows))
	for r, row := range rows {
		values[r] = row[i].(T) //nolint:forcetypeassert // as above
	}
	return values
}
