package views_test

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/a-h/templ"
	"github.com/andybalholm/brotli"
	"golang.org/x/net/html"

	"github.com/florinpay/florin/static"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
	"github.com/florinpay/florin/views/donate"
)

// The limits of what a payer on a slow line loads.
const (
	// firstTrip is what a server may send before it must wait for the browser: ten segments of 1,460
	// bytes (RFC 6928), less the headers.
	firstTrip = 14_000
	// everything is the page with all its scripts, styles and pictures.
	everything = 60_000
	// serverLevel is the gzip level of the server; the weakest compression a modern browser gets.
	serverLevel = 6
)

func gzipped(t testing.TB, text string) int {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, serverLevel)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Len()
}

func brotlied(t testing.TB, text string) int {
	t.Helper()
	var b bytes.Buffer
	w := brotli.NewWriterLevel(&b, brotli.DefaultCompression)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Len()
}

// fetched is the size of what the server sends for one asset to a browser that takes gzip only.
func fetched(t testing.TB, address string) int {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, address, nil)
	r.Header.Set("Accept-Encoding", "gzip")
	w := httptest.NewRecorder()
	static.Handler().ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("%s answers %d", address, w.Code)
	}
	return w.Body.Len()
}

// assets are the addresses a page makes a browser fetch.
func (d document) assets() []string {
	var all []string
	for _, n := range d.elements(func(n *html.Node) bool {
		return n.Data == "script" || n.Data == "link" ||
			n.Data == "img"
	}) {
		for _, name := range []string{"src", "href"} {
			if address := attribute(n, name); address != "" {
				all = append(all, address)
			}
		}
	}
	return all
}

// TestWeight keeps every state of the checkout in every language below the limits: HTML and style sheet
// together in the first round trip, the whole page in everything.
func TestWeight(t *testing.T) {
	t.Parallel()
	heaviest, whole := 0, 0
	for _, l := range views.Languages() {
		for _, s := range checkoutSamples {
			d := open(t, checkout.Pay(s.props(t, l.Tag)))
			first, brotli := gzipped(t, d.text), brotlied(t, d.text)
			if first > firstTrip || brotli > firstTrip {
				t.Errorf("%s in %s: HTML and CSS are %d bytes (gzip), %d (brotli); at most %d", s.name, l.Tag, first, brotli, firstTrip)
			}
			sum := first
			for _, address := range d.assets() {
				sum += fetched(t, address)
			}
			if sum > everything {
				t.Errorf("%s in %s: everything is %d bytes; at most %d", s.name, l.Tag, sum, everything)
			}
			heaviest, whole = max(heaviest, first), max(whole, sum)
		}
	}
	for _, l := range views.Languages() {
		for name, page := range map[string]templ.Component{"donate": donate.Campaign(sampleDonate(l.Tag)), "gift": donate.Campaign(sampleGift(t, l.Tag, "waiting-sandbox")), "link": donate.PayLink(sampleLink(l.Tag)), "receipt": checkout.Receipt(sampleReceipt(l.Tag))} {
			if first := gzipped(t, render(t, page)); first > firstTrip {
				t.Errorf("%s in %s: HTML and CSS are %d bytes; at most %d", name, l.Tag, first, firstTrip)
			}
		}
	}
	t.Logf("the heaviest state: HTML and CSS %d bytes, everything %d bytes (gzip)", heaviest, whole)
}

// TestStyleInline: the first paint of a page that payers see waits for no second request.
func TestStyleInline(t *testing.T) {
	t.Parallel()
	for _, s := range checkoutSamples {
		d := open(t, checkout.Pay(s.props(t, "en")))
		if sheets := d.elements(func(n *html.Node) bool {
			return attribute(n,
				"rel") == "stylesheet"
		}); len(sheets) > 0 {
			t.Errorf("%s fetches %d style sheets", s.name, len(sheets))
		}
		for _, n := range d.elements(func(n *html.Node) bool { return n.Data == "style" }) {
			if attribute(n, "nonce") != "r4nd0m" {
				t.Errorf("%s has a style without the nonce", s.name)
			}
		}
		for _, n := range d.elements(func(n *html.Node) bool { return n.Data == "script" }) {
			if !hasAttribute(n, "defer") {
				t.Errorf("%s waits for a script", s.name)
			}
		}
	}
}
