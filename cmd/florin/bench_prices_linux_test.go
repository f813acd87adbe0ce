package main_test

import (
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
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
	f := openBenched(b, nil, append(ratesOf(b, "1.16152", "1.16152"),
		"FLORIN_DATABASE_URL=sqlite://"+filepath.Join(b.TempDir(), "prices.db"))...)
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
