package views

import (
	"regexp"
	"strings"
	"testing"
)

func TestAmount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tag, plain, want string }{
		{"en", "0.37", "0.37"},
		{"en", "1234567.5", "1,234,567.5"},
		{"en", "999", "999"},
		{"de", "1234.50", "1.234,50"},
		{"fr", "1234.50", "1\u202f234,50"},
		{"ru", "1234567", "1\u00a0234\u00a0567"},
		{"es", "1234.5", "1234,5"},
		{"es", "12345.5", "12.345,5"},
		{"hi", "12345678.9", "1,23,45,678.9"},
		{"hi", "1234", "1,234"},
		{"ar", "1234.5", "1,234.5"},
		// What is no plain decimal is shown as it came: a wrong number looks worse than an odd one.
		{"en", "1e9", "1e9"},
		{"en", "-5", "-5"},
		{"en", ".5", ".5"},
		{"en", "5.", "5."},
		{"en", "", ""},
		{"en", "NaN", "NaN"},
	} {
		if got := LocaleFor(c.tag).Amount(c.plain); got != c.want {
			t.Errorf("%s: Amount(%q) = %q, want %q", c.tag, c.plain, got, c.want)
		}
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tag, typed, want string }{
		{"de", "12,50", "12.50"},
		{"de", " 12.50 ", "12.50"},
		{"de", "1.234,50", "1.234,50"},
		{"de", "1,2,3", "1,2,3"},
		{"en", "12,50", "12,50"},
		{"en", "12.50", "12.50"},
		{"ru", "7", "7"},
		{"hi", "1,23,456", "1,23,456"},
	} {
		if got := LocaleFor(c.tag).Plain(c.typed); got != c.want {
			t.Errorf("%s: Plain(%q) = %q, want %q", c.tag, c.typed, got, c.want)
		}
	}
}

var plainDecimal = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// FuzzAmount: without its separators a written amount is the plain one again, in every language. A
// digit lost or moved here would make payers send the wrong sum.
func FuzzAmount(f *testing.F) {
	f.Add("1234567.123456")
	f.Add("0")
	f.Add("100.")
	f.Fuzz(func(t *testing.T, plain string) {
		for _, l := range languages {
			got := LocaleFor(l.Tag).Amount(plain)
			if !plainDecimal.MatchString(plain) {
				if got != plain {
					t.Errorf("%s: %q became %q", l.Tag, plain, got)
				}
				continue
			}
			back := strings.ReplaceAll(got, l.separators.group, "")
			back = strings.Replace(back, l.separators.decimal, ".", 1)
			if back != plain {
				t.Errorf("%s: %q was written as %q, which reads as %q", l.Tag, plain, got, back)
			}
		}
	})
}
