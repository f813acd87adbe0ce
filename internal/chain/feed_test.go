package chain_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// A compiled-in feed may be as old as its own heartbeat, and some minutes: what is older has missed one.
func TestFeeds_Age(t *testing.T) {
	t.Parallel()
	networks := make(map[string]int)
	for _, n := range chain.Networks() {
		for _, f := range chain.Feeds(n) {
			networks[f.Of]++
			if f.MaxAge < 5*time.Minute+27*time.Second || f.MaxAge > chain.FeedMaxAge {
				t.Errorf("%s on %s may be %s old", f.Of, n, f.MaxAge)
			}
		}
	}
	for _, x := range []struct {
		network chain.Network
		of      string
		age     time.Duration
	}{
		{chain.Polygon, "EUR", 5*time.Minute + 27*time.Second},
		{chain.Polygon, "TRY", 6 * time.Minute},
		{chain.Polygon, "CNY", 26 * time.Hour},
		{chain.Base, "EUR", 65 * time.Minute},
		{chain.Base, "GBP", 26 * time.Hour},
		{chain.BEP20, "USDT", 20 * time.Minute},
	} {
		for _, f := range chain.Feeds(x.network) {
			if f.Of == x.of && f.MaxAge != x.age {
				t.Errorf("%s on %s may be %s old, not %s", f.Of, x.network, f.MaxAge, x.age)
			}
		}
	}
	// Two must agree.
	for _, of := range []string{"EUR", "GBP", "CHF", "CAD", "AUD", "JPY", "BRL", "MXN", "TRY", "NZD", "PHP"} {
		if networks[of] < 2 {
			t.Errorf("%s is on %d networks", of, networks[of])
		}
	}
}
