package views

import (
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// nonText is the contrast that borders, focus rings and icons need (WCAG 2.2, success criterion 1.4.11).
const nonText = 3.0

func mustColour(t testing.TB, text string) Colour {
	t.Helper()
	c, err := ParseColour(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return c
}

var declaration = regexp.MustCompile(`--([a-z-]+):\s*([^;]+);`)

// tokens are the custom properties of one theme as the style sheet declares them; light is the base of dark.
func tokens(t testing.TB, dark bool) map[string]string {
	t.Helper()
	sheet, err := os.ReadFile("../static/src/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	base, rest, ok := strings.Cut(string(sheet), "}")
	if !ok {
		t.Fatal("tokens.css has no rule")
	}
	all := declarations(base)
	if dark {
		_, block, _ := strings.Cut(rest, `:root[data-theme="dark"]`)
		maps.Copy(all, declarations(block))
	}
	return all
}

func declarations(css string) map[string]string {
	all := map[string]string{}
	css, _, _ = strings.Cut(css, "}")
	for _, d := range declaration.FindAllStringSubmatch(css, -1) {
		all[d[1]] = d[2]
	}
	return all
}

// TestTokensContrast checks every pair of colours that meet on a page, in both themes.
func TestTokensContrast(t *testing.T) {
	t.Parallel()
	for _, dark := range []bool{false, true} {
		all := tokens(t, dark)
		check := func(ink, ground string, ratio float64) {
			if got := Contrast(mustColour(t, all[ink]), mustColour(t, all[ground])); got < ratio {
				t.Errorf("dark %t: %s on %s has a contrast of %.2f, want %.1f", dark, ink, ground, got, ratio)
			}
		}
		for _, ground := range []string{"page", "surface", "sunk"} {
			check("text", ground, MinContrast)
			check("soft", ground, MinContrast)
			check("accent", ground, MinContrast)
			check("edge", ground, nonText)
		}
		check("on-accent", "accent", MinContrast)
		for _, meaning := range []string{"wait", "seen", "good", "bad"} {
			check(meaning, meaning+"-bg", MinContrast)
			check(meaning, "surface", MinContrast)
			check("text", meaning+"-bg", MinContrast)
		}
	}
}

// TestDarkTwice: tokens.css has the dark theme twice, for the device and for the choice; both are equal.
func TestDarkTwice(t *testing.T) {
	t.Parallel()
	sheet, err := os.ReadFile("../static/src/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	_, device, _ := strings.Cut(string(sheet), `:root:not([data-theme="light"])`)
	_, choice, _ := strings.Cut(string(sheet), `:root[data-theme="dark"]`)
	byDevice, byChoice := declarations(device), declarations(choice)
	if len(byDevice) < 15 || len(byDevice) != len(byChoice) {
		t.Fatalf("%d and %d declarations", len(byDevice), len(byChoice))
	}
	for name, value := range byDevice {
		if byChoice[name] != value {
			t.Errorf("--%s is %s by device and %s by choice", name, value, byChoice[name])
		}
	}
}

// TestGroundsKnown: the grounds that colours of merchants are corrected against are those of the style sheet.
func TestGroundsKnown(t *testing.T) {
	t.Parallel()
	light, dark := tokens(t, false), tokens(t, true)
	for want, got := range map[string]Colour{
		light["surface"]: lightSurface, light["sunk"]: lightSunk, dark["surface"]: darkSurface, dark["sunk"]: darkSunk,
	} {
		if got.String() != want {
			t.Errorf("the style sheet says %s, brand.go %s", want, got)
		}
	}
}

func TestParseColour(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"#fff": "#ffffff", "#AbC": "#aabbcc", "#012345": "#012345"} {
		if got := mustColour(t, text).String(); got != want {
			t.Errorf("ParseColour(%q) = %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{
		"", "#", "fff", "#ff", "#ffff", "#fffffff", "#ggg", "red", "#fff;", "#fff }",
		" #fff", "rgb(0,0,0)", "#\u0661\u0661\u0661",
	} {
		if c, err := ParseColour(text); err == nil {
			t.Errorf("ParseColour(%q) = %s", text, c)
		}
	}
}

// TestContrast pins the formula to published pairs.
func TestContrast(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"#000", "#fff", 21},
		{"#fff", "#fff", 1},
		{"#777", "#fff", 4.48},
		{"#767676", "#fff", 4.54},
		{"#f00", "#fff", 4.0},
		{"#00f", "#fff", 8.59},
	} {
		got := Contrast(mustColour(t, c.a), mustColour(t, c.b))
		if got < c.want-0.01 || got > c.want+0.01 || got != Contrast(mustColour(t, c.b), mustColour(t, c.a)) {
			t.Errorf("%s on %s: %.3f, want %.2f", c.a, c.b, got, c.want)
		}
	}
}

func anyColour() *rapid.Generator[Colour] {
	return rapid.Custom(func(t *rapid.T) Colour {
		return Colour{rapid.Uint8().Draw(t, "r"), rapid.Uint8().Draw(t, "g"), rapid.Uint8().Draw(t, "b")}
	})
}

// TestBrandContrast: whatever two colours a merchant chooses, everything on the page can be read in both
// themes, and a colour that could be read already is left as it is.
func TestBrandContrast(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := Merchant{Accent: anyColour().Draw(t, "accent").String(), Background: anyColour().Draw(t, "background").String()}
		for _, dark := range []bool{false, true} {
			checkBrand(t, m, dark)
		}
	})
}

