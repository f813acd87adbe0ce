package views

import (
	"fmt"
	"strings"
)

// Readability says in words how well a merchant's colours can be read in the themes of
// the checkout, and what it shows instead of a colour that cannot. Colours that are
// empty or malformed are left out.
func Readability(m Merchant) []string {
	var words []string
	for _, t := range []struct {
		name, other string
		dark        bool
		grounds     []Colour
	}{
		{"a light page", "DARK", false, []Colour{lightSurface, lightSunk}},
		{"a dark page", "LIGHT", true, []Colour{darkSurface, darkSunk}},
	} {
		if strings.EqualFold(m.Theme, t.other) {
			continue
		}
		if accent, err := ParseColour(m.Accent); err == nil {
			words = append(words, accentWords(accent, t.name, t.grounds))
		}
		if page, err := ParseColour(m.Background); err == nil {
			words = append(words, pageWords(page, t.name, t.dark))
		}
	}
	return words
}

func accentWords(accent Colour, name string, grounds []Colour) string {
	ratio := worst(accent, grounds)
	if ratio >= MinContrast {
		return fmt.Sprintf("Buttons and links in %s are easy to read on %s (%.1f to 1).", accent, name, ratio)
	}
	return fmt.Sprintf("Buttons and links in %s would be hard to read on %s (%.1f to 1; text needs %.1f to 1). "+
		"Customers see %s there.", accent, name, ratio, MinContrast, accent.Legible(MinContrast, grounds...))
}

func pageWords(page Colour, name string, dark bool) string {
	shown := page
	if dark {
		shown = page.AtMost(darkPageLightness, darkPageChroma)
	}
	how := fmt.Sprintf("Your page colour is shown as it is on %s. ", name)
	if shown != page {
		how = fmt.Sprintf("Your page colour is darkened to %s on %s. ", shown, name)
	}
	ink, text := InkOn(shown), "dark"
	if ink.luminance() > shown.luminance() {
		text = "light"
	}
	return fmt.Sprintf("%sText on it is %s (%.1f to 1).", how, text, Contrast(ink, shown))
}
