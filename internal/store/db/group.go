package db

import (
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// group is executions that run as one statement.
type group struct {
	all []*Stmt
	one *Stmt // the statement that runs
}

// grouped merges the executions of one text that has a form for many; the
// merged statement takes the place of the first of them.
func grouped(all []*Stmt) []group {
	groups := make([]group, 0, len(all))
	byText := make(map[string]int)
	for _, s := range all {
		if s.many == "" {
			groups = append(groups, group{all: []*Stmt{s}, one: s})
			continue
		}
		i, ok := byText[s.many]
		if !ok {
			i = len(groups)
			byText[s.many] = i
			groups = append(groups, group{one: s})
		}
		groups[i].all = append(groups[i].all, s)
	}
	for i := range groups {
		g := &groups[i]
		if len(g.all) < 2 {
			continue
		}
		rows := make([][]any, len(g.all))
		for i, s := range g.all {
			rows[i] = s.args
		}
		g.one = &Stmt{text: g.all[0].many, args: arrays(rows), row: g.all[0].row}
	}
	return groups
}

// done sets how many rows each execution wrote: one, if all together wrote as
// many as there are executions, and otherwise none, since it is not known whose
// row is missing. It means nothing for reads and for AnyNumber.
func (g group) done() {
	if len(g.all) < 2 {
		return
	}
	each := int64(0)
	if g.one.affected == int64(len(g.all)) {
		each = 1
	}
	for _, s := range g.all {
		s.affected = each
	}
}

// arrays turns rows of arguments into one array for each column.
func arrays(rows [][]any) []any {
	out := make([]any, len(rows[0]))
	for i, first := range rows[0] {
		switch first.(type) {
		case string:
			out[i] = valuesOf[string](rows, i)
		case int64:
			out[i] = valuesOf[int64](rows, i)
		case bool:
			out[i] = valuesOf[bool](rows, i)
		case []byte:
			out[i] = valuesOf[[]byte](rows, i)
		case Packed:
			packed := make([][]byte, len(rows))
			for r, row := range rows {
				packed[r] = row[i].(Packed).Bytes() //nolint:forcetypeassert // as below
			}
			out[i] = packed
		case time.Time:
			times := make([]pgtype.Timestamptz, len(rows))
			for r, row := range rows {
				t := At(row[i].(time.Time)) //nolint:forcetypeassert // all executions of one text have arguments of the same types
				times[r] = pgtype.Timestamptz{Time: t, Valid: !t.IsZero()}
			}
			out[i] = times
		}
	}
	return out
}

func valuesOf[T any](rows [][]any, i int) []T {
	values := make([]T, len(rows))
	for r, row := range rows {
		values[r] = row[i].(T) //nolint:forcetypeassert // as above
	}
	return values
}
