package views_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/testkit/browser"
	"github.com/florinpay/florin/views"
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
		// Three decimals would be thousands in another language.
		{"en", "1.234", "1.2340"},
		{"de", "12.345", "12,3450"},
		{"en", "1234.567", "1,234.567"},
		{"en", "0.123", "0.123"},
		// Text that is not a plain decimal is shown unchanged.
		{"en", "1e9", "1e9"},
		{"en", "-5", "-5"},
		{"en", ".5", ".5"},
		{"en", "5.", "5."},
		{"en", "", ""},
		{"en", "NaN", "NaN"},
	} {
		if got := views.LocaleFor(c.tag).Amount(c.plain); got != c.want {
			t.Errorf("%s: Amount(%q) = %q, want %q", c.tag, c.plain, got, c.want)
		}
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tag, typed, want string }{
		{"de", "12,50", "12.50"},
		{"de", " 12.50 ", "12.50"},
		{"de", "1.234,50", "1234.50"},
		{"de", "12,-", "12"},
		{"de", "1.200,– USD", "1200"},
		{"de", "-12", ""},
		{"de", "1.234", "1234"},
		{"de", "1,234.50", "1234.50"},
		{"de", "0.123", "0.123"},
		{"de", "1,2,3", ""},
		{"de", "1.23,5", ""},
		{"en", "12,50", "12.50"},
		{"en", "12.50", "12.50"},
		{"en", "1,000", "1000"},
		{"en", "1.000,50", "1000.50"},
		{"en", "1,00,000", ""},
		{"en", "$5", "5"},
		{"en", "5 USD", "5"},
		{"en", "usdt 7.5", "7.5"},
		{"en", "US$ 1,234.56", "1234.56"},
		{"en", ".5", "0.5"},
		{"en", "5.", "5"},
		{"en", "0", "0"},
		{"en", "1 000", "1000"},
		{"en", "1'000.5", "1000.5"},
		{"fr", "1\u202f234,50", "1234.50"},
		{"fr", "12.50", "12.50"},
		{"ru", "1\u00a0234,5", "1234.5"},
		{"ru", "7", "7"},
		{"hi", "1,23,456", "123456"},
		{"hi", "१२.५", "12.5"},
		{"ar", "٥", "5"},
		{"ar", "١٢٫٥٠", "12.50"},
		{"ar", "١٬٢٣٤٫٥", "1234.5"},
		{"ar", "\u200f۵\u200e", "5"},
		{"zh", "１２．５０", "12.50"},
		{"en", "", ""},
		{"en", ".", ""},
		{"en", "$", ""},
		{"en", "-5", ""},
		{"en", "+5", ""},
		{"en", "1e2", ""},
		{"en", "NaN", ""},
		{"en", "5 EUR", ""},
		{"en", "1,5,5", ""},
		{"en", "12 50", ""},
		{"en", "1,000 000", ""},
		{"en", "0,500,000", ""},
		{"en", "5\x00", ""},
		{"en", strings.Repeat("1", 101), ""},
	} {
		if got := views.LocaleFor(c.tag).Plain(c.typed); got != c.want {
			t.Errorf("%s: Plain(%q) = %q, want %q", c.tag, c.typed, got, c.want)
		}
	}
}

// FuzzPlain: what a language writes it reads again, and what it reads is a plain decimal.
func FuzzPlain(f *testing.F) {
	for _, seed := range []string{"1234567.123456", "0", "0.5", "1.234", "1,234", "٥٠٠", "$ 1 000"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, l := range views.Languages() {
			locale := views.LocaleFor(l.Tag)
			if got := locale.Plain(text); got != "" && !plainDecimal.MatchString(got) {
				t.Errorf("%s: %q is read as %q", l.Tag, text, got)
			}
			padded := len(text) > 1 && text[0] == '0' && text[1] != '.' // no language writes 01,234
			if plainDecimal.MatchString(text) && !padded && len(text) < 60 {
				if got := locale.Plain(locale.Amount(text)); got != views.Unmistakable(text) {
					t.Errorf("%s: %q is written as %q, which is read as %q", l.Tag, text, locale.Amount(text), got)
				}
			}
		}
	})
}

var plainDecimal = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// FuzzAmount: without its separators a written amount is the plain one again, in every language. A
// digit lost or moved here would make payers send the wrong sum.
func FuzzAmount(f *testing.F) {
	f.Add("1234567.123456")
	f.Add("0")
	f.Add("100.")
	f.Fuzz(func(t *testing.T, plain string) {
		for _, l := range views.Languages() {
			got := views.LocaleFor(l.Tag).Amount(plain)
			if !plainDecimal.MatchString(plain) {
				if got != plain {
					t.Errorf("%s: %q became %q", l.Tag, plain, got)
				}
				continue
			}
			back := strings.ReplaceAll(got, views.GroupSign(l), "")
			back = strings.Replace(back, views.DecimalSign(l), ".", 1)
			if back != plain {
				t.Errorf("%s: %q was written as %q, which reads as %q", l.Tag, plain, got, back)
			}
		}
	})
}

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
