package web

import (
	"bytes"
	"context"
	"encoding/csv"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/report"
)

// longList is a merchant with that many payments, in pages like the database's.
type longList struct {
	rows int64
	peak func()
}

func (l longList) find(_ context.Context, q report.Query) (report.ExportPage, error) {
	next := l.rows
	if q.After.Number > 0 {
		next = q.After.Number - 1
	}
	found := report.ExportPage{Read: func(context.Context) ([]report.Exported, error) {
		return l.read(next, q.Limit), nil
	}}
	if last := next - int64(q.Limit) + 1; last > 1 {
		found.Next = report.Place{At: time.Unix(last, 0), Number: last}
	}
	l.peak()
	return found, nil
}

func (l longList) read(next int64, limit int) []report.Exported {
	page := make([]report.Exported, 0, limit)
	for n := next; n > 0 && len(page) < limit; n-- {
		page = append(page, report.Exported{Payment: payment.Payment{
			ID: "01KJ4Z8Y3T6Q0M5V9B2N7R1XWA", Number: n, Kind: payment.KindMerchant, Amount: 10 * money.USD,
			Status:    payment.Completed,
			CreatedAt: time.Unix(n, 0), EndedAt: time.Unix(n+60, 0),
			Details: payment.Details{Reference: "order", Description: "two pounds of coffee"},
		}})
	}
	return page
}

// sink counts the lines written to it and keeps nothing.
type sink struct {
	header http.Header
	lines  int64
}

func (s *sink) Header() http.Header { return s.header }
func (s *sink) WriteHeader(int)     {}
func (s *sink) Write(b []byte) (int, error) {
	s.lines += int64(bytes.Count(b, []byte("\n")))
	return len(b), nil
}

// exported writes an export of so many rows and returns how much more memory
// was in use at its highest than before, after collecting what is garbage.
func exported(tb testing.TB, b dashboardBundle, s *surfer, rows int64, every int) (lines int64, more int64) {
	tb.Helper()
	held := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	pages, before, most := 0, held(), int64(0)
	long := *b.server.d.Dashboard
	long.Export = longList{rows: rows, peak: func() {
		if pages++; pages%every == 0 {
			most = max(most, held()-before)
		}
	}}.find
	d, o := b.server.d, b.server.o
	d.Dashboard = &long
	r := httptest.NewRequestWithContext(tb.Context(), http.MethodGet, "/dashboard/payments.csv", nil)
	r.RemoteAddr, r.Host = "127.0.0.1:40000", "pay.example"
	for _, k := range s.cookies {
		r.AddCookie(k)
	}
	out := &sink{header: http.Header{}}
	New(d, o).Handler().ServeHTTP(out, r)
	return out.lines, most
}

// exportMemory is the most an export may hold, in bytes: some pages of 1,800 rows, and what else the process holds by
// then; half of the text of the export below.
const exportMemory = 8 << 20

// A long export holds no more memory than a short one. FLORIN_TEST_EXPORT_ROWS
// sets its length: 1000000 for the promised limit.
//
//nolint:paralleltest // it counts the memory of the whole process
func TestExport_ConstantMemory(t *testing.T) {
	b, s, _ := newShop(t)
	rows := int64(80_000) // as one text some 16 MB, as payments some 60
	if text := os.Getenv("FLORIN_TEST_EXPORT_ROWS"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		must(t, err)
		rows = n
	}
	started := time.Now()
	lines, more := exported(t, b, s, rows, 10)
	t.Logf("%d rows in %v, %d KB held at most", rows, time.Since(started).Round(time.Millisecond), more>>10)
	if lines != rows+1 || more > exportMemory {
		t.Errorf("%d lines, %d KB held", lines, more>>10)
	}
}

