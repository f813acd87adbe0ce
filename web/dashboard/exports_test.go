package dashboard

import (
	"strings"
	"testing"
	"time"
)

func TestReadSpan(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][2]string{
		"2026-10": {"2026-10-01T00:00:00-04:00", "2026-11-01T00:00:00-04:00"},
		"2026-11": {"2026-11-01T00:00:00-04:00", "2026-12-01T00:00:00-05:00"},
		"2026-Q4": {"2026-10-01T00:00:00-04:00", "2027-01-01T00:00:00-05:00"},
		"2026":    {"2026-01-01T00:00:00-05:00", "2027-01-01T00:00:00-05:00"},
	} {
		s, ok := readSpan(name, zone)
		if got := [2]string{s.from.Format(time.RFC3339), s.until.Format(time.RFC3339)}; !ok || got != want {
			t.Errorf("%s is %s (%t), want %s", name, got, ok, want)
		}
	}
	for _, wrong := range []string{
		"", "2026-13", "2026-Q5", "2026-Q", "2026-Q12", "26", "1969", "9999", "2026-1", "2026-Q1-Q1", "x-Q1", "last",
	} {
		if s, ok := readSpan(wrong, zone); ok {
			t.Errorf("%q is read as %s", wrong, s.name)
		}
	}
	var got []string
	for _, s := range spans(time.Date(2027, 1, 31, 23, 0, 0, 0, zone)) {
		got = append(got, s.name)
		if again, ok := readSpan(s.name, zone); !ok || again != s {
			t.Errorf("%s is read as %+v", s.name, again)
		}
	}
	for i, want := range []string{"2027-01", "2026-12", "2026-Q4", "2027", "2026"} {
		if got[i] != want {
			t.Errorf("on the last day of January: %s, want %s at %d", got, want, i)
		}
	}
}

// A text that is too long for a formula of Excel, which counts an emoji twice, is no formula.
func TestExportFormat_LongTexts(t *testing.T) {
	t.Parallel()
	f := ExportFormat{Excel: true}
	for text, formula := range map[string]bool{
		strings.Repeat("9", 255): true, strings.Repeat("9", 256): false,
		strings.Repeat("😀", 127): true, strings.Repeat("😀", 128): false,
	} {
		if got := f.cell("reference", text); (got != text) != formula {
			t.Errorf("%d bytes are written %.20s…", len(text), got)
		}
	}
}
