package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// chunk is how many payments one statement multiplies: SQLite writes each twice.
	chunk = 500_000
	// historyFor is the time over which the history is spread.
	historyFor = 5 * year
	// young is one over the share of payments whose webhooks and events are kept: those of the last year.
	young = int64(historyFor / year)
	year  = 365 * 24 * time.Hour
)

// filling is the multiplication of the templates.
type filling struct {
	*database

	templates, n int64
	step         int64 // microseconds between two payments
}

// fill multiplies the templates to n payments, and returns what each takes for good, and how much more while its
// webhooks and events are kept, in bytes.
func (d *database) fill(ctx context.Context, templates int64, n int) (kept, more int64, err error) {
	f := filling{d, templates, int64(n), int64(historyFor/time.Microsecond) / int64(n)}
	d.first, d.last = templates+1, templates+f.n
	if err := f.prepare(ctx); err != nil {
		return 0, 0, err
	}
	empty, err := d.size(ctx)
	if err != nil {
		return 0, 0, err
	}
	for _, t := range append(f.tables(), f.settled()...) {
		if err := f.table(ctx, t, 1); err != nil {
			return 0, 0, err
		}
	}
	before, err := d.size(ctx)
	if err != nil {
		return 0, 0, err
	}
	for _, t := range f.dropped() {
		if err := f.table(ctx, t, max(f.n-f.n/young, 1)); err != nil {
			return 0, 0, err
		}
	}
	after, err := d.size(ctx)
	if err != nil {
		return 0, 0, err
	}
	return (before - empty) / f.n, (after - before) / max(f.n/young, 1), f.finish(ctx)
}

// table fills a table from a payment on. Its indexes are made afterwards, which takes a third of the time.
func (f filling) table(ctx context.Context, m multiplied, from int64) error {
	indexes, err := f.pairs(ctx,
		"SELECT 'DROP INDEX ' || name, sql FROM sqlite_master WHERE type = 'index' AND sql <> '' AND tbl_name = '"+m.name+"'",
		`SELECT 'DROP INDEX ' || indexrelid::regclass, pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = '`+m.name+`'::regclass
			AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid)`)
	if err != nil {
		return err
	}
	begun := time.Now()
	for _, index := range indexes {
		if err := f.exec(ctx, index[0]); err != nil {
			return err
		}
	}
	for ; from <= f.n; from += chunk {
		if err := f.insert(ctx, m, from, min(from+chunk-1, f.n)); err != nil {
			return err
		}
	}
	for _, index := range indexes {
		if err := f.exec(ctx, index[1]); err != nil {
			return err
		}
	}
	if f.n > chunk {
		fmt.Fprintln(os.Stderr, m.name, "filled in", time.Since(begun).Round(time.Second))
	}
	if f.many { // what follows joins it
		return f.exec(ctx, "ANALYZE "+m.name)
	}
	return nil
}

