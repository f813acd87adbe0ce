package settings

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// drawing returns a picture of the size; noise makes it hard to compress.
func drawing(w, h int, alpha uint8, noise bool) image.Image {
	m, r := image.NewNRGBA(image.Rect(0, 0, w, h)), rand.New(rand.NewPCG(1, 2))
	for y := range h {
		for x := range w {
			c := color.NRGBA{uint8(x), uint8(y), 120, alpha}
			if noise {
				c.R, c.G, c.B = uint8(r.Uint32()), uint8(r.Uint32()), uint8(r.Uint32())
			}
			m.SetNRGBA(x, y, c)
		}
	}
	return m
}

func pngOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// webpOf is a lossless WebP of that size in a single colour, written bit by bit: the library only reads them.
func webpOf(t testing.TB, w, h int) []byte {
	t.Helper()
	// VP8L (RFC 9649 section 3.4): signature, sizes minus one in 14 bits each, no alpha, version 0; then no
	// transforms, no colour cache, no meta codes, and five prefix codes of one symbol each.
	var bits []byte
	n := 0
	put := func(value uint32, count int) {
		for i := range count {
			if n%8 == 0 {
				bits = append(bits, 0)
			}
			bits[n/8] |= byte(value>>i&1) << (n % 8)
			n++
		}
	}
	put(0x2f, 8)
	put(uint32(w-1), 14)
	put(uint32(h-1), 14)
	put(0, 1) // alpha
	put(0, 3) // version
	put(0, 1) // no transform
	put(0, 1) // no colour cache
	put(0, 1) // no meta prefix codes
	for _, symbol := range []uint32{200, 10, 20, 255, 0} {
		put(1, 1)      // simple code
		put(0, 1)      // of one symbol
		put(1, 1)      // in eight bits
		put(symbol, 8) // which takes no bits in the data
	}
	if len(bits)%2 == 1 {
		bits = append(bits, 0)
	}
	body := append([]byte("WEBPVP8L"), binary.LittleEndian.AppendUint32(nil, uint32(len(bits)))...)
	body = append(body, bits...)
	return append(append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(len(body)))...), body...)
}

func TestLogo(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		file []byte
		kind string
		w, h int
	}{
		"PNG":           {pngOf(t, drawing(100, 60, 255, false)), pngLogo, 100, 60},
		"Transparent":   {pngOf(t, drawing(300, 300, 90, true)), pngLogo, 256, 256},
		"Wide":          {pngOf(t, drawing(1024, 256, 255, false)), pngLogo, 256, 64},
		"JPEG":          {jpegOf(t, drawing(64, 64, 255, false)), pngLogo, 64, 64},
		"Photo":         {jpegOf(t, drawing(400, 400, 255, true)), jpegLogo, 256, 256},
		"WebP":          {webpOf(t, 32, 20), pngLogo, 32, 20},
		"LargestSquare": {pngOf(t, image.NewGray(image.Rect(0, 0, 2000, 2000))), pngLogo, 256, 256},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, kind, err := redraw(row.file)
			if err != nil || kind != row.kind {
				t.Fatalf("%s, %v", kind, err)
			}
			m, _, err := image.Decode(bytes.NewReader(out))
			if err != nil || m.Bounds().Dx() != row.w || m.Bounds().Dy() != row.h {
				t.Errorf("%v, %v", m.Bounds(), err)
			}
			if len(out) > 300_000 {
				t.Errorf("%d bytes", len(out))
			}
			if again, _, err := redraw(row.file); err != nil || !bytes.Equal(again, out) {
				t.Error("the same file makes another picture")
			}
		})
	}
}

