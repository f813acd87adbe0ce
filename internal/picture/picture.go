// Package picture makes a logo of a file somebody uploaded: it reads PNG, JPEG
// and WebP, and writes a new PNG or JPEG of bounded size.
//
// Its one invariant: no byte of the upload is in what comes out. The pixels are
// drawn anew, so what else a file carries (scripts, archives, places, profiles)
// stays behind; and a file that is more than its picture is refused before that.
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
	// MaxBytes is the largest file: a logo of a sane size has a tenth of it.
	MaxBytes = 1 << 20
	// MaxPixels bounds what decoding costs: 4 million pixels are 32 MB at 16
	// bits a channel. A file of one kilobyte may claim billions.
	MaxPixels = 4_000_000
	// MaxSide keeps strips and columns out, of which nothing would be left.
	MaxSide = 4_096
	// MinSide is below what can be seen on a page.
	MinSide = 16
)

const (
	// Side is the longest side of what comes out: 44 pixels of a page, on
	// screens of four pixels to one, and for previews that show it larger.
	Side = 256
	// roomyPNG is when a picture without transparency is better off as JPEG.
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

// Kind is the format of a picture, as a file's name ends.
type Kind string

// The kinds that come out.
const (
	PNG  Kind = "png"
	JPEG Kind = "jpg"
)

// format is one that goes in.
type format struct {
	is     func([]byte) bool
	whole  func([]byte) bool // nothing is before, between or behind its parts
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

// Logo returns the picture of an uploaded file, drawn anew. What the file calls
// itself does not matter, only its bytes. It fails with one of the refusals.
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

// fit draws the picture anew, with sides of at most Side.
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
