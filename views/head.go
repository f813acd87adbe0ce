package views

import (
	"context"
	"io"
	"slices"

	"github.com/a-h/templ"

	"github.com/florinpay/florin/static"
)

// Head is what differs between pages outside of their body.
type Head struct {
	Page
	Title, Description string
	// Theme is the data-theme attribute; empty follows the device.
	Theme string
	// Inline names the style sheet written into the page, Linked one that is fetched; one of them is set.
	Inline, Linked string
	// Extra is CSS after the style sheet: the merchant's colours.
	Extra string
	// Scripts are assets run after parsing, in order.
	Scripts []string
	// Refresh is how often, in seconds, the page reloads itself in a browser that does not run live.js; 0 is never.
	Refresh int
	// BodyClass is the class of <body>.
	BodyClass string
	// Share is what a link to the page shows elsewhere; nil for pages that are not shared.
	Share *Share
}

// Share is what the Open Graph protocol says about a page. URL and Image are absolute.
type Share struct{ Title, URL, Image string }

// ShareWidth and ShareHeight are the pixels of the picture for shares, of the shape that services ask for.
const (
	ShareWidth  = 1200
	ShareHeight = 630
)

// styleTag writes a <style> with the nonce of the page. css is our own or built from parsed colours,
// so it cannot end the element.
func styleTag(nonce, css string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		if css == "" {
			return nil
		}
		open := "<style>"
		if nonce != "" {
			open = `<style nonce="` + templ.EscapeString(nonce) + `">`
		}
		_, err := io.WriteString(w, open+css+"</style>")
		return err
	})
}

// live reports whether live.js keeps the page true, and stops it from reloading itself.
func (h Head) live() bool { return slices.Contains(h.Scripts, "live.js") }

// style is the whole style sheet of the page, or nothing when it is linked.
func (h Head) style() string {
	if h.Inline == "" {
		return h.Extra
	}
	return static.Inline(h.Inline) + h.Extra
}

// noScriptStyle hides what needs a script to work, and opens what a page that reloads itself every few seconds
// would close again: the code and the way to a wallet.
const noScriptStyle = ".wall .what:has(>[data-copy]:only-child),[data-copy],[data-print],.send .tabs,.send .via,.showqr,.showqr+label{display:none}.qr{display:block}.send .wallet{display:grid!important}"

// htmxConfig keeps htmx inside the Content-Security-Policy: no style element of its own, no eval,
// no requests to other origins.
const htmxConfig = `{"includeIndicatorStyles":false,"allowEval":false,"selfRequestsOnly":true,"allowScriptTags":false}`
