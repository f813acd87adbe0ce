package settings

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"

	"github.com/florinpay/florin/internal/fault"
)

// Limits of an upload. They are checked before a pixel is decoded.
const (
	// maxLogoBytes is the largest file: a reasonable logo has a tenth of it.
	maxLogoBytes = 1 << 20
	// maxLogoPixels bounds the cost of decoding: 4 million pixels are 32 MB at 16 bits a channel. A file of one
	// kilobyte may claim billions.
	maxLogoPixels = 4_000_000
	// maxLogoSide refuses long strips, which would be invisible once scaled down.
	maxLogoSide = 4_096
	// minLogoSide is the smallest side that is visible on a page.
	minLogoSide = 16
)

const (
	// logoSide is the longest side of the output: 44 CSS pixels on screens with four device pixels each, and enough for
	// larger previews.
	logoSide = 256
	// roomyPNG is the size above which a picture without transparency is stored as JPEG.
	roomyPNG    = 48 << 10
	jpegQuality = 88
)

// Refusals.
var (
	errLogoTooLarge = fault.About(fault.Invalid, "logo", "must be a file of at most 1 MB")
	errLogoFormat   = fault.About(fault.Invalid, "logo", "must be a PNG, JPEG or WebP picture; SVG, GIF and animations are not taken")
	errLogoPixels   = fault.About(fault.Invalid, "logo", "must have sides of 16 to 4096 pixels, and at most 4 million pixels")
	errLogoBroken   = fault.About(fault.Invalid, "logo", "cannot be read: the file is damaged, or holds more than a picture")
)

// The formats of the output, as in the extension of a file name.
const (
	pngLogo  = "png"
	jpegLogo = "jpg"
)

// logoFormat is an accepted input format.
type logoFormat struct {
	is     func([]byte) bool
	whole  func([]byte) bool // there is no data before, between or after its parts
	config func(*bytes.Reader) (image.Config, error)
	decode func(*bytes.Reader) (image.Image, error)
}

var logoFormats = []logoFormat{
	{
		is:     func(b []byte) bool { return bytes.HasPrefix(b, pngHead) },
		whole:  wholePNG,
		config: func(r *bytes.Reader) (image.Config, error) { return png.DecodeConfig(r) },
		decode: func(r *bytes.Reader) (image.Image, error) { return png.Decode(r) },
	},
	{
		is:     func(b []byte) bool { return bytes.HasPrefix(b, []byte{0xff, 0xd8, 0xff}) },
		whole:  wholeJPEG,
		config: func(r *bytes.Reader) (image.Config, error) { return jpeg.DecodeConfig(r) },
		decode: func(r *bytes.Reader) (image.Image, error) { return jpeg.Decode(r) },
	},
	{
		is:     func(b []byte) bool { return len(b) > 12 && string(b[:4]) == "RIFF" && string(b[8:12]) == "WEBP" },
		whole:  wholeWebP,
		config: func(r *bytes.Reader) (image.Config, error) { return webp.DecodeConfig(r) },
		decode: func(r *bytes.Reader) (image.Image, error) { return webp.Decode(r) },
	},
}

// redraw returns the picture of an uploaded file, encoded again, so that no byte of the upload is in it: the pixels
// alone are kept, and what else a file holds (scripts, archives, locations, profiles) is left behind; one with data
// beyond its picture is refused. Only the content decides the format, not the file's name or type.
func redraw(file []byte) ([]byte, string, error) {
	if len(file) > maxLogoBytes {
		return nil, "", errLogoTooLarge
	}
	for _, f := range logoFormats {
		if !f.is(file) {
			continue
		}
		c, err := f.config(bytes.NewReader(file))
		if err != nil {
			return nil, "", errLogoBroken
		}
		short, long := min(c.Width, c.Height), max(c.Width, c.Height)
		if short < minLogoSide || long > maxLogoSide || short*long > maxLogoPixels {
			return nil, "", errLogoPixels
		}
		if !f.whole(file) {
			return nil, "", errLogoBroken
		}
		m, err := f.decode(bytes.NewReader(file))
		if err != nil {
			return nil, "", errLogoBroken
		}
		return writeLogo(fitLogo(m))
	}
	return nil, "", errLogoFormat
}

// fit scales the picture down to sides of at most Side.
func fitLogo(m image.Image) *image.NRGBA {
	from := m.Bounds()
	w, h := from.Dx(), from.Dy()
	if long := max(w, h); long > logoSide {
		w, h = max(w*logoSide/long, 1), max(h*logoSide/long, 1)
	}
	to := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.CatmullRom.Scale(to, to.Bounds(), m, from, draw.Src, nil)
	return to
}

func writeLogo(m *image.NRGBA) ([]byte, string, error) {
	var out bytes.Buffer
	best := png.Encoder{CompressionLevel: png.BestCompression}
	if err := best.Encode(&out, m); err != nil {
		return nil, "", errLogoBroken
	}
	if out.Len() <= roomyPNG || !m.Opaque() {
		return out.Bytes(), pngLogo, nil
	}
	out.Reset()
	if err := jpeg.Encode(&out, m, &jpeg.Options{Quality: jpegQuality}); err != nil {
		return nil, "", errLogoBroken
	}
	return out.Bytes(), jpegLogo, nil
}
