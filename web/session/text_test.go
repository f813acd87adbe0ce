package session

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

func TestLatency(t *testing.T) {
	t.Parallel()
	for l, want := range map[time.Duration]string{
		0: "less than 1 ms", 999 * time.Microsecond: "less than 1 ms",
		1_234_567: "1 ms", 120 * time.Millisecond: "120 ms",
		999_400 * time.Microsecond: "999 ms", 999_600 * time.Microsecond: "1.0 s",
		1_234 * time.Millisecond: "1.2 s", 15 * time.Second: "15.0 s",
	} {
		if got := Latency(t.Context(), l); got != want {
			t.Errorf("%d is %q, want %q", l, got, want)
		}
	}
}

// Amounts of coins keep their significant digits and are never rounded up.
func TestCoins(t *testing.T) {
	t.Parallel()
	for units, want := range map[string]string{
		"99999982580497561270": "99.99", "10136951419173": "0.00001013", "100000000000000000000": "100", "0": "0",
		"1500000000000000000": "1.5", "1": "0.000000000000000001",
		"123456000000000000000000": "123456", "999999999999999999": "0.9999",
	} {
		u, err := money.ParseUnits(units)
		if err != nil {
			t.Fatal(err)
		}
		if got := Coins(u, chain.Polygon); got != want {
			t.Errorf("%s is written as %q, want %q", units, got, want)
		}
	}
}
