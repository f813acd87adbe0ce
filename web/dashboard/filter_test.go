package dashboard

import (
	"errors"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/web/session"
)

// storable reports whether every database can hold the time: PostgreSQL has no year
// 0 and writes earlier years in its own way.
func storable(at time.Time) bool { return at.Year() >= 1970 && at.Year() < 10_000 }

// FuzzReadPlace: an accepted place in a list is one that a payment can have, and the
// place written for a payment is read back unchanged.
func FuzzReadPlace(f *testing.F) {
	for _, text := range []string{
		"", "-", "0-1", "1-0", "-1-1", "1--1", "zzzzzzzzzzzz-1", "-1y2p0ij32e8e8-1", "1y2p0ij32e8e7-1", "hq8z1q0xs0-9",
		"hq8z1q0xs0-9-9", "+5-+5", "\x00-1",
	} {
		f.Add(text, int64(1_795_000_000_000_000), int64(7))
	}
	f.Add("", int64(0), int64(1))
	f.Add("", int64(253_402_300_799_999_999), int64(1<<63-1))
	f.Fuzz(func(t *testing.T, text string, micros, number int64) {
		var at report.Place
		switch err := readPlace(text, &at); {
		case err != nil && at != report.Place{}:
			t.Fatalf("%q is refused and read as %+v", text, at)
		case err == nil && text != "" && (!storable(at.At) || at.Number < 1):
			t.Fatalf("%q is read as %+v", text, at)
		}
		p := report.Place{At: time.UnixMicro(micros).UTC(), Number: number}
		if !storable(p.At) || number < 1 {
			return // no payment
		}
		var back report.Place
		if err := readPlace(formatPlace(p), &back); err != nil || !back.At.Equal(p.At) || back.Number != number {
			t.Fatalf("the place of %s, %d is read as %+v, %v", p.At, number, back, err)
		}
	})
}

// FuzzReadMoment: an accepted day is one that every database can hold, and is read
// unchanged.
func FuzzReadMoment(f *testing.F) {
	for _, text := range []string{
		"", "2026-11-21", "1970-01-01", "1969-12-31", "0000-01-01", "9999-12-31", "2026-02-30", "2026-2-3",
		"-001-01-01", " 2026-11-21", "٢٠٢٦-11-21",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var from, until time.Time
		err := readMoment("from", text, "", time.UTC, false, &from)
		if (err == nil) != (readMoment("through", text, "", time.UTC, true, &until) == nil) {
			t.Fatalf("%q is a day to begin with or to end with, not both", text)
		}
		if err != nil || text == "" {
			if !from.IsZero() || !until.IsZero() {
				t.Fatalf("%q is read as %s", text, from)
			}
			return
		}
		if from.Format(session.DayFormat) != text || !storable(from) || until.Sub(from) != 24*time.Hour {
			t.Fatalf("%q is read as %s and %s", text, from, until)
		}
	})
}

// A filter is read in the zone of the shop: a day has 25 hours where clocks go back, and a minute holds its seconds.
func TestReadMoment(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ day, clock, from, until string }{
		{"2026-11-21", "", "2026-11-20T23:00:00Z", "2026-11-21T23:00:00Z"},
		{"2026-10-25", "", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
		{"2026-11-21", "14:30", "2026-11-21T13:30:00Z", "2026-11-21T13:31:00Z"},
	} {
		var from, until time.Time
		err := errors.Join(readMoment("from", c.day, c.clock, zone, false, &from),
			readMoment("through", c.day, c.clock, zone, true, &until))
		if got := from.UTC().Format(time.RFC3339); err != nil || got != c.from {
			t.Errorf("%s %s begins at %s, want %s (%v)", c.day, c.clock, got, c.from, err)
		}
		if got := until.UTC().Format(time.RFC3339); got != c.until {
			t.Errorf("%s %s ends at %s, want %s", c.day, c.clock, got, c.until)
		}
	}
	for _, wrong := range []string{"25:00", "2:30 pm", "noon"} {
		if err := readMoment("from", "2026-11-21", wrong, zone, false, new(time.Time)); err == nil {
			t.Errorf("%q is taken for a time", wrong)
		}
	}
}
