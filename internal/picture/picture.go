// Package picture makes a logo of an uploaded file: it reads PNG, JPEG and WebP, and writes a new PNG or JPEG of
// bounded size.
//
// Its one invariant: no byte of the upload is in the output. The pixels are encoded again, which drops everything else
// in a file (scripts, archives, locations, profiles); a file with data beyond its picture is refused before that.
package picture

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
	// MaxBytes is the largest file: a reasonable logo has a tenth of it.
	MaxBytes = 1 << 20
	// MaxPixels bounds the cost of decoding: 4 million pixels are 32 MB at 16 bits a channel. A file of one kilobyte
	// may claim billions.
	MaxPixels = 4_000_000
	// MaxSide refuses long strips, which would be invisible once scaled down.
	MaxSide = 4_096
	// MinSide is the smallest side that is visible on a page.
	MinSide = 16
)

const (
	// Side is the longest side of the output: 44 CSS pixels on screens with four device pixels each, and enough for
	// larger previews.
	Side = 256
	// roomyPNG is the size above which a picture without transparency is stored as JPEG.
	roomyPNG    = 48 << 10
	jpegQuality = 88
)

// Refusals.
var (
	ErrTooLarge = fault.About(fault.Invalid, "logo", "must be a file of at most 1 MB")
	ErrFormat   = fault.About(fault.Invalid, "logo", "must be a PNG, JPEG or WebP picture; SVG, GIF and animations are not taken")
	ErrPixels   = fault.About(fault.Invalid, "logo", "must have sides of 16 to 4096 pixels, and at most 4 million pixels")
	ErrBroken   = fault.About(fault.Invalid, "logo", "cannot be read: the file is damaged, or holds more than a picture")
)

// Kind is the format of a picture, as in the extension of a file name.
type Kind string

// The kinds of the output.
const (
	PNG  Kind = "png"
	JPEG Kind = "jpg"
)

// format is an accepted input format.
type format struct {
	is     func([]byte) bool
	whole  func([]byte) bool // there is no data before, between or after its parts
	config func(*bytes.Reader) (image.Config, error)
	decode func(*bytes.Reader) (image.Image, error)
}

var formats = []format{
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

// Logo returns the picture of an uploaded file, encoded again. Only the content decides the format, not the file's name
// or type. It fails with one of the refusals.
func Logo(file []byte) ([]byte, Kind, error) {
	if len(file) > MaxBytes {
		return nil, "", ErrTooLarge
	}
	for _, f := range formats {
		if !f.is(file) {
			continue
		}
		c, err := f.config(bytes.NewReader(file))
		if err != nil {
			return nil, "", ErrBroken
		}
		if min(c.Width, c.Height) < MinSide || max(c.Width, c.Height) > MaxSide || c.Width*c.Height > MaxPixels {
			return nil, "", ErrPixels
		}
		if !f.whole(file) {
			return nil, "", ErrBroken
		}
		m, err := f.decode(bytes.NewReader(file))
		if err != nil {
			return nil, "", ErrBroken
		}
		return write(fit(m))
	}
	return nil, "", ErrFormat
}

// fit scales the picture down to sides of at most Side.
func fit(m image.Image) *image.NRGBA {
	from := m.Bounds()
	w, h := from.Dx(), from.Dy()
	if long := max(w, h); long > Side {
		w, h = max(w*Side/long, 1), max(h*Side/long, 1)
	}
	to := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.CatmullRom.Scale(to, to.Bounds(), m, from, draw.Src, nil)
	return to
}

func write(m *image.NRGBA) ([]byte, Kind, error) {
	var out bytes.Buffer
	best := png.Encoder{CompressionLevel: png.BestCompression}
	if err := best.Encode(&out, m); err != nil {
		return nil, "", ErrBroken
	}
	if out.Len() <= roomyPNG || !m.Opaque() {
		return out.Bytes(), PNG, nil
	}
	out.Reset()
	if err := jpeg.Encode(&out, m, &jpeg.Options{Quality: jpegQuality}); err != nil {
		return nil, "", ErrBroken
	}
	return out.Bytes(), JPEG, nil
}
