package reference_test

import (
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/exchange/reference"
)

const daily = `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
<gesmes:subject>Reference rates</gesmes:subject><gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>
<Cube><Cube time='2026-11-25'><Cube currency='USD' rate='1.1615'/><Cube currency='JPY' rate='180.25'/></Cube></Cube>
</gesmes:Envelope>`

// The forms of the bank and of Frankfurter are read whole, or refused.
func TestParse(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC)
	dollars := big.NewRat(11615, 10000)
	f, err := reference.ParseXML([]byte(daily))
	if err != nil || !f.Date.Equal(day) || len(f.PerEuro) != 2 || f.PerEuro["USD"].Cmp(dollars) != 0 {
		t.Errorf("the bank's file: %+v, %v", f, err)
	}
	for name, text := range map[string]string{
		"version 1": `{"amount":1.0,"base":"EUR","date":"2026-11-25","rates":{"USD":1.1615}}`,
		"version 2": `[{"date":"2026-11-25","base":"EUR","quote":"USD","rate":1.1615}]`,
	} {
		f, err := reference.ParseJSON([]byte(text))
		if err != nil || !f.Date.Equal(day) || f.PerEuro["USD"].Cmp(dollars) != 0 {
			t.Errorf("Frankfurter's %s: %+v, %v", name, f, err)
		}
	}
	for _, text := range []string{
		"", "<html><body>Sign in</body></html>", daily[:len(daily)/2], "{}",
		strings.ReplaceAll(daily, "1.1615", "NaN"), strings.ReplaceAll(daily, "1.1615", "1e30"),
		strings.ReplaceAll(daily, "1.1615", "-1"), strings.ReplaceAll(daily, "1.1615", "0"),
		strings.ReplaceAll(daily, "2026-11-25", "today"), strings.ReplaceAll(daily, "JPY", "USD"),
	} {
		if f, err := reference.ParseXML([]byte(text)); err == nil {
			t.Errorf("the bank's file %.60q is read as %+v", text, f)
		}
	}
	for _, text := range []string{
		"", "{}", "[]", "null", "<html></html>", `{"amount":1,"base":"USD","date":"2026-11-25","rates":{"USD":1}}`,
		`{"amount":100,"base":"EUR","date":"2026-11-25","rates":{"USD":116}}`,
		`[{"date":"2026-11-25","base":"USD","quote":"USD","rate":1}]`,
		`[{"date":"2026-11-25","base":"EUR","quote":"USD","rate":1e30}]`,
		`[{"date":"2026-11-25","base":"EUR","quote":"USD","rate":null}]`,
	} {
		if f, err := reference.ParseJSON([]byte(text)); err == nil {
			t.Errorf("Frankfurter's %.60q is read as %+v", text, f)
		}
	}
}

// A server that stalls, redirects, fails or floods gives no rates, in bounded time.
func TestReader(t *testing.T) {
	t.Parallel()
	stalled := make(chan struct{})
	for name, x := range map[string]struct {
		serve http.HandlerFunc
		ok    bool
	}{
		"well": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(daily)) }, true},
		"fails": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, daily, http.StatusBadGateway)
		}, false},
		"redirects": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/other", http.StatusFound)
		}, false},
		"floods": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(daily + strings.Repeat(" ", 300<<10)))
		}, false},
		"stalls": {func(http.ResponseWriter, *http.Request) { <-stalled }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mux := http.NewServeMux()
			mux.HandleFunc("/rates", x.serve)
			mux.HandleFunc("/other", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(daily)) })
			bank := httptest.NewServer(mux)
			t.Cleanup(bank.Close)
			if name == "stalls" {
				t.Cleanup(func() { close(stalled) })
			}
			began := time.Now()
			f, err := reference.Reader(bank.URL + "/rates")(t.Context())
			if (err == nil) != x.ok || f.Name != "own" || time.Since(began) > 10*time.Second {
				t.Errorf("%+v, %v after %s", f, err, time.Since(began))
			}
		})
	}
}
