package views

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/skip2/go-qrcode"
)

// maxQRBytes bounds the text of a QR code: beyond it the modules get too small for a phone held
// in front of a laptop.
const maxQRBytes = 300

// QR is a QR code (ISO/IEC 18004, error correction M) as an SVG path. The zero value is no code.
type QR struct {
	// Size is the side in modules with the quiet zone of four modules on every side.
	Size int
	// Path draws the dark modules as strokes of width 1.
	Path string
}

// NewQR encodes text. It takes about half a millisecond; keep the result for the life of a payment.
func NewQR(text string) (QR, error) {
	if text == "" || len(text) > maxQRBytes {
		return QR{}, fmt.Errorf("qr: %d bytes, want 1 to %d", len(text), maxQRBytes)
	}
	code, err := qrcode.New(text, qrcode.Medium)
	if err != nil {
		return QR{}, fmt.Errorf("qr: %w", err)
	}
	bitmap := code.Bitmap()
	return QR{Size: len(bitmap), Path: strokes(bitmap)}, nil
}

// strokes turns rows of modules into one path: a horizontal stroke per run of dark modules, moves
// relative to the end of the run before, which keeps a code of 42 characters below 2 KB.
func strokes(bitmap [][]bool) string {
	var b strings.Builder
	penX, penY := 0, 0
	for y, row := range bitmap {
		for x := 0; x < len(row); x++ {
			if !row[x] {
				continue
			}
			end := x
			for end < len(row) && row[end] {
				end++
			}
			if b.Len() == 0 {
				// Half a module down, so that the stroke covers the row exactly.
				b.WriteString("M" + strconv.Itoa(x) + " " + strconv.Itoa(y) + ".5")
			} else {
				b.WriteString("m" + strconv.Itoa(x-penX) + signed(y-penY))
			}
			b.WriteString("h" + strconv.Itoa(end-x))
			penX, penY = end, y
			x = end
		}
	}
	return b.String()
}

// signed writes the second number of a move; a minus sign separates by itself.
func signed(n int) string {
	if n < 0 {
		return strconv.Itoa(n)
	}
	return " " + strconv.Itoa(n)
}

// qrPixels is the side of the square a code is drawn into beside the address.
const qrPixels = 160

// side is the drawn side in pixels: every module gets the same number of pixels, in steps of a half, which most
// screens have.
func (q QR) side() string {
	halves := max(2*qrPixels/q.Size, 2) * q.Size
	return strconv.FormatFloat(float64(halves)/2, 'f', -1, 64)
}

// viewBox is the SVG viewBox of the code.
func (q QR) viewBox() string { return fmt.Sprintf("0 0 %d %d", q.Size, q.Size) }

// ground is the white square behind the modules, quiet zone included.
func (q QR) ground() string { return fmt.Sprintf("M0 0h%dv%dH0z", q.Size, q.Size) }
