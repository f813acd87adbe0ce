package store_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/storetest"
)

// A day is that of the shop's time zone: it has 25 hours where clocks go back, and begins amid an hour of UTC in Nepal.
func TestStore_Days_Zones(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(500, 500)
		for _, at := range []string{
			"2026-10-24T21:59:59Z", "2026-10-24T22:00:00Z", "2026-10-25T00:59:00Z", "2026-10-25T01:01:00Z",
			"2026-10-25T22:59:59Z", "2026-10-25T23:00:00Z",
		} {
			when, err := time.Parse(time.RFC3339, at)
			w.Must(err)
			p := w.NewPaymentAt(k, storetest.Start)
			w.Update(p.ID, func(p payment.Payment) (payment.Change, error) {
				return p.MarkCompleted(payment.Actor{Name: "API key"}, when)
			})
		}
		for name, want := range map[string]string{
			"UTC": "24 Oct: 2, 25 Oct: 4", "Europe/Berlin": "24 Oct: 1, 25 Oct: 4, 26 Oct: 1",
			"Asia/Kathmandu": "25 Oct: 4, 26 Oct: 2",
		} {
			zone, err := time.LoadLocation(name)
			w.Must(err)
			days, err := w.Days(t.Context(), []int64{k.ID}, time.Date(2026, 10, 20, 0, 0, 0, 0, zone),
				time.Date(2026, 11, 1, 0, 0, 0, 0, zone))
			w.Must(err)
			counts := map[string]int64{}
			for _, d := range days {
				counts[d.Day.Format("02 Jan")] += d.Count
			}
			var got []string
			for _, day := range slices.Sorted(maps.Keys(counts)) {
				got = append(got, fmt.Sprintf("%s: %d", day, counts[day]))
			}
			if text := strings.Join(got, ", "); text != want {
				t.Errorf("%s: %s, want %s", name, text, want)
			}
		}
	})
}
