package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// chunk is how many payments one statement multiplies.
const chunk = 50_000

// historyFor is the time over which the history is spread.
const historyFor = 365 * 24 * time.Hour

// filling is the multiplication of the templates.
type filling struct {
	*database

	templates, n int64
	step         int64 // microseconds between two payments
}

// fill multiplies the templates to n payments.
func (d *database) fill(ctx context.Context, templates int64, n int) error {
	f := filling{d, templates, int64(n), int64(historyFor/time.Microsecond) / int64(n)}
	d.first, d.last = templates+1, templates+int64(n)
	if err := f.prepare(ctx); err != nil {
		return err
	}
	known := int64(0)
	for from := int64(1); from <= f.n; from += chunk {
		// A planner that believes the tables to be small reads them whole for each chunk.
		if f.many && from >= 2*known {
			if err := f.exec(ctx, "ANALYZE"); err != nil {
				return err
			}
			known = from
		}
		to := min(from+chunk-1, f.n)
		for _, t := range f.tables() {
			if err := f.multiply(ctx, t, from, to); err != nil {
				return err
			}
		}
		if err := f.post(ctx, from+templates, to+templates); err != nil {
			return err
		}
	}
	return f.finish(ctx)
}

// prepare keeps the database from checking each reference, which the templates show to be right.
func (f filling) prepare(ctx context.Context) error {
	f.raw.SetMaxOpenConns(1) // what is set holds for the connection
	if f.many {
		for _, text := range []string{
			// A worker of autovacuum would take time from what is measured, and decide what the planner knows.
			`DO $$ DECLARE t regclass; BEGIN FOR t IN SELECT oid FROM pg_class WHERE relkind = 'r'
				AND relnamespace = 'public'::regnamespace LOOP
				EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false)', t); END LOOP; END $$`,
			"SET session_replication_role = replica",
			"SET synchronous_commit = off",
		} {
			if err := f.exec(ctx, text); err != nil {
				return err
			}
		}
		return nil
	}
	return f.exec(ctx, "PRAGMA foreign_keys = OFF")
}

// multiplied is a table whose rows are multiplied.
type multiplied struct {
	name string
	// from is what the rows are read from: s has the number n of the payment, t the template's row.
	from string
	// set has the expressions of columns that differ from the template's.
	set map[string]string
}

func (f filling) tables() []multiplied {
	id := fmt.Sprintf("(s.n + %d)", f.templates)
	key := fmt.Sprintf("(CASE WHEN s.n %% 5 < 4 THEN %d ELSE %d + (s.n / 5) %% %d END)", f.keys[0], f.keys[1], smallKeys)
	custodian := strings.ReplaceAll(key, strconv.FormatInt(f.keys[1], 10)+" +", "2 +") // custodians are numbered from 1
	of := func(table string) string {
		return fmt.Sprintf("JOIN %s AS t ON t.payment_id = 1 + s.n %% %d", table, f.templates)
	}
	address := f.packed(40)
	return []multiplied{
		{"payments", fmt.Sprintf("JOIN payments AS t ON t.id = 1 + s.n %% %d", f.templates), map[string]string{
			"id": id, "public_id": f.digits(26), "key_id": key,
			"amount":         "t.amount + (s.n % 10000) * 10000",
			"token":          "CASE WHEN s.n % 20000 = 3 THEN 'USDT' ELSE t.token END",
			"kind":           "CASE WHEN s.n % 20000 = 7 THEN 'DONATION' ELSE t.kind END",
			"reference":      "'order ' || s.n",
			"customer_email": "'payer' || (s.n % 50000) || '@example.org'",
			"description":    "CASE WHEN s.n % 700 = 9 THEN 'Two blue tickets' ELSE t.description END",
			"words": `'order ' || s.n || CASE WHEN s.n % 700 = 9 THEN ' two blue tickets' ELSE ' two tickets' END ||
				' payer' || (s.n % 50000) || ' example org cart a b c'`,
			"hash": "CASE WHEN length(t.hash) = 0 THEN t.hash ELSE " + f.packed(64) + " END",
		}},
		{"routes", of("routes"), map[string]string{"id": "", "payment_id": id, "address": address}},
		{"deposits", of("deposits"), map[string]string{
			"id": "", "payment_id": id, "key_id": key, "tx_hash": f.packed(64), "to_address": address,
			"swept_at": f.shift("final_at"), "rechecked": map[bool]string{true: "TRUE", false: "1"}[f.many],
		}},
		{"events", of("events"), map[string]string{"id": "", "payment_id": id}},
		{"feed", of("feed"), map[string]string{"payment_id": id, "key_id": key, "position": "1000 + s.n * 10 + t.seq"}},
		{"deliveries", of("deliveries"), map[string]string{
			"id": "", "payment_id": id, "custodian_id": custodian,
			"state": "CASE WHEN s.n % 20000 = 11 THEN 'FAILED' ELSE t.state END",
		}},
		{
			"delivery_attempts",
			fmt.Sprintf(`JOIN deliveries AS o ON o.payment_id = 1 + s.n %% %d JOIN delivery_attempts AS t ON t.delivery_id = o.id
				JOIN deliveries AS mine ON mine.payment_id = %s AND mine.seq = o.seq`, f.templates, id),
			map[string]string{"id": "", "delivery_id": "mine.id"},
		},
	}
}

