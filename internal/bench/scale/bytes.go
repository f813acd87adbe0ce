package main

import (
	"context"
	"fmt"
)

// printSizes prints what a payment takes on disk, by table and by index.
func (d *database) printSizes(ctx context.Context, n int) error {
	text := "SELECT c.relname, i.indrelid::regclass::text, pg_relation_size(c.oid) + coalesce(pg_relation_size(nullif(c.reltoastrelid, 0)), 0) " +
		"FROM pg_class AS c LEFT JOIN pg_index AS i ON i.indexrelid = c.oid " +
		"WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'i') AND pg_relation_size(c.oid) > 65536 " +
		"ORDER BY coalesce(i.indrelid, c.oid), i.indrelid IS NOT NULL, 3 DESC"
	rows, err := d.raw.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var of *string
		var size int64
		if err := rows.Scan(&name, &of, &size); err != nil {
			return err
		}
		if of != nil {
			name = "  " + name
		}
		fmt.Printf("  %-46s %9d\n", name, size/int64(n))
	}
	return rows.Err()
}
