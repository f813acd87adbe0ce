package main_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// ratesOf starts two servers that say what a euro is worth, and a bank's reference rates, and returns the settings that
// name them.
func ratesOf(tb testing.TB, first, second string) []string {
	tb.Helper()
	serve := func(format string, fields ...any) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprintf(w, format, append([]any{time.Now().UTC().Format(time.RFC3339)}, fields...)...)
		}))
		tb.Cleanup(s.Close)
		return s.URL
	}
	const rates = `{"updatedAt":%q,"rates":{"EUR":%q}}`
	other := strings.Replace(serve(rates, second), "127.0.0.1", "localhost", 1)
	return []string{
		"FLORIN_RATE_SOURCES=" + serve(rates, first) + "," + other, "FLORIN_RATE_FENCE=" +
			serve(`<Envelope><Cube><Cube time="%.10s"><Cube currency="USD" rate="1.16"/></Cube></Cube></Envelope>`),
	}
}

// TestRates_Shown: each currency with its sources, their ages and how far they are apart is printed by florin doctor,
// and is on the operator's page and among the metrics while somebody prices in it.
func TestRates_Shown(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	s := openShopOn(t, startChains(t)[1:2],
		append(ratesOf(t, "1.16152", "1.16268"), "FLORIN_METRICS_LISTEN="+address)...)
	s.must(t, password, "user", "create", "--email=root@example.com", "--operator")
	client := signedIn(t, s.url, "root@example.com", strings.TrimSpace(password))
	if _, ok := scrape(t, address).value("florin_rate_usd", "currency", "EUR"); ok {
		t.Error("nobody prices in euros, and they have a rate")
	}
	_, answer := s.do(t, http.MethodPost, "/create-payment",
		`{"apiKey":"`+s.key+`","price":{"amount":"10","currency":"EUR"}}`)
	if answer["code"] != 200.0 {
		t.Fatalf("a price in euros: %v", answer)
	}
	awaitMetrics(t, address, []metric{
		{"florin_rate_usd", []string{"currency", "EUR"}, 1.1621, 1.1621},
		{"florin_rate_source_age_seconds", []string{"currency", "EUR", "source", "localhost"}, 0, 30},
		{"florin_rate_source_age_seconds", []string{"currency", "EUR", "source", "127.0.0.1"}, 0, 30},
		{"florin_rate_spread_percent", []string{"currency", "EUR"}, 0.09, 0.11},
	})
	page := text(t, client, s.url+"/operator")
	for _, part := range []string{
		"1.1621", "127.0.0.1 1.16152, ", "s old", "0.09 %", "None since the start", "(own) are of",
	} {
		if !strings.Contains(page, part) {
			t.Errorf("the operator's page lacks %q", part)
		}
	}
	x := s.examine(t)
	x.wants(t, "rate of EUR", "fine", "1.1621 USD", "127.0.0.1 says 1.16152, ", "localhost says 1.16268, ", "s old",
		"spread 0.09 %")
	x.wants(t, "rates fence", "fine", "own of "+time.Now().UTC().Format(time.DateOnly))
	apart := installation{dir: s.dir, env: append(s.env, ratesOf(t, "1.16", "1.20")...)}
	apart.examine(t).wants(t, "rate of EUR", "warning", "no rate: its sources disagree", "spread 3.44 %")
}
