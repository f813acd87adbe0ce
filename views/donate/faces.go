package donate

import (
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
)

// faces are the fonts in their sizes. They are not safe for concurrent use, so every picture has its own.
type faces struct {
	title, text, small font.Face
	bold               *sfnt.Font
	buffer             sfnt.Buffer
}

// parsed are the two fonts, which are read once and may be shared.
var parsed = sync.OnceValues(func() (fonts [2]*sfnt.Font, err error) {
	for i, data := range [][]byte{gobold.TTF, goregular.TTF} {
		if fonts[i], err = opentype.Parse(data); err != nil {
			return fonts, err
		}
	}
	return fonts, nil
})

func newFaces() (*faces, error) {
	fonts, err := parsed()
	if err != nil {
		return nil, err
	}
	f := &faces{bold: fonts[0]}
	for _, x := range []struct {
		face *font.Face
		font *sfnt.Font
		size float64
	}{{&f.title, fonts[0], 68}, {&f.text, fonts[0], 40}, {&f.small, fonts[1], 36}} {
		if *x.face, err = opentype.NewFace(
			x.font, &opentype.FaceOptions{Size: x.size, DPI: 72, Hinting: font.HintingNone},
		); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// known is the text without characters that the fonts lack. A text that would lose letters is left out as a whole,
// because half a word means something else.
func (f *faces) known(text string) string {
	var b strings.Builder
	for _, r := range text {
		glyph, err := f.bold.GlyphIndex(&f.buffer, r)
		switch {
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case err == nil && glyph != 0:
			b.WriteRune(r)
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
			return ""
		}
	}
	return b.String()
}
