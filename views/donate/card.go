package donate

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"

	"github.com/florinpay/florin/views"
)

// Card is the content of the picture that other sites show beside a link to a campaign (Open Graph protocol): what the
// campaign's page shows. Characters of a title that the fonts lack are left out, not drawn as boxes.
type Card struct {
	// Title is the campaign's, By the name of the merchant.
	Title, By string
	// Raised is one line of text, such as "8,421.50 USD of 12,000 USD raised".
	Raised string
	// Percent is how full the bar is, 0 to 100; below 0 there is no goal and no bar.
	Percent int
	// Accent is the merchant's colour as #rgb or #rrggbb; the default accent if it does not parse.
	Accent string
}

// The layout, in pixels of a picture of views.ShareWidth by views.ShareHeight.
const (
	edge      = 80
	titleTop  = 212
	titleStep = 84
	barTop    = 500
	barHeight = 24
	maxLines  = 3
)

var (
	paper = color.RGBA{0xf8, 0xf7, 0xf4, 0xff}
	ink   = color.RGBA{0x1c, 0x1a, 0x17, 0xff}
	soft  = color.RGBA{0x62, 0x5d, 0x55, 0xff}
	rest  = color.RGBA{0xe4, 0xe0, 0xd9, 0xff}
	ours  = views.Colour{R: 0x2b, G: 0x4f, B: 0xc4}
)

// PNG draws the card. It takes some 50 ms; keep the result while the card stays the same.
func PNG(c Card) ([]byte, error) {
	faces, err := newFaces()
	if err != nil {
		return nil, err
	}
	picture := image.NewRGBA(image.Rect(0, 0, views.ShareWidth, views.ShareHeight))
	accent := c.accent()
	fill(picture, picture.Bounds(), paper)
	fill(picture, image.Rect(0, 0, views.ShareWidth, 16), accent)
	write(picture, faces.small, soft, edge, 116, fit(faces.small, faces.known(c.By), views.ShareWidth-2*edge))
	for i, line := range wrap(faces.title, faces.known(c.Title), views.ShareWidth-2*edge, maxLines) {
		write(picture, faces.title, ink, edge, titleTop+i*titleStep, line)
	}
	write(picture, faces.text, ink, edge, barTop-28, faces.known(c.Raised))
	if c.Percent >= 0 {
		whole := image.Rect(edge, barTop, views.ShareWidth-edge, barTop+barHeight)
		done := whole
		done.Max.X = whole.Min.X + whole.Dx()*min(c.Percent, 100)/100
		fill(picture, whole, rest)
		fill(picture, done, accent)
	}
	var out bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, picture)
	return out.Bytes(), err
}

// accent is the merchant's colour, corrected to stand out from paper.
func (c Card) accent() color.RGBA {
	own, err := views.ParseColour(c.Accent)
	if err != nil {
		own = ours
	}
	own = own.Legible(views.MinContrast, views.Colour{R: paper.R, G: paper.G, B: paper.B})
	return color.RGBA{own.R, own.G, own.B, 0xff}
}

func fill(picture draw.Image, area image.Rectangle, c color.Color) {
	draw.Draw(picture, area, image.NewUniform(c), image.Point{}, draw.Src)
}

// write draws one line with its baseline at y.
func write(picture draw.Image, face font.Face, c color.Color, x, y int, text string) {
	d := font.Drawer{Dst: picture, Src: image.NewUniform(c), Face: face, Dot: fixed.P(x, y)}
	d.DrawString(text)
}

// wrap breaks text into lines that fit the width, at most n; the last ends in an ellipsis if there is more.
func wrap(face font.Face, text string, width, n int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		longer := strings.TrimSpace(line + " " + word)
		switch {
		case line == "" || wide(face, longer) <= width:
			line = longer
		case len(lines) == n-1:
			return append(lines, fit(face, longer+" "+ellipsis, width))
		default:
			lines, line = append(lines, fit(face, line, width)), word
		}
	}
	if line != "" {
		lines = append(lines, fit(face, line, width))
	}
	return lines
}

const ellipsis = "…"

// fit shortens text until it is no wider than the width.
func fit(face font.Face, text string, width int) string {
	runes := []rune(text)
	for len(runes) > 1 && wide(face, text) > width {
		runes = runes[:len(runes)-1]
		text = strings.TrimRight(string(runes), " "+ellipsis) + ellipsis
	}
	return text
}

func wide(face font.Face, text string) int { return font.MeasureString(face, text).Ceil() }
