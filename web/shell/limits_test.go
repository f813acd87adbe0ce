package shell

import (
	"fmt"
	"testing"
	"time"

	"github.com/florinpay/florin/graph/operation"
)

// A neighbourhood may open three times what one of its addresses may.
func TestLimits_Open_Neighbourhood(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	for name, address := range map[string]string{"/48": "2001:db8:7:%x::/64", "/24": "203.0.113.%d"} {
		l := NewLimits(DefaultRates(), func() time.Time { return now })
		opened := 0
		for i := range 100 {
			ctx := operation.WithCall(t.Context(), &operation.Call{Client: fmt.Sprintf(address, i)})
			for l.Open(ctx) == nil {
				opened++
			}
		}
		if want := 3 * DefaultRates().Open.Burst; opened != want {
			t.Errorf("a %s opens %d payments at once, want %d", name, opened, want)
		}
		ctx := operation.WithCall(t.Context(), &operation.Call{Client: "192.0.2.1"})
		if err := l.Open(ctx); err != nil {
			t.Errorf("another address than those of the %s: %v", name, err)
		}
	}
}

// TestLimits_Endpoints: what strangers may ask of the networks' endpoints in a day is less than a tenth of any budget,
// however many addresses they have; one payment is looked for ten times in an hour.
func TestLimits_Endpoints(t *testing.T) {
	t.Parallel()
	for _, budget := range []int64{5_000, 100_000, 1_000_000} {
		now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
		rates := DefaultRates()
		rates.Calls = CallsWithin(budget)
		l := NewLimits(rates, func() time.Time { return now })
		asked := int64(0)
		for end := now.Add(24 * time.Hour); now.Before(end); now = now.Add(30 * time.Second) {
			for i := range 100 {
				client := operation.WithCall(t.Context(), &operation.Call{Client: fmt.Sprintf("203.0.%d.7", i)})
				if l.Endpoints(client, fmt.Sprintf("%s %d", now, i)) == nil {
					asked++
				}
			}
		}
		if calls := asked * callsOfOne; calls > budget*11/100 || calls < budget*8/100 {
			t.Errorf("strangers have %d calls made of a budget of %d", calls, budget)
		}
	}
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	l := NewLimits(DefaultRates(), func() time.Time { return now })
	asked := 0
	for i := range 30 {
		client := operation.WithCall(t.Context(), &operation.Call{Client: fmt.Sprintf("203.0.%d.7", i)})
		if l.Endpoints(client, []string{"01ABC", "01abc"}[i%2]) == nil {
			asked++
		}
	}
	if asked != 10 {
		t.Errorf("one payment is looked for %d times at once", asked)
	}
}
