package main_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// leastPriced is the rate of creates in euros, of that in dollars.
const leastPriced = 0.95

// pricedRounds are how often each is measured, in turns, so that a busy moment is of both. They are even: each is as
// often the first of a round, which finds the smaller database.
const pricedRounds = 8

// benchPrices compares creating payments in euros with creating them in dollars, while their rate is read as often as
// ever: from two servers, beside the reference rates of a third.
func benchPrices(b *testing.B) {
	b.Helper()
	now := func() string { return time.Now().UTC().Format(time.RFC3339) }
	rates := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"updatedAt":%q,"rates":{"EUR":"1.16152"}}`, now())
	}))
	defer rates.Close()
	fence := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		const file = `<Envelope><Cube><Cube time="%.10s"><Cube currency="USD" rate="1.16"/></Cube></Cube></Envelope>`
		_, _ = fmt.Fprintf(w, file, now())
	}))
	defer fence.Close()
	other := strings.Replace(rates.URL, "127.0.0.1", "localhost", 1)
	f := openBenched(b, nil, "FLORIN_DATABASE_URL=sqlite://"+filepath.Join(b.TempDir(), "prices.db"),
		"FLORIN_RATE_SOURCES="+rates.URL+","+other, "FLORIN_RATE_FENCE="+fence.URL)
	defer f.stop(b, syscall.SIGTERM)
	inEuros := func(c *client) error {
		_, err := c.mustPost("/create-payment",
			fmt.Appendf(nil, `{"apiKey":%q,"price":{"amount":"12.50","currency":"EUR"}}`, f.key))
		return err
	}
	inDollars := func(c *client) error { _, err := f.create(c); return err }
	var dollars, euros float64
	for round := range pricedRounds {
		if round%2 == 0 {
			dollars += rate(b, f.server, inDollars) / pricedRounds
		}
		euros += rate(b, f.server, inEuros) / pricedRounds
		if round%2 == 1 {
			dollars += rate(b, f.server, inDollars) / pricedRounds
		}
	}
	reportRatio(b, "create in euros × in dollars", euros, dollars, leastPriced)
}
