package web

import (
	"database/sql"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/store/report"
)

// A search for words that are frequent, but hardly ever together, says how far it has come, and goes on from there.
func TestDashboard_SearchFurtherBack(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	both, one := b.newPayment(m), b.newPayment(m)
	database, err := sql.Open("sqlite", "file:"+b.path)
	must(t, err)
	defer database.Close()
	run := func(text string, args ...any) {
		t.Helper()
		_, err := database.ExecContext(t.Context(), text, args...)
		must(t, err)
	}
	run("UPDATE payments SET words = 'north south' WHERE id = ?", both.Number)
	var columns string
	must(t, database.QueryRowContext(t.Context(), `SELECT group_concat(CASE name WHEN 'id' THEN 'START + n'
		WHEN 'public_id' THEN 'printf(''%026d'', START + n)' WHEN 'created_at' THEN 'created_at + n'
		WHEN 'words' THEN 'CASE n % 2 WHEN 0 THEN ''north'' ELSE ''south'' END' ELSE name END)
		FROM pragma_table_info('payments')`).Scan(&columns))
	copies := func(start, count int) {
		t.Helper()
		run("WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < $1) INSERT INTO payments SELECT "+
			strings.ReplaceAll(columns, "START", "$2")+" FROM s, payments WHERE id = $3", count, start, one.Number)
	}
	// Each word is in more payments than a page looks at, in an age of the index that is not the newest.
	const age = 1 << 17
	copies(2*age+1000, 2*report.MaxLook+2)
	copies(4*age+1000, 1)
	run("UPDATE payments SET created_at = created_at + 1000000 WHERE id > ?", 4*age)
	s := b.surfer()
	s.signIn(ownerEmail)
	further := regexp.MustCompile(`href="(/dashboard/payments\?[^"]*after=[^"]*)"`)
	found := `href="/dashboard/payments/` + string(both.ID) + `"`
	for path, headers := range map[string][]string{
		"/dashboard/find?q=north+south":               {"HX-Request", "true"},
		"/dashboard/payments?q=north+south":           nil,
		"/dashboard/payments?q=north+south&max=49.90": nil,
	} {
		r := s.do("GET", path, nil, headers...)
		r.wants(t, 200, "Florin has found nothing so far. It has searched back to:", "Search further back")
		next := further.FindStringSubmatch(r.body)
		if len(next) < 2 || strings.Contains(r.body, found) {
			t.Fatalf("%s: %s", path, r.body)
		}
		s.get(html.UnescapeString(next[1])).wants(t, 200, found, "At least 1 payment, $49.90 together.")
	}
}
