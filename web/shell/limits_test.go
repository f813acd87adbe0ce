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
