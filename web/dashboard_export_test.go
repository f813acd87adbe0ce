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
	"unicode"
	"unicode/utf8"

	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/report"
)

// longList is a merchant with that many payments, paged as the database pages.
type longList struct {
	Reports

	rows int64
	peak func()
}

func (l longList) SearchPayments(_ context.Context, q report.Query) ([]payment.Payment, error) {
	next := l.rows
	if q.After.Number > 0 {
		next = q.After.Number - 1
	}
	page := make([]payment.Payment, 0, q.Limit)
	for n := next; n > 0 && len(page) < q.Limit; n-- {
		page = append(page, payment.Payment{
			ID: "01KJ4Z8Y3T6Q0M5V9B2N7R1XWA", Number: n, Kind: payment.KindMerchant, Amount: 10 * money.USD, Status: payment.Completed,
			CreatedAt: time.Unix(n, 0), EndedAt: time.Unix(n+60, 0), Details: payment.Details{Reference: "order", Description: "two pounds of coffee"},
		})
	}
	l.peak()
	return page, nil
}

// sink is a slow reader's socket: what is written is counted and gone.
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
func exported(tb testing.TB, b deskBundle, s *surfer, rows int64, every int) (lines int64, more int64) {
	tb.Helper()
	held := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	pages, before, most := 0, held(), int64(0)
	long := *b.server.d.Dashboard
	long.Reports = longList{Reports: long.Reports, rows: rows, peak: func() {
		if pages++; pages%every == 0 {
			most = max(most, held()-before)
		}
	}}
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

// exportMemory is what an export may hold: some pages of 500 rows.
const exportMemory = 4 << 20

// A long export holds no more memory than a short one. FLORIN_TEST_EXPORT_ROWS
// sets how long it is: 1000000 for the promise itself.
//
//nolint:paralleltest // it counts the memory of the whole process
func TestExport_ConstantMemory(t *testing.T) {
	b := newDesk(t)
	b.shop(b.member(deskEmail))
	s := b.surfer()
	s.signIn(deskEmail)
	rows := int64(20_000) // as one text some 4 MB, as payments some 15
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

// opened is what a spreadsheet makes of a file by one separator, quotes kept
// together as RFC 4180 says where they begin a cell.
func opened(file string, separator rune) []string {
	var cells []string
	var cell strings.Builder
	quoted, fresh := false, true
	for _, c := range file {
		switch {
		case quoted && c == '"':
			quoted = false
		case quoted:
			cell.WriteRune(c)
		case fresh && c == '"':
			quoted, fresh = true, false
		case c == separator || c == '\n':
			cells = append(cells, cell.String())
			cell.Reset()
			fresh = true
		default:
			cell.WriteRune(c)
			fresh = false
		}
	}
	return append(cells, cell.String())
}

// formula reports whether a spreadsheet computes a cell.
func formula(cell string) bool {
	cell = strings.TrimLeftFunc(cell, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) })
	first, _ := utf8.DecodeRuneInString(cell)
	return cell != "" && strings.ContainsRune("=+-@|%＝＋－＠", first)
}

// FuzzExportRow: no text of a customer or a merchant becomes a formula, whatever
// the spreadsheet takes for the separator, and the row stays one row of as many
// cells; what is harmless is written as it is.
func FuzzExportRow(f *testing.F) {
	for _, text := range []string{
		"", "order 7", "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\u00a0=1", "\ufeff=1", "\x00=1", "＝1", "|x", "%x", "'=1", `"=1"`, `"`, `""=1`,
		"x;=cmd|'/C calc'!A0;x", "x\t=1", "x,=1", "a\nb", "a\r\n=1", ";;=1", "; =1", "x|=1", "x:=1", "Café, 2 × ½", "a;b", "a-b", "2026-11-21", "\xff=1", "\xff",
	} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, reference, description string) {
		p := payment.Payment{
			ID: "01KJ4Z8Y3T6Q0M5V9B2N7R1XWA", Number: 1, Kind: payment.KindMerchant, Amount: 10 * money.USD, Status: payment.Completed,
			CreatedAt: time.Unix(9, 0), Details: payment.Details{Reference: reference, Description: description, CustomerEmail: description},
		}
		var file bytes.Buffer
		out := csv.NewWriter(&file)
		must(t, out.Write(exportRow(p)))
		out.Flush()
		rows, err := csv.NewReader(&file).ReadAll()
		if err != nil || len(rows) != 1 || len(rows[0]) != len(exportHead) {
			t.Fatalf("%q and %q become %q, %v", reference, description, rows, err)
		}
		must(t, out.Write(exportRow(p)))
		out.Flush()
		for _, separator := range ",;\t|" {
			for _, cell := range opened(file.String(), separator) {
				if formula(cell) {
					t.Fatalf("%q and %q: a spreadsheet that separates by %q computes %q", reference, description, separator, cell)
				}
			}
		}
		if plain := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" .,-_/#", r) && r != utf8.RuneError {
				return r
			}
			return -1
		}, reference); plain == reference && !formula(plain) && rows[0][8] != reference {
			t.Fatalf("%q is written %q", reference, rows[0][8])
		}
	})
}