func (f filling) hex(width int) string {
	if f.many {
		return fmt.Sprintf("lpad(to_hex(s.n), %d, '0')", width)
	}
	return fmt.Sprintf("printf('%%0%dx', s.n)", width)
}

// packed is a hexadecimal text of that many digits as db.Packed stores it.
func (f filling) packed(width int) string {
	if f.many {
		return "decode('01' || " + f.hex(width) + ", 'hex')"
	}
	return "unhex('01' || " + f.hex(width) + ")"
}

func (f filling) digits(width int) string {
	if f.many {
		return fmt.Sprintf("lpad(s.n::text, %d, '0')", width)
	}
	return fmt.Sprintf("printf('%%0%dd', s.n)", width)
}

// shift moves a time of the template to where payment n is in the history.
func (f filling) shift(column string) string {
	if f.many {
		return fmt.Sprintf("t.%s + ((s.n - %d) * %d) * interval '1 microsecond'", column, f.n, f.step)
	}
	return fmt.Sprintf("t.%s + (s.n - %d) * %d", column, f.n, f.step)
}

func (f filling) series(from, to int64) string {
	if f.many {
		return fmt.Sprintf("generate_series(%d::bigint, %d::bigint) AS s(n)", from, to)
	}
	return fmt.Sprintf("(WITH RECURSIVE s(n) AS (SELECT %d UNION ALL SELECT n + 1 FROM s WHERE n < %d) SELECT n FROM s) AS s",
		from, to)
}

// multiply writes the rows of payments from..to.
func (f filling) multiply(ctx context.Context, m multiplied, from, to int64) error {
	columns, err := f.columns(ctx, m.name)
	if err != nil {
		return err
	}
	var names, values []string
	for _, c := range columns {
		value, set := m.set[c]
		switch {
		case set && value == "":
			continue
		case set:
		case slices.Contains([]string{"at", "since", "block_time"}, c), strings.HasSuffix(c, "_at"):
			value = f.shift(c)
		default:
			value = "t." + c
		}
		names, values = append(names, c), append(values, value)
	}
	override := ""
	if m.set["id"] != "" {
		override = f.override()
	}
	return f.exec(ctx, `INSERT INTO `+m.name+` (`+strings.Join(names, ", ")+`)`+override+`
		SELECT `+strings.Join(values, ", ")+` FROM `+f.series(from, to)+` `+m.from)
}

// override lets a statement of PostgreSQL set the id.
func (f filling) override() string {
	if f.many {
		return " OVERRIDING SYSTEM VALUE"
	}
	return ""
}

func (f filling) columns(ctx context.Context, table string) ([]string, error) {
	text := "SELECT name FROM pragma_table_info('" + table + "')"
	if f.many {
		text = "SELECT column_name FROM information_schema.columns WHERE table_name = '" + table + "' ORDER BY ordinal_position"
	}
	rows, err := f.raw.QueryContext(ctx, text)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		list = append(list, name)
	}
	return list, rows.Err()
}

// sharedSweeps is how many payments in a row share three sweeps, one on each network.
const sharedSweeps = 300

