package main

import (
	"context"
	"fmt"
	"slices"
)

// mostKept is how many bytes a payment may take on PostgreSQL when it is older than anything is kept.
const mostKept = 2048

// dropped are the tables whose rows retention drops, of a payment that is finished.
var dropped = []string{"events", "feed", "deliveries", "delivery_attempts", "audit_log"}

// relation is a table or an index.
type relation struct {
	table, name string
	index       bool
	bytes       int64 // a payment
}

// relations lists the tables and indexes of PostgreSQL that grow with the payments.
func (d *database) relations(ctx context.Context, payments int) ([]relation, error) {
	rows, err := d.raw.QueryContext(ctx, "SELECT coalesce(t.relname, c.relname), c.relname, i.indexrelid IS NOT NULL, "+
		"(pg_relation_size(c.oid) + coalesce(pg_relation_size(nullif(c.reltoastrelid, 0)), 0)) / $1 FROM pg_class AS c "+
		"LEFT JOIN pg_index AS i ON i.indexrelid = c.oid LEFT JOIN pg_class AS t ON t.oid = i.indrelid "+
		"WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'i') AND pg_relation_size(c.oid) >= $1 "+
		"ORDER BY 1, 3, 4 DESC, 2", payments)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []relation
	for rows.Next() {
		var r relation
		if err := rows.Scan(&r.table, &r.name, &r.index, &r.bytes); err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, rows.Err()
}

// printSizes prints what a payment takes on PostgreSQL, table by table, and returns how many limits were missed.
func (d *database) printSizes(ctx context.Context, payments int) (missed int, err error) {
	list, err := d.relations(ctx, payments)
	if err != nil {
		return 0, err
	}
	var all, kept int64
	for _, r := range list {
		name := r.name
		if r.index {
			name = "  " + name
		}
		fmt.Printf("  %-46s %9d bytes a payment\n", name, r.bytes)
		if all += r.bytes; !slices.Contains(dropped, r.table) {
			kept += r.bytes
		}
	}
	mark := ""
	if kept > mostKept {
		mark = fmt.Sprintf("  MISSED (at most %d)", mostKept)
		missed++
	}
	fmt.Printf("  %-46s %9d bytes a payment\n  %-46s %9d bytes a payment%s\n", "all", all, "after retention", kept, mark)
	return missed, nil
}
