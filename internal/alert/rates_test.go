package alert

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/exchange"
)

// A token off its peg is an alert while it is known, and so are feeds that differ.
func TestRates(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	line := func(of string, off bool, spread int64) exchange.Line {
		return exchange.Line{Of: of, Rate: 9_700_000_000, Depegged: off, Spread: spread, Sources: []exchange.SourceLine{
			{Name: "chainlink:base", Rate: 9_700_000_000},
		}}
	}
	f := Facts{Now: now, Rates: exchange.Report{ReadAt: now, Lines: []exchange.Line{
		line("USDC", true, 300), line("USDT", false, 0), line("EUR", false, 101), line("JPY", false, 100),
	}}}
	if got := depegged(f); len(got) != 1 || got[0].Subject != "USDC" || !ratesRead(f) {
		t.Errorf("off its peg: %+v", got)
	}
	if got := ratesApart(f); len(got) != 1 || got[0].Subject != "EUR" {
		t.Errorf("feeds that differ: %+v", got)
	}
	f.Now = now.Add(time.Hour)
	if ratesRead(f) {
		t.Error("what was read an hour ago is judged")
	}
}