// post writes what follows from the payments of the numbers: ledger, sweeps, balances of deposit addresses, audit log.
func (f filling) post(ctx context.Context, first, last int64) error {
	between := fmt.Sprintf(" BETWEEN %d AND %d", first, last)
	no, bytes, none := "0", "x'01'", "x''"
	if f.many {
		no, bytes, none = "FALSE", `'\x01'::bytea`, "''::bytea"
	}
	sweep := fmt.Sprintf("payment_id / %d * 3 + CASE network WHEN 'BEP20' THEN 1 WHEN 'POLYGON' THEN 2 ELSE 3 END",
		sharedSweeps)
	sweeps := f.series(first/sharedSweeps*3+1, last/sharedSweeps*3+3)
	for _, text := range []string{
		`INSERT INTO ledger_entries (ref, unit, from_account, to_account, count, reason, at)
			SELECT 'start:' || public_id, 'credit', 'key:' || key_id, 'spent', 1, 'start', started_at FROM payments
			WHERE started_at IS NOT NULL AND id` + between,
		`INSERT INTO deposit_balances (network, address, contract, payment_id, moved, marked, found, through, ahead, failures, reason)
			SELECT network, to_address, contract, payment_id, units, units, '0', block_number + 10, ` + no + `,
			0, '' FROM deposits WHERE payment_id` + between,
		`INSERT INTO sweeps (id, public_id, network, state, created_at, ended_at, tx_hash, block_number, block_hash, block_time,
			paid, moved, note)` + f.override() + ` SELECT s.n, ` + f.digits(26) + `, t.network, 'CONFIRMED', t.swept_at, t.swept_at,
			'0x' || ` + f.hex(64) + `, t.block_number, '', t.swept_at, '1000', 70, '' FROM ` + sweeps + `
			JOIN (SELECT ` + sweep + ` AS sweep, min(id) AS id FROM deposits WHERE payment_id` + between + ` GROUP BY ` + sweep + `
			) AS one ON one.sweep = s.n JOIN deposits AS t ON t.id = one.id ON CONFLICT DO NOTHING`,
		`INSERT INTO sweep_items (sweep_id, payment_id, txnid, address, raw, settlement, scheme, contract, symbol, decimals, token,
			expected, rescue, moved, reason) SELECT ` + sweep + `, payment_id, '', to_address, ` + none + `,
			` + none + `, 1, contract, symbol, decimals, token, units, ` + no + `, units, '' FROM deposits WHERE payment_id` + between,
		`INSERT INTO sweep_attempts (sweep_id, n, tx_hash, raw, nonce, valid_until, gas, price, tip, ceiling, made_at, sent_at)
			SELECT t.id, 1, t.tx_hash, ` + bytes + `, t.id, 0, 1, '1', '1', '1', t.created_at, t.created_at FROM sweeps AS t
			JOIN ` + sweeps + ` ON s.n = t.id WHERE TRUE ON CONFLICT DO NOTHING`,
		`INSERT INTO audit_log (user_id, at, actor, action, subject, detail, address, personal) SELECT 1, created_at,
			'a@example.org', 'changed', public_id, '', '', id % 1000 = 0 FROM payments WHERE id % 10 = 0 AND id` + between,
	} {
		if err := f.exec(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

// finish brings the sums up to date, and lets the database learn what it holds.
func (f filling) finish(ctx context.Context) error {
	quarter := "ended_at / 900000000"
	if f.many {
		quarter = "floor(extract(epoch FROM ended_at) / 900)::bigint"
	}
	all := []string{
		"UPDATE balances SET balance = balance - (SELECT count(*) FROM payments AS p WHERE p.key_id = balances.key_id " +
			fmt.Sprintf("AND p.started_at IS NOT NULL AND p.id > %d) WHERE unit = 'credit'", f.templates),
		"DELETE FROM sales",
		`INSERT INTO sales (key_id, day, quarter, network, currency, payments, volume, price) SELECT key_id, ` + quarter + ` / 96, ` + quarter + `,
			network, currency, count(*), sum(amount), sum(price) FROM payments WHERE status = 'COMPLETED'
			GROUP BY key_id, ` + quarter + `, network, currency`,
	}
	if f.many {
		all = append(all, "SELECT gin_clean_pending_list('payments_by_word')", "SELECT setval(pg_get_serial_sequence('payments', 'id'), (SELECT max(id) FROM payments))",
			"SELECT setval(pg_get_serial_sequence('sweeps', 'id'), (SELECT max(id) FROM sweeps))", "VACUUM ANALYZE")
	} else {
		all = append(all, "PRAGMA optimize")
	}
	for _, text := range all {
		if err := f.exec(ctx, text); err != nil {
			return err
		}
	}
	return nil
}