func TestDashboard_Export(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	b.busy(m)
	for _, reference := range []string{
		"=1+1", "+SUM(A1)", "-2", "@x", "\u0009tab", "＝1", "fine, with \"quotes\"",
		"a=b",
	} {
		_, err := b.store.CreatePayment(t.Context(), payment.New(payment.Request{
			ID: testID(b.clock.Now()), KeyID: m.key.ID, Kind: payment.KindMerchant, Amount: 1_000_000,
			ValidFor: time.Hour,
			Details:  payment.Details{Reference: reference, Description: "line\r\nbreak"},
		}, b.clock.Now()))
		must(t, err)
	}
	s := b.surfer()
	s.signIn(ownerEmail)
	r := s.get("/dashboard/payments.csv")
	if r.status != 200 || !strings.HasPrefix(r.header.Get("Content-Type"), "text/csv") ||
		!strings.HasPrefix(r.header.Get("Content-Disposition"), "attachment") {
		t.Fatalf("%d %v", r.status, r.header)
	}
	rows, err := csv.NewReader(strings.NewReader(r.body)).ReadAll()
	must(t, err)
	if len(rows) != 1+5+8 || len(rows[0]) != 19 {
		t.Fatalf("%d rows of %d columns", len(rows), len(rows[0]))
	}
	for _, row := range rows[1:] {
		for i, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@\t\r\n＝", []rune(cell)[0]) || strings.ContainsAny(cell, "\r\n") {
				t.Errorf("%s: %q is taken for a formula", rows[0][i], cell)
			}
		}
	}
	if rows := strings.Count(s.get("/dashboard/payments.csv?status=COMPLETED").body, "\n"); rows != 2 {
		t.Errorf("the filtered export has %d lines", rows)
	}
	s.get("/dashboard/payments.csv?status=NONE").wants(t, 400)
}

// TestDashboard_ExportForExcel: Excel reads the umlauts, one column a value, the amounts as numbers and the times as
// times, in the language of its user; ids and references stay texts.
func TestDashboard_ExportForExcel(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	for _, reference := range []string{"0042", "2E5", "3-4", "Müller; \"Söhne\"", "=1+1", strings.Repeat("9", 20)} {
		_, err := b.payments.Create(t.Context(), payment.CreateInput{
			KeyID: m.key.ID, Amount: "1234.5", Details: payment.Details{Reference: reference},
		}, audit.Act{})
		must(t, err)
	}
	s := b.surfer()
	s.signIn(ownerEmail)
	s.get("/dashboard/payments/exports").wants(t, 200, "/dashboard/payments.csv?for=excel")
	s.get("/dashboard/payments/exports?status=PENDING").wants(t, 200, "/dashboard/payments.csv?status=PENDING&amp;for=excel")
	for language, want := range map[string]struct {
		comma  rune
		amount string
	}{
		"en": {',', "1234.5"}, "de": {';', "1234,5"}, "fr-CA": {';', "1234,5"}, "hi": {',', "1234.5"},
		"de-CH": {';', "1234.5"}, "en-ZA": {';', "1234,5"}, "es-MX": {',', "1234.5"}, "pt-BR,en-US": {';', "1234,5"},
		"de-AT": {';', "1234,5"}, "en-GB": {',', "1234.5"}, "fr,de-CH": {';', "1234,5"},
	} {
		r := s.do("GET", "/dashboard/payments.csv?for=excel", nil, "Accept-Language", language)
		r.wants(t, 200)
		file, marked := strings.CutPrefix(r.body, "\ufeff")
		in := csv.NewReader(strings.NewReader(file))
		in.Comma = want.comma
		rows, err := in.ReadAll()
		if err != nil || !marked || len(rows) != 7 {
			t.Fatalf("%s: marked %v, %d rows, %v", language, marked, len(rows), err)
		}
		if rows[0][1] != "createdAt (UTC)" || rows[0][4] != "amountUsd" || rows[0][8] != "reference" {
			t.Errorf("%s: the head is %q", language, rows[0])
		}
		row := rows[6] // the oldest
		if row[4] != want.amount || row[1] != b.clock.Now().UTC().Format("2006-01-02 15:04:05") {
			t.Errorf("%s: amount %q, time %q", language, row[4], row[1])
		}
		for i, reference := range []string{
			`="` + strings.Repeat("9", 20) + `"`, `="'=1+1"`, `="Müller; ""Söhne"""`, `="3-4"`, `="2E5"`, `="0042"`,
		} {
			if rows[i+1][8] != reference || !strings.HasPrefix(rows[i+1][0], `="01`) {
				t.Errorf("%s: reference %s and id %s, want %s", language, rows[i+1][8], rows[i+1][0], reference)
			}
		}
	}
	if plain := s.get("/dashboard/payments.csv").body; !strings.HasPrefix(plain, "txnid,createdAt,") ||
		!strings.Contains(plain, ",1234.5,") || !strings.Contains(plain, ",0042,") {
		t.Errorf("the plain export is %.300s", plain)
	}
}
