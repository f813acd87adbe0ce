package donate

import (
	"html"

	"github.com/florinpay/florin/views"
)

// EmbedHTML is the frame that shows a campaign's widget on another website; pageURL is the absolute address of the
// campaign's page. It is HTML for a merchant to copy, and needs no script there.
func EmbedHTML(pageURL, title string) string {
	return `<iframe src="` + html.EscapeString(pageURL) + `/widget" title="` + html.EscapeString(title) +
		`" width="360" height="280" style="border:0;max-width:100%" loading="lazy"></iframe>`
}

// ButtonHTML is a link to a payment link, drawn as a button in the merchant's colour; linkURL is absolute. It is HTML
// for a merchant to copy, and needs no script there.
func ButtonHTML(linkURL, label string, m views.Merchant) string {
	accent := views.Colour{R: 0x2b, G: 0x4f, B: 0xc4}
	if own, err := views.ParseColour(m.Accent); err == nil {
		accent = own
	}
	return `<a href="` + html.EscapeString(linkURL) + `" style="display:inline-block;padding:12px 20px;border-radius:8px;background:` +
		accent.String() + `;color:` + views.InkOn(accent).String() + `;font:600 16px/1.5 system-ui,sans-serif;text-decoration:none">` +
		html.EscapeString(label) + `</a>`
}
