package views

import (
	"strings"
	"time"
	"unicode"

	"github.com/a-h/templ"
)

// Frame is what differs between pages of other packages outside of their body.
// They speak English.
type Frame struct {
	Page

	Title, Description string
	// Linked names the style sheet, Scripts the assets run after parsing.
	Linked    string
	Scripts   []string
	BodyClass string
}

// Shell is the frame of a page of another package; its children are the body.
func Shell(f Frame) templ.Component {
	return Layout(Head{
		Page: f.Page, Title: f.Title, Description: f.Description, Linked: f.Linked,
		Scripts: f.Scripts, BodyClass: f.BodyClass,
	})
}

// Icon draws one of our own line icons, of the height of the text beside it.
func Icon(name string) templ.Component { return icon(name) }

// Glyph is a plain sign for a network.
func Glyph(network string) templ.Component { return glyph(network) }

// TokenGlyph is a plain sign for a token.
func TokenGlyph(token string) templ.Component { return tokenGlyph(token) }

// Moment shows a time in the language of the page; a script turns it into the reader's own clock.
func Moment(p Page, t time.Time) templ.Component { return when(p, t) }

// When shows a time; a script turns it into the reader's own clock.
func When(t time.Time) templ.Component { return when(Page{}, t) }

// Address shows an address or hash in full, in groups of four.
func Address(text, testID string) templ.Component { return address(text, testID) }

// AddressIn is the address or hash that a word of a text is; empty: it is none.
func AddressIn(word string) string {
	word = strings.Trim(word, "\u2066\u2068\u2069") // of a text from right to left
	if len(word) < 32 || strings.ContainsFunc(word, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N) }) {
		return ""
	}
	return word
}

// CopyButton copies text; label says what.
func CopyButton(p Page, text, label, testID string) templ.Component {
	return copyButton(p, text, label, testID)
}

// QRImage draws a code.
func QRImage(q QR, label, class, testID string) templ.Component {
	return qrImage(q, label, class, testID)
}