func checkBrand(t *rapid.T, m Merchant, dark bool) {
	surfaces := []Colour{lightSurface, lightSunk}
	if dark {
		surfaces = []Colour{darkSurface, darkSunk}
	}
	got := map[string]Colour{}
	for name, value := range declarations(brandProperties(m, dark)) {
		c, err := ParseColour(value)
		if err != nil {
			t.Fatalf("--%s is %q", name, value)
		}
		got[name] = c
	}
	for _, ground := range surfaces {
		if ratio := Contrast(got["accent"], ground); ratio < MinContrast {
			t.Errorf("dark %t: accent %s on %s has %.2f", dark, got["accent"], ground, ratio)
		}
	}
	for ink, ground := range map[string]string{"on-accent": "accent", "on-page": "page", "on-page-soft": "page"} {
		if ratio := Contrast(got[ink], got[ground]); ratio < MinContrast {
			t.Errorf("dark %t: %s %s on %s %s has %.2f", dark, ink, got[ink], ground, got[ground], ratio)
		}
	}
	asked, err := ParseColour(m.Accent)
	if err == nil && worst(asked, surfaces) >= MinContrast && got["accent"] != asked {
		t.Errorf("dark %t: %s could be read and became %s", dark, asked, got["accent"])
	}
	if page, err := ParseColour(m.Background); err == nil && !dark && got["page"] != page {
		t.Errorf("the background %s became %s in the light theme", page, got["page"])
	}
}

// TestLegibleKeepsHue: correcting a colour changes its lightness; it stays recognisably the merchant's.
func TestLegibleKeepsHue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := anyColour().Draw(t, "colour")
		// Greys have no hue to keep.
		if c.oklch().c < 0.05 {
			return
		}
		got := c.Legible(MinContrast, lightSurface).oklch()
		if got.c < 0.02 {
			return
		}
		turn := got.h - c.oklch().h
		for turn > 3.15 {
			turn -= 6.2831853
		}
		for turn < -3.15 {
			turn += 6.2831853
		}
		// 8-bit rounding turns pale colours by some degrees.
		if turn > 0.2 || turn < -0.2 {
			t.Errorf("%s turned by %.2f", c, turn)
		}
	})
}

// TestOKLCHRoundTrip: a colour through OKLCH and back is the same to a step of 8 bits.
func TestOKLCHRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := anyColour().Draw(t, "colour")
		back := c.oklch().colour()
		for _, d := range []int{int(c.R) - int(back.R), int(c.G) - int(back.G), int(c.B) - int(back.B)} {
			if d > 1 || d < -1 {
				t.Fatalf("%s came back as %s", c, back)
			}
		}
	})
}

// TestBrandThemes: a merchant's choice of theme is the page's, and no choice follows the device.
func TestBrandThemes(t *testing.T) {
	t.Parallel()
	for theme, want := range map[string]string{"LIGHT": "light", "dark": "dark", "AUTO": "", "": "", "blue": ""} {
		if got := DataTheme(Merchant{Theme: theme}); got != want {
			t.Errorf("theme %q becomes %q, want %q", theme, got, want)
		}
	}
	if css := BrandCSS(Merchant{Accent: "red", Background: "#12"}); css != "" {
		t.Errorf("colours that do not parse reach the page: %q", css)
	}
}
