package reference_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/exchange/reference"
)

// answers are what the servers say of a euro that costs 1.16152 dollars, as they write it.
var answers = map[string]string{
	reference.Kraken:    `{"error":[],"result":{"USDTZEUR":{"a":["0.8610","1","1.0"],"c":["0.86094084","310.5"]},"USDTJPY":{"c":["155.1","1"]}}}`,
	reference.Coinbase:  `{"data":{"currency":"USDC","rates":{"EUR":"0.86094084","JPY":"155.1","BTC":"0.0000123"}}}`,
	reference.CoinGecko: `{"usd-coin":{"eur":0.86094084,"jpy":155.1,"last_updated_at":1795701780}}`,
	"":                  `{"updatedAt":"2026-11-26T14:03:00Z","rates":{"EUR":"1.16152","JPY":0.00644745}}`,
}

var ofAnswers = time.Date(2026, 11, 26, 14, 4, 0, 0, time.UTC)

// ask reads a source whose server answers with the text.
func ask(t *testing.T, name string, handler http.HandlerFunc) (map[string]exchange.Reading, error) {
	t.Helper()
	srv := httptest.NewServer(handler)
	defer srv.Close()
	text := srv.URL
	if name != "" {
		text = name + "=" + srv.URL
	}
	list, err := reference.Source(text, func() time.Time { return ofAnswers }).Read(t.Context())
	all := make(map[string]exchange.Reading)
	for _, r := range list {
		r.ReadAt = ofAnswers
		all[r.Of] = r
	}
	return all, err
}

func say(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, text) }
}

// Each exchange is read in its own format, and a server of one's own in its.
func TestSource(t *testing.T) {
	t.Parallel()
	for name, text := range answers {
		got, err := ask(t, name, say(text))
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		for of, want := range map[string]string{"EUR": "1.1615", "JPY": "0.0064474"} {
			if rate, problem := got[of].Value(ofAnswers); !strings.HasPrefix(rate.String(), want) || problem != "" {
				t.Errorf("%q: a %s is %s, %q", name, of, rate, problem)
			}
		}
		if _, problem := got["GBP"].Value(ofAnswers); problem == "" {
			t.Errorf("%q: a currency that is missing has a rate", name)
		}
	}
}

// What is old, not a price, about something else or an error counts for nothing.
func TestSource_Wrong(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string][]string{
		reference.Kraken: {
			`{"error":["EQuery:Unknown asset pair"]}`, `{"error":[],"result":{"USDTZEUR":{"c":["1e-9","1"]}}}`,
			`{"error":[],"result":{"XXBTZEUR":{"c":["0.86","1"]}}}`, `{"error":[],"result":{"USDTZEUR":{"c":[]}}}`,
			`{"error":[],"result":{"USDTZEUR":{"c":["0","1"]}}}`, `{"error":[],"result":{"USDTZEUR":{"c":["-0.8","1"]}}}`,
		},
		reference.Coinbase: {
			`{"data":{"currency":"USD","rates":{"EUR":"0.86"}}}`, `{"data":{"currency":"USDC","rates":{"EUR":"NaN"}}}`,
			`{"errors":[{"id":"not_found"}]}`, `<html>Sign in</html>`,
		},
		reference.CoinGecko: {
			`{"usd-coin":{"eur":0.86}}`, `{"usd-coin":{"eur":1e30,"last_updated_at":1795701780}}`,
			`{"status":{"error_code":429}}`,
		},
		"": {
			`{"rates":{"EUR":"1.16"}}`, `{"updatedAt":"2026-11-26T14:03:00Z","rates":{}}`,
			`{"updatedAt":"2026-11-26T14:03:00Z","rates":{"EUR":"1,16"}}`,
			`{"updatedAt":"2026-11-26T14:03:00Z","rates":{"EUR":-1}}`,
		},
	} {
		for _, text := range texts {
			if got, err := ask(t, name, say(text)); err == nil {
				t.Errorf("%q says %s: %+v", name, text, got["EUR"])
			}
		}
		for what, handler := range map[string]http.HandlerFunc{
			"hangs": func(_ http.ResponseWriter, r *http.Request) {
				select {
				case <-r.Context().Done():
				case <-time.After(3 * time.Second):
				}
			},
			"leads elsewhere": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/there", http.StatusFound) },
			"never ends":      func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, strings.Repeat(" ", 300<<10), "{}") },
		} {
			if _, err := ask(t, name, handler); err == nil {
				t.Errorf("%q: a server that %s", name, what)
			}
		}
	}
	for name, text := range map[string]string{
		reference.CoinGecko: `{"usd-coin":{"eur":0.86,"last_updated_at":1795700000}}`,
		"":                  `{"updatedAt":"2026-11-26T13:03:00Z","rates":{"EUR":"1.16152"}}`,
	} {
		got, err := ask(t, name, say(text))
		if _, problem := got["EUR"].Value(ofAnswers); err != nil || !strings.Contains(problem, "older") {
			t.Errorf("%q, old: %q, %v", name, problem, err)
		}
	}
}

// A published exchange, and an address of a merchant, are asked on public addresses only.
func TestSource_Private(t *testing.T) {
	t.Parallel()
	asked := false
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer srv.Close()
	if _, err := reference.Merchants(srv.URL, false, time.Now).Read(t.Context()); err == nil || asked {
		t.Errorf("a merchant's address in our network was asked: %v", err)
	}
}
