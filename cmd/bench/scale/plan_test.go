package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

var paymentsFlag = flag.Int("payments", 40_000, "payments of the history; 200000 takes minutes")

const (
	// planned is how many payments the planner of PostgreSQL is made to believe in.
	planned = 10_000_000
	// mostDropped is how many rows a query may read and not use.
	mostDropped = 1000
	// mostRead is how many rows a query may read of a table, and compare: a search compares the newest 10,000 payments,
	// and as many are counted.
	mostRead = report.MaxCounted + 1
	// mostOfAge is how many entries of the index of words an age has: a search for frequent words reads one.
	mostOfAge = 1 << 17
	// mostSmall is how many rows a table has that the test has hardly filled.
	mostSmall = 100
)

// grows are the tables that grow with the payments.
var grows = regexp.MustCompile(`^(payments|routes|deposits|events|feed|deliveries|delivery_attempts|ledger_entries|` +
	`deposit_balances|sales|sweeps|sweep_items|sweep_attempts|audit_log|sessions|idempotency|donations)$`)

// TestPages_ReadFewRows runs each list, page and filter on a long history, and has the database explain what it read.
func TestPages_ReadFewRows(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func() string{
		"SQLite":     func() string { return "sqlite://" + filepath.Join(t.TempDir(), "history.db") },
		"PostgreSQL": func() string { return postgres.URL(t) },
	} {
		url := place()
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var r recorder
			d, err := newDatabase(t.Context(), url, *paymentsFlag, &r)
			testkit.Must(t, err)
			t.Cleanup(d.close)
			explainPages(t, d, &r)
		})
	}
}

func explainPages(t *testing.T, d *database, r *recorder) {
	t.Helper()
	r.take() // of the filling
	explained := 0
	texts := make(map[string][]string)
	for _, p := range probes() {
		if p.most == 0 {
			continue
		}
		for run := range 2 { // the first page and the last one
			if err := p.do(t.Context(), d, run); err != nil {
				t.Fatalf("%s: %v", p.name, err)
			}
			for _, text := range r.take() {
				texts[text] = append(texts[text], p.name)
			}
		}
	}
	if err := d.Close(); err != nil { // it may still be having its tables looked at
		t.Fatal(err)
	}
	d.believe(t)
	d.wantBelieved(t)
	defer d.wantBelieved(t) // nobody has looked at the tables meanwhile
	for _, text := range slices.Sorted(maps.Keys(texts)) {
		if !strings.HasPrefix(text, "SELECT") && !strings.HasPrefix(text, "WITH") {
			continue
		}
		explained++
		for _, fault := range d.faults(t, text) {
			t.Errorf("%s: %s\n%s", strings.Join(slices.Compact(texts[text]), "; "), fault, text)
		}
	}
	if explained < 50 {
		t.Errorf("only %d queries were explained", explained)
	}
}

// recorder keeps the texts of queries.
type recorder struct {
	mu    sync.Mutex
	texts []string
}

func (r *recorder) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context { return ctx }

func (r *recorder) AfterQuery(_ context.Context, e *bun.QueryEvent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.texts = append(r.texts, e.Query)
}

// take returns what was kept, and forgets it.
func (r *recorder) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	texts := r.texts
	r.texts = nil
	return texts
}

// believe makes PostgreSQL plan as for ten million payments, whatever it has looked at before: the store must be
// closed, because it has its tables looked at as they grow. SQLite plans without statistics of the history.
func (d *database) believe(t *testing.T) {
	t.Helper()
	if !d.many {
		return
	}
	for _, text := range []string{
		"SET default_statistics_target = 1000", // every row is in the sample, so that the sample is the same each time
		"ANALYZE",
		// The planner reckons rows as reltuples a page of relpages, times the pages that there are.
		fmt.Sprintf(`UPDATE pg_class SET reltuples = reltuples * %d, relpages = pg_relation_size(oid) /
			current_setting('block_size')::bigint WHERE relkind IN ('r', 'i') AND oid IN (
			SELECT c.oid FROM pg_class AS c LEFT JOIN pg_index AS i ON i.indexrelid = c.oid
			JOIN pg_class AS t ON t.oid = coalesce(i.indrelid, c.oid)
			WHERE t.relnamespace = 'public'::regnamespace AND t.relname ~ '%s')`, planned / *paymentsFlag, grows),
	} {
		testkit.Must(t, d.exec(t.Context(), text))
	}
}

