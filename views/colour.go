package views

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// MinContrast is the contrast that text needs against its ground (WCAG 2.2, success criterion 1.4.3).
const MinContrast = 4.5

// Colour is an sRGB colour.
type Colour struct{ R, G, B uint8 }

// ErrColour is returned for text that is not #rgb or #rrggbb.
var ErrColour = errors.New("a colour is written #rgb or #rrggbb with hexadecimal digits")

// ParseColour reads #rgb or #rrggbb. Nothing else is accepted, so that a colour can be written into
// a style sheet without escaping.
func ParseColour(s string) (Colour, error) {
	hex, ok := strings.CutPrefix(s, "#")
	if !ok || (len(hex) != 3 && len(hex) != 6) {
		return Colour{}, ErrColour
	}
	var nibbles [6]uint8
	for i := range len(hex) {
		n, ok := nibble(hex[i])
		if !ok {
			return Colour{}, ErrColour
		}
		if len(hex) == 3 {
			nibbles[2*i], nibbles[2*i+1] = n, n
		} else {
			nibbles[i] = n
		}
	}
	return Colour{nibbles[0]<<4 | nibbles[1], nibbles[2]<<4 | nibbles[3], nibbles[4]<<4 | nibbles[5]}, nil
}

func nibble(c byte) (uint8, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// String is the colour as #rrggbb.
func (c Colour) String() string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// luminance is the relative luminance of WCAG 2.2, 0 to 1.
func (c Colour) luminance() float64 {
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// Contrast is the contrast ratio of two colours by WCAG 2.2, 1 to 21.
func Contrast(a, b Colour) float64 {
	la, lb := a.luminance(), b.luminance()
	if la < lb {
		la, lb = lb, la
	}
	return (la + 0.05) / (lb + 0.05)
}

// Legible is the colour nearest to c in lightness, with its hue and as much of its chroma as sRGB
// can show, that has at least the given contrast on every ground. If no lightness does, it is black
// or white, whichever is better.
func (c Colour) Legible(ratio float64, grounds ...Colour) Colour {
	if worst(c, grounds) >= ratio {
		return c
	}
	from := c.oklch()
	best, distance := Colour{}, math.Inf(1)
	// 200 steps are finer than 8-bit sRGB can distinguish.
	for i := range 201 {
		l := float64(i) / 200
		candidate := oklch{l, from.c, from.h}.colour()
		if d := math.Abs(l - from.l); d < distance && worst(candidate, grounds) >= ratio {
			best, distance = candidate, d
		}
	}
	if math.IsInf(distance, 1) {
		return InkOn(grounds...)
	}
	return best
}

// InkOn is black or white, whichever stands out more from the worst of the grounds.
func InkOn(grounds ...Colour) Colour {
	black, white := Colour{}, Colour{255, 255, 255}
	if worst(black, grounds) >= worst(white, grounds) {
		return black
	}
	return white
}

// worst is the lowest contrast of c against the grounds.
func worst(c Colour, grounds []Colour) float64 {
	low := 21.0
	for _, g := range grounds {
		low = min(low, Contrast(c, g))
	}
	return low
}

// AtMost is c with its lightness (OKLCH, 0 to 1) and chroma limited: a merchant's background made fit for the dark
// theme.
func (c Colour) AtMost(lightness, chroma float64) Colour {
	o := c.oklch()
	if o.l <= lightness && o.c <= chroma {
		return c
	}
	return oklch{min(o.l, lightness), min(o.c, chroma), o.h}.colour()
}
