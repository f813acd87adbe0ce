package views

import "strings"

// Grounds of the two themes, as in static/src/tokens.css; a test holds the two together.
var (
	lightSurface = Colour{0xff, 0xff, 0xff}
	lightSunk    = Colour{0xf4, 0xf2, 0xed}
	darkSurface  = Colour{0x1f, 0x1d, 0x1a}
	darkSunk     = Colour{0x2a, 0x28, 0x24}
)

// A merchant's background in the dark theme keeps its hue and is darkened.
const (
	darkPageLightness = 0.26
	darkPageChroma    = 0.06
	// softContrast is the contrast of secondary text on the merchant's background, a little more than required.
	softContrast = 5.5
)

// root outweighs every selector of tokens.css, whichever theme it is for.
const root = ":root:root:root"

// BrandCSS is the merchant's colours as custom properties, for the <style> of one page; paper is light in every theme.
// It is built from parsed colours only, so nothing a merchant types can reach the style sheet.
func BrandCSS(m Merchant) string {
	light, dark := brandProperties(m, false), brandProperties(m, true)
	if light == "" {
		return ""
	}
	switch strings.ToUpper(m.Theme) {
	case "LIGHT":
		return root + "{" + light + "}"
	case "DARK":
		return root + "{" + light + "}@media screen{" + root + "{" + dark + "}}"
	}
	return root + "{" + light + "}@media screen and (prefers-color-scheme:dark){" + root + "{" + dark + "}}"
}

// brandProperties is the merchant's part of the tokens for one theme; empty without colours of theirs.
func brandProperties(m Merchant, dark bool) string {
	var b strings.Builder
	if accent, err := ParseColour(m.Accent); err == nil {
		surfaces := []Colour{lightSurface, lightSunk}
		if dark {
			surfaces = []Colour{darkSurface, darkSunk}
		}
		accent = accent.Legible(MinContrast, surfaces...)
		b.WriteString("--accent:" + accent.String() + ";--on-accent:" + InkOn(accent).String() + ";")
	}
	if page, err := ParseColour(m.Background); err == nil {
		if dark {
			page = page.AtMost(darkPageLightness, darkPageChroma)
		}
		ink := InkOn(page)
		b.WriteString(
			"--page:" + page.String() + ";--on-page:" + ink.String() + ";--on-page-soft:" + soften(
				ink, page,
			).String() + ";",
		)
	}
	return b.String()
}

// soften mixes ink with the page, as far as it stays legible.
func soften(ink, page Colour) Colour {
	mid := Colour{mix(ink.R, page.R), mix(ink.G, page.G), mix(ink.B, page.B)}
	return mid.towards(ink, page)
}

func mix(a, b uint8) uint8 { return uint8((3*int(a) + 2*int(b)) / 5) }

// towards mixes c with ink until it is legible on page.
func (c Colour) towards(ink, page Colour) Colour {
	for range 16 {
		if Contrast(c, page) >= softContrast {
			return c
		}
		c = Colour{mix(ink.R, c.R), mix(ink.G, c.G), mix(ink.B, c.B)}
	}
	return ink
}

// DataTheme is the data-theme attribute of the page: empty follows the device.
func DataTheme(m Merchant) string {
	switch strings.ToUpper(m.Theme) {
	case "LIGHT":
		return "light"
	case "DARK":
		return "dark"
	}
	return ""
}

// initial is the letter shown when a merchant has no logo.
func initial(name string) string {
	for _, r := range strings.TrimSpace(name) {
		return strings.ToUpper(string(r))
	}
	return "•"
}
