package dashboard

import (
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/payment"
)

// TestEventMoment_Words: an address stands apart from the sentence, so that the page can shorten it and copy it
// whole; a time is written as everywhere in the dashboard.
func TestEventMoment_Words(t *testing.T) {
	t.Parallel()
	const address = "0xC7f6F830c02090d0EF8eaca2a6D206369fD66468"
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		event         payment.EventType
		data          string
		detail, whole string
	}{
		{
			payment.EventStarted, `{"network":"POLYGON","token":"USDC","address":"` + address + `"}`,
			"USDC on Polygon", address,
		},
		{payment.EventExtended, `{"until":"2026-11-22T13:00:00.883Z"}`, "until 22 Nov 2026, 13:00:00 UTC", ""},
		{payment.EventExtended, `{"until":"soon"}`, "until soon", ""},
		{payment.EventMarked, `{"by":"ann@example.com","reason":"paid in cash"}`, "by ann@example.com: paid in cash", ""},
	} {
		e := payment.Event{Type: c.event, At: at, Data: []byte(c.data)}
		m := (&Surface{}).eventMoment(t.Context(), at.Location(), e)
		if m.Detail != c.detail || m.Address != c.whole || strings.Contains(m.Title, "_") || !m.At.Equal(at) {
			t.Errorf("%s: %+v, want %q and the address %q", c.event, m, c.detail, c.whole)
		}
	}
}

// A deposit that vanished does not count because it is gone, and not because it was another token.
func TestMoneyText_Vanished(t *testing.T) {
	t.Parallel()
	n := eventNote{Network: "POLYGON", Asset: "USDC", Units: "2"}
	for event, want := range map[payment.EventType]string{
		payment.EventVanished:   "2.00 USDC on Polygon",
		payment.EventOtherAsset: "2.00 USDC on Polygon; it does not count, because you did not ask for it",
	} {
		if got := moneyText(t.Context(), event, n); got != want {
			t.Errorf("%s: %q, want %q", event, got, want)
		}
	}
}
