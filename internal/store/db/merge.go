package db

import (
	"fmt"
	"strings"

	"github.com/uptrace/bun"
)

// Merge returns the first rows of all ranges together. Each range is ordered in
// the same way and ends after limit rows, so that a page costs the same whatever
// is stored.
func Merge(db bun.IDB, ranges []*bun.SelectQuery, order string, limit int) *bun.RawQuery {
	var text strings.Builder
	var args []any
	for i, q := range ranges {
		if i > 0 {
			text.WriteString(" UNION ALL ")
		}
		fmt.Fprintf(&text, "SELECT * FROM (?) AS r%d", i)
		args = append(args, q)
	}
	text.WriteString(" ORDER BY " + order + " LIMIT ?")
	return db.NewRaw(text.String(), append(args, limit)...)
}
