package views_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/florinpay/florin/views"
)

// TestReadability: what is said of a colour is true of what the checkout shows.
func TestReadability(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		m    views.Merchant
		want []string
	}{
		"none":      {views.Merchant{Theme: "AUTO"}, nil},
		"malformed": {views.Merchant{Accent: "red", Background: "#12"}, nil},
		"dark blue": {
			views.Merchant{Accent: "#1b3a8f", Theme: "LIGHT"},
			[]string{"Buttons and links in #1b3a8f are easy to read on a light page ("},
		},
		"yellow": {
			views.Merchant{Accent: "#ffee00", Theme: "AUTO"},
			[]string{"would be hard to read on a light page (1.", "are easy to read on a dark page ("},
		},
		"page": {
			views.Merchant{Background: "#fff", Theme: "AUTO"},
			[]string{
				"shown as it is on a light page. Text on it is dark",
				"is darkened to #",
			},
		},
		"dark only": {views.Merchant{Accent: "#ffee00", Theme: "dark"}, []string{"on a dark page"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := views.LocaleFor("en").Readability(c.m)
			if len(got) != len(c.want) {
				t.Fatalf("%d sentences, want %d: %q", len(got), len(c.want), got)
			}
			for i, want := range c.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("%q does not say %q", got[i], want)
				}
			}
		})
	}
	m := views.Merchant{Accent: "#ffee00", Theme: "LIGHT"}
	shown := regexp.MustCompile(`see (#\w{6}) there`).FindStringSubmatch(views.LocaleFor("en").Readability(m)[0])
	if shown == nil || !strings.Contains(views.BrandCSS(m), "--accent:"+shown[1]+";") {
		t.Errorf("%q does not name what is shown: %s", views.LocaleFor("en").Readability(m), views.BrandCSS(m))
	}
}
