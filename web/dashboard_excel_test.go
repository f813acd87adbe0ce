package web

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/payment"
)

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
