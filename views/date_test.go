package views_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/testkit/browser"
	"github.com/florinpay/florin/views"
)

// TestDateInBrowser compares our dates with a browser's, for every month in every language: a script replaces them
// by the same date, and nothing may move.
func TestDateInBrowser(t *testing.T) {
	t.Parallel()
	ctx := browser.New(t)
	ours := map[string][]string{}
	for _, l := range views.Languages() {
		for month := time.January; month <= time.December; month++ {
			ours[l.Tag] = append(ours[l.Tag],
				views.LocaleFor(l.Tag).Date(time.Date(2026, month, 5, 23, 59, 0, 0, time.UTC)))
		}
	}
	tags, err := json.Marshal(ours)
	if err != nil {
		t.Fatal(err)
	}
	theirs := evaluate[map[string][]string](ctx, t, `Object.fromEntries(Object.keys(`+string(tags)+`).map(tag => {
		const days = new Intl.DateTimeFormat(tag + "-u-nu-latn", { year: "numeric", month: "short", day: "numeric", timeZone: "UTC" });
		return [tag, Array.from({length: 12}, (_, month) => days.format(new Date(Date.UTC(2026, month, 5))))];
	}))`)
	for tag, dates := range ours {
		for i, date := range dates {
			if date != theirs[tag][i] {
				t.Errorf("%s: %q, a browser writes %q", tag, date, theirs[tag][i])
			}
		}
	}
}

func TestLocale_Time(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 0, 5, 0, 0, time.FixedZone("", 2*60*60))
	if got := views.LocaleFor("de").Time(at); got != "28. Feb. 2026 · 22:05 UTC" {
		t.Errorf("a time in another zone is written %q", got)
	}
}