// prepare keeps the database from checking each reference, which the templates show to be right, and from making each
// chunk durable.
func (f filling) prepare(ctx context.Context) error {
	f.raw.SetMaxOpenConns(1) // what is set holds for the connection
	texts := []string{
		"PRAGMA foreign_keys = OFF", "PRAGMA cache_size = -1000000",
		"INSERT INTO payment_words (payment_words, rank) VALUES ('hashsize', 100000000)",
	}
	if f.many {
		texts = []string{
			// A worker of autovacuum would take time from what is measured, and decide what the planner knows.
			`DO $$ DECLARE t regclass; BEGIN FOR t IN SELECT oid FROM pg_class WHERE relkind = 'r'
				AND relnamespace = 'public'::regnamespace LOOP
				EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false)', t); END LOOP; END $$`,
			"SET session_replication_role = replica", "SET synchronous_commit = off",
			"SET maintenance_work_mem = '1GB'",
		}
	}
	for _, text := range texts {
		if err := f.exec(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

// multiplied is a table whose rows are multiplied.
type multiplied struct {
	name string
	// text is what is inserted for the payments BETWEEN @first AND @last; empty: the rows of the templates.
	text string
	// from is what those are read from: s has the number n of the payment, t the template's row.
	from string
	// set has the expressions of columns that differ from the template's.
	set map[string]string
}

// id is the number of payment n.
func (f filling) id() string { return fmt.Sprintf("(s.n + %d)", f.templates) }

func (f filling) key() string {
	return fmt.Sprintf("(CASE WHEN s.n %% 5 < 4 THEN %d ELSE %d + (s.n / 5) %% %d END)", f.keys[0], f.keys[1], smallKeys)
}

// of joins the template's rows of a table.
func (f filling) of(table, column string) string {
	return fmt.Sprintf("JOIN %s AS t ON t.%s = 1 + s.n %% %d", table, column, f.templates)
}

// tables are those that stay for ever. A word of all payments is tickets, one of each half north and south, one of one
// in 700 blue, and one of a single payment its number.
func (f filling) tables() []multiplied {
	address := f.packed(40)
	return []multiplied{
		{name: "payments", from: f.of("payments", "id"), set: map[string]string{
			"id": f.id(), "public_id": f.digits(26), "key_id": f.key(),
			"amount":         "t.amount + (s.n % 10000) * 10000",
			"token":          "CASE WHEN s.n % 20000 = 3 THEN 'USDT' ELSE t.token END",
			"kind":           "CASE WHEN s.n % 20000 = 7 THEN 'DONATION' ELSE t.kind END",
			"reference":      "'order ' || s.n",
			"customer_email": "'payer' || (s.n % 50000) || '@example.org'",
			"description":    "'Two tickets ' || " + stand,
			"words": "'order ' || s.n || ' two tickets ' || " + stand + ` || ' payer' || (s.n % 50000) ||
				' example org cart a b c'`,
			"hash": "CASE WHEN length(t.hash) = 0 THEN t.hash ELSE " + f.packed(64) + " END",
		}},
		{name: "routes", from: f.of("routes", "payment_id"), set: map[string]string{
			"id": "", "payment_id": f.id(), "address": address,
		}},
		{name: "deposits", from: f.of("deposits", "payment_id"), set: map[string]string{
			"id": "", "payment_id": f.id(), "key_id": f.key(), "tx_hash": f.packed(64), "to_address": address,
			"swept_at": f.shift("final_at"), "rechecked": map[bool]string{true: "TRUE", false: "1"}[f.many],
		}},
	}
}

const stand = "CASE WHEN s.n % 700 = 9 THEN 'blue ' ELSE '' END || CASE WHEN s.n / 5 % 2 = 0 THEN 'north' ELSE 'south' END"

// dropped are the tables whose rows retention drops, of a payment that is finished.
func (f filling) dropped() []multiplied {
	custodian := strings.ReplaceAll(f.key(), strconv.FormatInt(f.keys[1], 10)+" +", "2 +") // they are numbered from 1
	return []multiplied{
		{name: "events", from: f.of("events", "payment_id"), set: map[string]string{"id": "", "payment_id": f.id()}},
		{name: "feed", from: f.of("feed", "payment_id"), set: map[string]string{
			"payment_id": f.id(), "key_id": f.key(), "position": "1000 + s.n * 10 + t.seq",
		}},
		{name: "deliveries", from: f.of("deliveries", "payment_id"), set: map[string]string{
			"id": "", "payment_id": f.id(), "custodian_id": custodian,
			"state": "CASE WHEN s.n % 20000 = 11 THEN 'FAILED' ELSE t.state END",
		}},
		{
			name: "delivery_attempts",
			from: fmt.Sprintf(`JOIN deliveries AS o ON o.payment_id = 1 + s.n %% %d JOIN delivery_attempts AS t ON t.delivery_id = o.id
				JOIN deliveries AS mine ON mine.payment_id = %s AND mine.seq = o.seq`, f.templates, f.id()),
			set: map[string]string{"id": "", "delivery_id": "mine.id"},
		},
		{name: "audit_log", text: `INSERT INTO audit_log (user_id, at, actor, action, subject, detail, address, personal)
			SELECT 1, created_at, 'a@example.org', 'changed', public_id, '', '', id % 1000 = 0 FROM payments
			WHERE id % 10 = 0 AND id BETWEEN @first AND @last`},
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

func (f filling) series(from, to string) string {
	if f.many {
		return "generate_series(" + from + "::bigint, " + to + "::bigint) AS s(n)"
	}
	return "(WITH RECURSIVE s(n) AS (SELECT " + from + " UNION ALL SELECT n + 1 FROM s WHERE n < " + to + ") SELECT n FROM s) AS s"
}

// insert writes the rows of payments from..to.
func (f filling) insert(ctx context.Context, m multiplied, from, to int64) error {
	text := m.text
	if text == "" {
		columns, err := f.pairs(ctx, "SELECT name, '' FROM pragma_table_info('"+m.name+"')", `SELECT column_name, ''
			FROM information_schema.columns WHERE table_name = '`+m.name+`' ORDER BY ordinal_position`)
		if err != nil {
			return err
		}
		var names, values []string
		for _, c := range columns {
			value, set := m.set[c[0]]
			switch {
			case set && value == "":
				continue
			case set:
			case slices.Contains([]string{"at", "since", "block_time"}, c[0]), strings.HasSuffix(c[0], "_at"):
				value = f.shift(c[0])
			default:
				value = "t." + c[0]
			}
			names, values = append(names, c[0]), append(values, value)
		}
		text = "INSERT INTO " + m.name + " (" + strings.Join(names, ", ") + ")" + f.override() +
			" SELECT " + strings.Join(values, ", ") + " FROM " +
			f.series(strconv.FormatInt(from, 10), strconv.FormatInt(to, 10)) + " " + m.from
	}
	return f.exec(ctx, strings.NewReplacer("@first", strconv.FormatInt(from+f.templates, 10),
		"@last", strconv.FormatInt(to+f.templates, 10)).Replace(text))
}

// override lets a statement of PostgreSQL set the id.
func (f filling) override() string {
	if f.many {
		return " OVERRIDING SYSTEM VALUE"
	}
	return ""
}

// pairs reads two texts a row, by the query of the engine.
func (d *database) pairs(ctx context.Context, sqlite, postgres string) (list [][2]string, err error) {
	text := map[bool]string{true: postgres, false: sqlite}[d.many]
	rows, err := d.raw.QueryContext(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("%.200s: %w", text, err)
	}
	defer rows.Close()
	for rows.Next() {
		var pair [2]string
		if err := rows.Scan(&pair[0], &pair[1]); err != nil {
			return nil, err
		}
		list = append(list, pair)
	}
	return list, rows.Err()
}

// sharedSweeps is how many payments in a row share three sweeps, one on each network.
const sharedSweeps = 300

// settled are the tables of what follows from payments and deposits: ledger, balances of deposit addresses, sweeps.
func (f filling) settled() []multiplied {
	const between = " BETWEEN @first AND @last"
	no, bytes, none := "0", "x'01'", "x''"
	if f.many {
		no, bytes, none = "FALSE", `'\x01'::bytea`, "''::bytea"
	}
	sweep := fmt.Sprintf("payment_id / %d * 3 + CASE network WHEN 'BEP20' THEN 1 WHEN 'POLYGON' THEN 2 ELSE 3 END",
		sharedSweeps)
	sweeps := f.series(
		fmt.Sprintf("(@first / %d * 3 + 1)", sharedSweeps), fmt.Sprintf("(@last / %d * 3 + 3)", sharedSweeps),
	)
	return []multiplied{
		{name: "ledger_entries", text: `INSERT INTO ledger_entries (ref, unit, from_account, to_account, count, reason, at)
			SELECT 'start:' || public_id, 'credit', 'key:' || key_id, 'spent', 1, 'start', started_at FROM payments
			WHERE started_at IS NOT NULL AND id` + between},
		{name: "deposit_balances", text: `INSERT INTO deposit_balances (network, address, contract, payment_id, moved, marked, found,
			through, ahead, failures, reason) SELECT network, to_address, contract, payment_id, units, units, '0',
			block_number + 10, ` + no + `, 0, '' FROM deposits WHERE payment_id` + between},
		{name: "sweeps", text: `INSERT INTO sweeps (id, public_id, network, state, created_at, ended_at, tx_hash, block_number,
			block_hash, block_time, paid, moved, note)` + f.override() + ` SELECT s.n, ` + f.digits(26) + `, t.network, 'CONFIRMED',
			t.swept_at, t.swept_at, '0x' || ` + f.hex(64) + `, t.block_number, '', t.swept_at, '1000', 70, '' FROM ` + sweeps + `
			JOIN (SELECT ` + sweep + ` AS sweep, min(id) AS id FROM deposits WHERE payment_id` + between + ` GROUP BY ` + sweep + `
			) AS one ON one.sweep = s.n JOIN deposits AS t ON t.id = one.id ON CONFLICT DO NOTHING`},
		{name: "sweep_items", text: `INSERT INTO sweep_items (sweep_id, payment_id, txnid, address, raw, settlement, scheme,
			contract, symbol, decimals, token, expected, rescue, moved, reason) SELECT ` + sweep + `, payment_id, '', to_address,
			` + none + `, ` + none + `, 1, contract, symbol, decimals, token, units, ` + no + `, units, '' FROM deposits
			WHERE payment_id` + between},
		{name: "sweep_attempts", text: `INSERT INTO sweep_attempts (sweep_id, n, tx_hash, raw, nonce, valid_until, gas, price, tip,
			ceiling, made_at, sent_at) SELECT t.id, 1, t.tx_hash, ` + bytes + `, t.id, 0, 1, '1', '1', '1', t.created_at,
			t.created_at FROM sweeps AS t JOIN ` + sweeps + ` ON s.n = t.id WHERE TRUE ON CONFLICT DO NOTHING`},
	}
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
		all = append(all, "SELECT setval(pg_get_serial_sequence('payments', 'id'), (SELECT max(id) FROM payments))",
			"SELECT setval(pg_get_serial_sequence('sweeps', 'id'), (SELECT max(id) FROM sweeps))", "VACUUM ANALYZE")
	} else {
		all = append(all, "INSERT INTO payment_words (payment_words, rank) VALUES ('hashsize', 1048576)", "PRAGMA optimize")
	}
	for _, text := range all {
		if err := f.exec(ctx, text); err != nil {
			return err
		}
	}
	return nil
}
