package views

import (
	"strconv"
	"strings"
)

// Readability says in words how well a merchant's colours can be read in the themes of
// the checkout, and what it shows instead of a colour that cannot. Colours that are
// empty or malformed are left out.
func (l *Locale) Readability(m Merchant) []string {
	var words []string
	for _, t := range []struct {
		name, other string
		dark        bool
		grounds     []Colour
	}{
		{l.T("a light page"), "DARK", false, []Colour{lightSurface, lightSunk}},
		{l.T("a dark page"), "LIGHT", true, []Colour{darkSurface, darkSunk}},
	} {
		if strings.EqualFold(m.Theme, t.other) {
			continue
		}
		if accent, err := ParseColour(m.Accent); err == nil {
			words = append(words, l.accentWords(accent, t.name, t.grounds))
		}
		if page, err := ParseColour(m.Background); err == nil {
			words = append(words, l.pageWords(page, t.name, t.dark))
		}
	}
	return words
}

func (l *Locale) accentWords(accent Colour, name string, grounds []Colour) string {
	ratio := worst(accent, grounds)
	if ratio >= MinContrast {
		return l.T("Buttons and links in {{.Colour}} are easy to read on {{.Page}} ({{.Ratio}} to 1).",
			"Colour", accent.String(), "Page", name, "Ratio", l.ratio(ratio))
	}
	return l.T("Buttons and links in {{.Colour}} would be hard to read on {{.Page}} ({{.Ratio}} to 1; text needs "+
		"{{.Least}} to 1). Customers see {{.Shown}} there.", "Colour", accent.String(), "Page", name,
		"Ratio", l.ratio(ratio), "Least", l.ratio(MinContrast),
		"Shown", accent.Legible(MinContrast, grounds...).String())
}

func (l *Locale) pageWords(page Colour, name string, dark bool) string {
	shown := page
	if dark {
		shown = page.AtMost(darkPageLightness, darkPageChroma)
	}
	how := l.T("Your page colour is shown as it is on {{.Page}}.", "Page", name)
	if shown != page {
		how = l.T("Your page colour is darkened to {{.Colour}} on {{.Page}}.", "Colour", shown.String(), "Page", name)
	}
	ink := InkOn(shown)
	ratio := l.ratio(Contrast(ink, shown))
	if ink.luminance() > shown.luminance() {
		return how + " " + l.T("Text on it is light ({{.Ratio}} to 1).", "Ratio", ratio)
	}
	return how + " " + l.T("Text on it is dark ({{.Ratio}} to 1).", "Ratio", ratio)
}

// ratio writes a contrast with one decimal.
func (l *Locale) ratio(x float64) string { return l.Amount(strconv.FormatFloat(x, 'f', 1, 64)) }
