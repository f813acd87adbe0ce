package views_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit/browser"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
)

// tightStates are the states with the longest texts; what fits there fits everywhere.
var tightStates = []string{
	"choose", "waiting", "behind", "confirming", "paid", "expired-part", "receipt",
	"donate-wrong",
}

// TestLanguagesInBrowser lays every language out on a small phone: nothing may be cut or too small, in
// either direction.
func TestLanguagesInBrowser(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	for _, l := range views.Languages() {
		t.Run(l.Tag, func(t *testing.T) {
			t.Parallel()
			ctx := browser.New(t, browser.Phone, browser.ReducedMotion)
			for _, name := range tightStates {
				var flaws []string
				browser.Run(ctx, t, chromedp.Navigate(origin+"/sample/"+l.Tag+"/"+name),
					chromedp.Evaluate(findFlaws, &flaws))
				checkLayout(t, name, flaws)
				browser.Screenshot(ctx, t, name)
			}
			browser.Axe(ctx, t)
		})
	}
}

// TestArabicInBrowser checks the right-to-left pages in both themes and three sizes, with an accessibility checker.
func TestArabicInBrowser(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	for _, name := range []string{"choose", "waiting", "confirming", "paid"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkSample(t, origin, "ar", name)
		})
	}
}

// isolates are the invisible marks that keep the direction of values in right-to-left sentences.
var isolates = strings.NewReplacer("\u200f", "", "\u2067", "", "\u2068", "", "\u2069", "")

// TestNumbersInBrowser compares our numbers, plural forms and durations with those of the browser, which
// has its own CLDR.
func TestNumbersInBrowser(t *testing.T) {
	t.Parallel()
	ctx := browser.New(t)
	amounts := []string{"0.37", "999", "1234.5", "12345.67", "1234567.123456", "12345678"}
	for _, l := range views.Languages() {
		var got struct {
			Amounts, Categories, Minutes []string
		}
		browser.Run(ctx, t, chromedp.Evaluate(fmt.Sprintf(`(() => {
			const tag = %q + "-u-nu-latn";
			return {
				Amounts: %s.map(n => new Intl.NumberFormat(tag, {maximumFractionDigits: 6}).format(n)),
				Categories: new Intl.PluralRules(%q).resolvedOptions().pluralCategories,
				Minutes: Array.from({length: 130}, (_, n) => new Intl.NumberFormat(tag, {style: "unit", unit: "minute", unitDisplay: "long"}).format(n)),
			};
		})()`, l.Tag, list(t, amounts), l.Tag), &got))
		for i, plain := range amounts {
			if ours := views.LocaleFor(l.Tag).Amount(plain); ours != got.Amounts[i] {
				t.Errorf("%s: we write %s as %q, the browser as %q", l.Tag, plain, ours, got.Amounts[i])
			}
		}
		compareCategories(t, l.Tag, got.Categories)
		// Below six minutes the clock counts seconds, so that these never meet.
		for n := 6; n < len(got.Minutes); n++ {
			p := checkout.Props{Page: views.Page{Lang: l.Tag}, CountdownSeconds: 60 * n}
			if ours := isolates.Replace(p.CountdownText()); ours != got.Minutes[n] {
				t.Errorf("%s: we say %q, the browser %q: the countdown would jump", l.Tag, ours, got.Minutes[n])
			}
		}
	}
}

// compareCategories: a plural message has exactly the forms of its language.
func compareCategories(t testing.TB, tag string, want []string) {
	t.Helper()
	slices.Sort(want)
	for id, texts := range messages(t, tag) {
		if _, plural := texts["other"]; !plural {
			continue
		}
		var got []string
		for category := range texts {
			got = append(got, category)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %s has the plural forms %v, want %v", tag, id, got, want)
		}
	}
}

func list(t testing.TB, all []string) string {
	t.Helper()
	b, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