// claims returns a PNG of a few bytes whose header claims the size.
func claims(w, h uint32) []byte {
	chunk := func(kind string, data []byte) []byte {
		b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
		b = append(append(b, kind...), data...)
		return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	return bytes.Join(
		[][]byte{
			pngHead, chunk("IHDR", append(head, 8, 6, 0, 0, 0)), chunk("IDAT", []byte{0x78, 1}), chunk("IEND", nil),
		},
		nil,
	)
}

func TestLogo_Attacks(t *testing.T) {
	t.Parallel()
	const script = `<script>alert(1)</script>`
	good, photo, web := pngOf(t, drawing(64, 64, 255, false)), jpegOf(t, drawing(64, 64, 255, false)), webpOf(t, 32, 32)
	var animated bytes.Buffer
	if err := gif.Encode(&animated, drawing(32, 32, 255, false), nil); err != nil {
		t.Fatal(err)
	}
	zip, err := base64.StdEncoding.DecodeString("UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==")
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		file []byte
		want error
	}{
		"Empty":              {nil, errLogoFormat},
		"SVG":                {[]byte(`<svg xmlns="http://www.w3.org/2000/svg">` + script + `</svg>`), errLogoFormat},
		"SVGWithDeclaration": {[]byte(`<?xml version="1.0"?><svg onload="alert(1)"/>`), errLogoFormat},
		"HTML":               {[]byte("<!doctype html>" + script), errLogoFormat},
		"GIF":                {animated.Bytes(), errLogoFormat},
		"GIFScript":          {[]byte("GIF89a/*" + strings.Repeat("x", 100) + "*/=1;alert(1)"), errLogoFormat},
		"BMP":                {[]byte("BM" + strings.Repeat("\x00", 100)), errLogoFormat},
		"TenMegabytes":       {append(bytes.Clone(good), make([]byte, 10<<20)...), errLogoTooLarge},
		"JustTooLarge":       {append(bytes.Clone(good), make([]byte, maxLogoBytes)...), errLogoTooLarge},
		"PNGThenPage":        {append(bytes.Clone(good), script...), errLogoBroken},
		"PNGThenArchive":     {append(bytes.Clone(good), zip...), errLogoBroken},
		"PageThenPNG":        {append([]byte(script), good...), errLogoFormat},
		"JPEGThenPage":       {append(bytes.Clone(photo), script...), errLogoBroken},
		"JPEGThenArchive":    {append(bytes.Clone(photo), zip...), errLogoBroken},
		"WebPThenPage":       {append(bytes.Clone(web), script...), errLogoBroken},
		"Bomb":               {claims(100_000, 100_000), errLogoPixels},
		"BombOfInts":         {claims(1<<31-1, 1<<31-1), errLogoBroken},
		"Strip":              {claims(5_000, 16), errLogoPixels},
		"Tiny":               {pngOf(t, drawing(8, 8, 255, false)), errLogoPixels},
		"TooManyPixels":      {claims(4_000, 4_000), errLogoPixels},
		"NoPixels":           {claims(2_000, 2_000), errLogoBroken},
		"CutPNG":             {good[:len(good)-20], errLogoBroken},
		"CutJPEG":            {photo[:len(photo)/2], errLogoBroken},
		"HeadOnly":           {pngHead, errLogoBroken},
		"JPEGHeadOnly":       {[]byte{0xff, 0xd8, 0xff}, errLogoBroken},
		"WebPHeadOnly":       {[]byte("RIFF\x04\x00\x00\x00WEBPVP8 "), errLogoBroken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out, kind, err := redraw(row.file); !errors.Is(err, row.want) || out != nil || kind != "" {
				t.Errorf("%d bytes, %q, %v; want %v", len(out), kind, err, row.want)
			}
		})
	}
}

// Metadata of the upload is not in the output.
func TestLogo_LeavesTheRestBehind(t *testing.T) {
	t.Parallel()
	const canary = "<script>canary()</script>"
	comment := append([]byte{0xff, 0xfe, 0, byte(len(canary) + 2)}, canary...)
	photo := jpegOf(t, drawing(400, 400, 255, true))
	file := append(append(bytes.Clone(photo[:2]), comment...), photo[2:]...)
	out, _, err := redraw(file)
	if err != nil || bytes.Contains(out, []byte("canary")) {
		t.Errorf("the comment is in the logo, %v", err)
	}
	chunk := append([]byte("tEXtComment\x00"), canary...)
	text := binary.BigEndian.AppendUint32(nil, uint32(len(chunk)-4))
	text = binary.BigEndian.AppendUint32(append(text, chunk...), crc32.ChecksumIEEE(chunk))
	good := pngOf(t, drawing(64, 64, 255, false))
	const afterHead = 8 + 25
	file = append(append(bytes.Clone(good[:afterHead]), text...), good[afterHead:]...)
	out, _, err = redraw(file)
	if err != nil || bytes.Contains(out, []byte("canary")) {
		t.Errorf("the text is in the logo, %v", err)
	}
}

// A decompression bomb is refused by its header, before memory is allocated for it.
func TestLogo_BombCostsNothing(t *testing.T) {
	var before, after runtime.MemStats
	bomb := claims(60_000, 60_000)
	runtime.ReadMemStats(&before)
	if _, _, err := redraw(bomb); !errors.Is(err, errLogoPixels) {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("a bomb took %d bytes", took)
	}
}

// No input makes the reader panic, and the output is always a bounded picture.
func FuzzLogo(f *testing.F) {
	for _, seed := range [][]byte{
		pngOf(f, drawing(20, 20, 90, false)), jpegOf(f, drawing(20, 20, 255, false)), webpOf(f, 16, 16), claims(9, 9),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		out, kind, err := redraw(file)
		if err != nil {
			return
		}
		c, _, err := image.DecodeConfig(bytes.NewReader(out))
		if err != nil || c.Width > logoSide || c.Height > logoSide || kind != pngLogo && kind != jpegLogo {
			t.Errorf("%s of %dx%d, %v", kind, c.Width, c.Height, err)
		}
	})
}
