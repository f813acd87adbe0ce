package dashboard

import (
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

// FuzzReadDay: an accepted day is one that every database can hold, and is read
// unchanged.
func FuzzReadDay(f *testing.F) {
	for _, text := range []string{
		"", "2026-11-21", "1970-01-01", "1969-12-31", "0000-01-01", "9999-12-31", "2026-02-30", "2026-2-3",
		"-001-01-01", " 2026-11-21", "٢٠٢٦-11-21",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var from, until time.Time
		err := readDay("from", text, 0, &from)
		if (err == nil) != (readDay("through", text, 1, &until) == nil) {
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
