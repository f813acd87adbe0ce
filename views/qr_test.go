package views_test

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"math/big"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
	"golang.org/x/net/html"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
)

// modulePixels is how large a module is drawn for the decoder, as a camera would see it.
const modulePixels = 4

// stroke is one command of the path of a code: a move (absolute or relative) or a line to the right.
var stroke = regexp.MustCompile(`([Mmh])(-?[0-9.]+)(?:[ ,]?(-?[0-9.]+))?`)

// draw paints the path of a code the way SVG says: strokes of width 1 along rows (SVG 2, chapter 9).
func draw(t testing.TB, size int, path string) image.Image {
	t.Helper()
	picture := image.NewGray(image.Rect(0, 0, size*modulePixels, size*modulePixels))
	for i := range picture.Pix {
		picture.Pix[i] = 255
	}
	x, y := 0.0, 0.0
	for _, command := range stroke.FindAllStringSubmatch(path, -1) {
		first, err := strconv.ParseFloat(command[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		switch command[1] {
		case "M":
			x, y = first, number(t, command[3])
		case "m":
			x, y = x+first, y+number(t, command[3])
		case "h":
			fill(picture, x, y-0.5, x+first, y+0.5)
			x += first
		}
	}
	return picture
}

func number(t testing.TB, text string) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func fill(picture *image.Gray, x0, y0, x1, y1 float64) {
	for y := int(y0 * modulePixels); y < int(y1*modulePixels); y++ {
		for x := int(x0 * modulePixels); x < int(x1*modulePixels); x++ {
			picture.SetGray(x, y, color.Gray{})
		}
	}
}

// scan reads a code with a decoder that shares nothing with the encoder.
func scan(t testing.TB, picture image.Image) string {
	t.Helper()
	bitmap, err := gozxing.NewBinaryBitmapFromImage(picture)
	if err != nil {
		t.Fatal(err)
	}
	result, err := qrcode.NewQRCodeReader().Decode(bitmap,
		map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_TRY_HARDER: true})
	if err != nil {
		t.Fatalf("the code cannot be read: %v", err)
	}
	return result.GetText()
}

// drawn is the picture of a code as it stands in a page.
func (d document) drawn(testID string) image.Image {
	d.t.Helper()
	svg := d.one(testID)
	size, err := strconv.Atoi(strings.Fields(attribute(svg, "viewbox") + attribute(svg, "viewBox"))[2])
	if err != nil {
		d.t.Fatal(err)
	}
	for n := range svg.Descendants() {
		if n.Type == html.ElementNode && attribute(n, "stroke") != "" {
			return draw(d.t, size, attribute(n, "d"))
		}
	}
	d.t.Fatalf("%s has no modules", testID)
	return nil
}

// TestQRReadBack takes both codes from the page and reads them: the plain one holds the address alone, as
// exchanges want it, the other one exactly what the page asks for.
func TestQRReadBack(t *testing.T) {
	t.Parallel()
	for _, s := range checkoutSamples {
		p := s.props(t, "en")
		if p.Pay == nil {
			continue
		}
		p.State, p.View = checkout.StateWaiting, checkout.ViewNow
		d := open(t, checkout.Pay(p))
		if got := scan(t, d.drawn("qr-plain")); got != sampleAddress {
			t.Errorf("%s: the plain code holds %q", s.name, got)
		}
		uri := scan(t, d.drawn("qr-wallet"))
		if uri != sampleURI {
			t.Errorf("%s: the wallet's code holds %q", s.name, uri)
		}
		request, err := parseEIP681(uri)
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		want := transferRequest{contract: sampleContract, to: sampleAddress, chain: 137, units: big.NewInt(49_900_000)}
		if !request.equals(want) {
			t.Errorf("%s: the wallet is asked for %v, want %v", s.name, request, want)
		}
	}
}

// transferRequest is an ERC-20 transfer a wallet is asked for.
type transferRequest struct {
	contract, to string
	chain        uint64
	units        *big.Int
}

func (r transferRequest) equals(other transferRequest) bool {
	return r.contract == other.contract && r.to == other.to && r.chain == other.chain && r.units.Cmp(other.units) == 0
}

// hexAddress is an address of EIP-681's grammar without ENS names, which a deposit never has.
var hexAddress = regexp.MustCompile(`^0x[0-9a-fA-F]{40}$`)

// parseEIP681 reads an ERC-20 transfer as EIP-681 writes it: ethereum:<contract>@<chain>/transfer?address=&uint256=.
func parseEIP681(text string) (transferRequest, error) {
	rest, ok := strings.CutPrefix(text, "ethereum:")
	if !ok {
		return transferRequest{}, fmt.Errorf("%q has another scheme", text)
	}
	path, query, _ := strings.Cut(strings.TrimPrefix(rest, "pay-"), "?")
	target, function, _ := strings.Cut(path, "/")
	contract, chainText, _ := strings.Cut(target, "@")
	chain, err := strconv.ParseUint(chainText, 10, 64)
	if err != nil || !hexAddress.MatchString(contract) || function != "transfer" {
		return transferRequest{}, fmt.Errorf("%q is no transfer", text)
	}
	values, err := url.ParseQuery(query)
	if err != nil || len(values) != 2 || !hexAddress.MatchString(values.Get("address")) {
		return transferRequest{}, fmt.Errorf("%q has other parameters", text)
	}
	units, ok := new(big.Int).SetString(values.Get("uint256"), 10)
	if !ok {
		return transferRequest{}, fmt.Errorf("%q has no amount", text)
	}
	return transferRequest{contract, values.Get("address"), chain, units}, nil
}

// TestNewQR reads back what may stand in a code, up to the longest.
func TestNewQR(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		sampleAddress, sampleURI, "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk",
		"solana:HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk?amount=49.9&spl-token=Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB&label=Nordlicht%20Coffee",
		"0", strings.Repeat("a1:/", views.MaxQRBytes/4),
	} {
		q := mustQR(t, text)
		if got := scan(t, draw(t, q.Size, q.Path)); got != text {
			t.Errorf("%.60q is read as %.60q", text, got)
		}
		if side := number(t, views.Side(q)); side > views.QRPixels || math.Mod(2*side, float64(q.Size)) != 0 {
			t.Errorf("%d modules are drawn into %g pixels", q.Size, side)
		}
	}
	for _, text := range []string{"", strings.Repeat("a", views.MaxQRBytes+1)} {
		if _, err := views.NewQR(text); err == nil {
			t.Errorf("a code of %d bytes is made", len(text))
		}
	}
}

func BenchmarkNewQR(b *testing.B) {
	for b.Loop() {
		if _, err := views.NewQR(sampleURI); err != nil {
			b.Fatal(err)
		}
	}
}
