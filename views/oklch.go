package views

import "math"

// oklch is a colour in the polar form of OKLab (Björn Ottosson, 2020; CSS Color 4): lightness 0 to 1,
// chroma from 0, hue in radians. Equal steps of lightness look equal for every hue, so a colour can be
// made lighter or darker without looking like another colour.
type oklch struct{ l, c, h float64 }

// linear is one sRGB channel without its transfer function, 0 to 1.
func linear(v uint8) float64 {
	x := float64(v) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

// encoded is the inverse of linear, rounded to 8 bits and clamped.
func encoded(x float64) uint8 {
	if x <= 0.0031308 {
		x *= 12.92
	} else {
		x = 1.055*math.Pow(x, 1/2.4) - 0.055
	}
	return uint8(math.Round(255 * min(max(x, 0), 1)))
}

func (c Colour) oklch() oklch {
	r, g, b := linear(c.R), linear(c.G), linear(c.B)
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	a := 1.9779984951*l - 2.4285922050*m + 0.4505937099*s
	bb := 0.0259040371*l + 0.7827717662*m - 0.8086757660*s
	return oklch{
		l: 0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		c: math.Hypot(a, bb),
		h: math.Atan2(bb, a),
	}
}

// linearRGB may lie outside 0 to 1: then sRGB cannot show the colour.
func (o oklch) linearRGB() (r, g, b float64) {
	a, bb := o.c*math.Cos(o.h), o.c*math.Sin(o.h)
	l := cube(o.l + 0.3963377774*a + 0.2158037573*bb)
	m := cube(o.l - 0.1055613458*a - 0.0638541728*bb)
	s := cube(o.l - 0.0894841775*a - 1.2914855480*bb)
	return 4.0767416621*l - 3.3077115913*m + 0.2309699292*s,
		-1.2684380046*l + 2.6097574011*m - 0.3413193965*s,
		-0.0041960863*l - 0.7034186147*m + 1.7076147010*s
}

func cube(x float64) float64 { return x * x * x }

// gamutSlack lets through what rounding to 8 bits brings back into sRGB anyway.
const gamutSlack = 0.0005

func (o oklch) inGamut() bool {
	r, g, b := o.linearRGB()
	return min(r, g, b) >= -gamutSlack && max(r, g, b) <= 1+gamutSlack
}

// colour is the sRGB colour of the same lightness and hue with as much of the chroma as sRGB can show.
func (o oklch) colour() Colour {
	if !o.inGamut() {
		low, high := 0.0, o.c
		// 16 halvings end far below one 8-bit step.
		for range 16 {
			mid := (low + high) / 2
			if (oklch{o.l, mid, o.h}).inGamut() {
				low = mid
			} else {
				high = mid
			}
		}
		o.c = low
	}
	r, g, b := o.linearRGB()
	return Colour{encoded(r), encoded(g), encoded(b)}
}
