package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/retention"
)

// mostKept is how many bytes a payment may take on PostgreSQL when it is older than anything is kept. It was
// beforeWords until every word of a payment could be searched, which takes about 142.
const mostKept, beforeWords = 2304, 2048

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
	rows, err := d.raw.QueryContext(ctx, `SELECT coalesce(t.relname, c.relname), c.relname, i.indexrelid IS NOT NULL,
		(pg_relation_size(c.oid) + coalesce(pg_relation_size(nullif(c.reltoastrelid, 0)), 0)) / $1 FROM pg_class AS c
		LEFT JOIN pg_index AS i ON i.indexrelid = c.oid LEFT JOIN pg_class AS t ON t.oid = i.indrelid
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'i') AND pg_relation_size(c.oid) >= $1
		ORDER BY 1, 3, 4 DESC, 2`, payments)
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
		mark = fmt.Sprintf("  MISSED (at most %d; %d before words)", mostKept, beforeWords)
		missed++
	}
	fmt.Printf("  %-46s %9d bytes a payment\n  %-46s %9d bytes a payment%s\n", "all", all, "after retention", kept, mark)
	return missed, nil
}

// dropOld runs retention when everything is older than it is kept, has the tables that it emptied rewritten, and prints
// what a payment then takes: tables and indexes with all that belongs to them. It returns how many limits were missed.
func (d *database) dropOld(ctx context.Context, payments int) (missed int, err error) {
	later := d.now.Add(2 * historyFor)
	policy := retention.Policy{
		Attempts: time.Hour, Deliveries: time.Hour, Events: time.Hour, Audit: time.Hour, Sessions: time.Hour,
		Idempotency: time.Hour,
	}
	begun := time.Now()
	count, err := retention.Run(ctx, d.Retention().DropBatch, policy, func() time.Time { return later },
		func(context.Context, time.Duration) error { return ctx.Err() })
	if err != nil {
		return 0, err
	}
	fmt.Printf("  retention dropped %v in %v\n", count, time.Since(begun).Round(time.Second))
	for _, text := range []string{"VACUUM", "VACUUM (FULL) " + strings.Join(dropped, ", ")} {
		if err := d.exec(ctx, text); err != nil {
			return 0, err
		}
	}
	var kept int64
	err = d.raw.QueryRowContext(ctx, `SELECT (sum(pg_total_relation_size(oid)) / $1)::bigint FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`, payments).Scan(&kept)
	if err != nil {
		return 0, err
	}
	mark := ""
	if kept > mostKept {
		mark, missed = fmt.Sprintf("  MISSED (at most %d; %d before words)", mostKept, beforeWords), 1
	}
	fmt.Printf("  %-46s %9d bytes a payment%s\n", "after retention, measured", kept, mark)
	return missed, nil
}