// wantBelieved fails unless PostgreSQL plans with the rows of ten million payments for each table that grows.
func (d *database) wantBelieved(t *testing.T) {
	t.Helper()
	if !d.many {
		return
	}
	checked := 0
	for _, table := range d.growing(t) {
		var rows, believed float64
		err := d.raw.QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM `+table+`),
			CASE WHEN relpages > 0 THEN reltuples / relpages ELSE 0 END *
			(pg_relation_size(oid) / current_setting('block_size')::bigint)
			FROM pg_class WHERE oid = '`+table+`'::regclass`).Scan(&rows, &believed)
		testkit.Must(t, err)
		if rows < mostSmall {
			continue
		}
		checked++
		if want := rows * float64(planned / *paymentsFlag); believed < want*0.99 || believed > want*1.01 {
			t.Errorf("PostgreSQL believes in %.0f rows of %s, want %.0f", believed, table, want)
		}
	}
	if checked < 10 {
		t.Errorf("only %d tables have grown", checked)
	}
}

// growing lists the tables that grow with the payments.
func (d *database) growing(t *testing.T) []string {
	t.Helper()
	names, err := d.pairs(t.Context(), "", "SELECT relname, '' FROM pg_class WHERE relkind = 'r' "+
		"AND relnamespace = 'public'::regnamespace ORDER BY relname")
	testkit.Must(t, err)
	var all []string
	for _, name := range names {
		if grows.MatchString(name[0]) {
			all = append(all, name[0])
		}
	}
	return all
}

// faults returns why the query does not suit a long history.
func (d *database) faults(t *testing.T, text string) []string {
	t.Helper()
	if d.many {
		return postgresFaults(d.explainedByPostgres(t, text))
	}
	partial := d.partialIndexes(t)
	var all []string
	wanted, ranges := make(map[string]bool), make(map[int64]string)
	for _, m := range listed.FindAllStringSubmatch(text, -1) {
		wanted["SEARCH "+m[1]+" USING INTEGER PRIMARY KEY (rowid=?)"] = true
	}
	rows, err := d.raw.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+text, make([]any, strings.Count(text, "?"))...)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused int64
		var line string
		testkit.Must(t, rows.Scan(&id, &parent, &unused, &line))
		delete(wanted, line)
		switch {
		case strings.Contains(line, "INDEX payments_by_"):
			ranges[parent] = line
		case line == "USE TEMP B-TREE FOR ORDER BY" && ranges[parent] != "":
			all = append(all, "reads all of a range to sort it: "+ranges[parent])
		}
		counts := strings.HasPrefix(text, "SELECT count(*) AS payments")
		if counts && strings.Contains(line, " USING INDEX payments_by_") {
			all = append(all, "reads rows to count them: "+line)
		}
		m := sqliteScan.FindStringSubmatch(line)
		if m != nil && d.tableOf(text, m[1]) && !partial[m[2]] {
			all = append(all, "reads a whole table: "+line)
		}
	}
	testkit.Must(t, rows.Err())
	for line := range wanted {
		all = append(all, "has a list of rows and walks an index: not "+line)
	}
	return all
}

// listed is a table, by its name in the query, of which rows are listed by their numbers.
var listed = regexp.MustCompile(`\b(\w+)\.id IN \(\d`)

// sqliteScan is how SQLite says that it reads a table, or an index that is not partial, from end to end.
var sqliteScan = regexp.MustCompile(`^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?$`)

// partialIndexes are small by their nature.
func (d *database) partialIndexes(t *testing.T) map[string]bool {
	t.Helper()
	names, err := d.pairs(t.Context(), "SELECT name, '' FROM sqlite_master WHERE type = 'index' AND sql LIKE '% WHERE %'", "")
	testkit.Must(t, err)
	all := make(map[string]bool)
	for _, name := range names {
		all[name[0]] = true
	}
	return all
}

// tableOf reports whether the name, in the query, is of a table that grows.
func (d *database) tableOf(text, name string) bool {
	if grows.MatchString(name) {
		return true
	}
	m := regexp.MustCompile(`(\w+) AS "?` + name + `"?\b`).FindStringSubmatch(text)
	return m != nil && grows.MatchString(m[1])
}

// planNode is a step of a plan as PostgreSQL explains it after it ran. Rows are the mean of all loops.
//
//nolint:tagliatelle // the names are PostgreSQL's
type planNode struct {
	Type     string     `json:"Node Type"`
	Relation string     `json:"Relation Name"`
	Index    string     `json:"Index Name"`
	Rows     float64    `json:"Actual Rows"`
	Loops    float64    `json:"Actual Loops"`
	Filtered float64    `json:"Rows Removed by Filter"`
	Joined   float64    `json:"Rows Removed by Join Filter"`
	Checked  float64    `json:"Rows Removed by Index Recheck"`
	Plans    []planNode `json:"Plans"`
}

func (d *database) explainedByPostgres(t *testing.T, text string) planNode {
	t.Helper()
	var answer []byte
	text = "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) " + text
	if err := d.raw.QueryRowContext(t.Context(), text).Scan(&answer); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var plans []struct{ Plan planNode }
	testkit.Must(t, json.Unmarshal(answer, &plans))
	return plans[0].Plan
}

func postgresFaults(n planNode) (all []string) {
	if n.Type == "Seq Scan" && grows.MatchString(n.Relation) && n.Rows+n.Filtered > 0 {
		all = append(all, "reads a whole table: "+n.Relation)
	}
	dropped := (n.Filtered + n.Joined + n.Checked) * n.Loops
	if most := map[bool]float64{true: mostRead, false: mostDropped}[n.Type == "Subquery Scan"]; dropped > most &&
		(n.Relation == "" || grows.MatchString(n.Relation)) {
		all = append(all, fmt.Sprintf("%s %s%s drops %.0f rows", n.Type, n.Relation, n.Index, dropped))
	}
	most := map[bool]float64{true: mostOfAge, false: mostRead}[n.Index == "payments_by_word"]
	if read := n.Rows * n.Loops; read > most && n.Relation+n.Index != "" {
		all = append(all, fmt.Sprintf("%s %s%s reads %.0f rows", n.Type, n.Relation, n.Index, read))
	}
	for _, inner := range n.Plans {
		all = append(all, postgresFaults(inner)...)
	}
	return all
}
