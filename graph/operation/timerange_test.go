package operation

import (
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/fault"
)

func TestSince(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 3, 31, 12, 30, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"24h": "2024-03-30T12:30:00Z", "1 hour": "2024-03-31T11:30:00Z",
		"7d": "2024-03-24T12:30:00Z", "1week": "2024-03-24T12:30:00Z",
		"2 WEEKS": "2024-03-17T12:30:00Z", "1month": "2024-02-29T12:30:00Z",
		"13 months": "2023-02-28T12:30:00Z", "1year": "2023-03-31T12:30:00Z",
		"1y": "2023-03-31T12:30:00Z", " 3d ": "2024-03-28T12:30:00Z", "54years": "1970-03-31T12:30:00Z",
		// There were no payments before 1970.
		"55years": "1970-01-01T00:00:00Z", "9999years": "1970-01-01T00:00:00Z", "9999month": "1970-01-01T00:00:00Z",
	} {
		got, err := since(text, now)
		if err != nil || got.Format(time.RFC3339Nano) != want {
			t.Errorf("%q begins at %s, %v; want %s", text, got.Format(time.RFC3339Nano), err, want)
		}
	}
	for _, text := range []string{
		"", "h", "0d", "01d", "10000d", "-1d", "1.5h", "1m", "1min", "24hh", "24h7d", "1e3h", "٣d", "1\u00a0d",
		"24h\x00",
	} {
		if got, err := since(text, now); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q begins at %s, %v", text, got, err)
		}
	}
}

// FuzzSince: a range that is taken begins before now and not before 1970, which
// every database can compare with, and reads the same however it is written.
func FuzzSince(f *testing.F) {
	for _, text := range []string{
		"24h", "7d", "1week", "1 months", "9999year", "9999h", "0d", "1m", "", " 12 weeks ", "١d", "1\n", "+1d", "1dd",
		"99999d",
	} {
		f.Add(text, int64(1_795_000_000))
	}
	f.Add("12months", int64(1_709_164_800)) // 29 February 2024
	f.Fuzz(func(t *testing.T, text string, unix int64) {
		if unix < 0 || unix > 1<<36 {
			return // the program never runs at such a time
		}
		now := time.Unix(unix, 0).UTC()
		got, err := since(text, now)
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if got.After(now) || got.Before(time.Unix(0, 0)) {
			t.Fatalf("%q begins at %s, now is %s", text, got, now)
		}
		for _, form := range []string{
			strings.ToUpper(text), strings.ToLower(text), " " + text + " ", strings.ReplaceAll(text, " ", ""),
		} {
			if again, err := since(form, now); err != nil || !again.Equal(got) {
				t.Fatalf("%q begins at %s and %q at %s, %v", text, got, form, again, err)
			}
		}
	})
}
