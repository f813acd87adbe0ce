package webhook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/florinpay/florin/internal/input"
	"github.com/florinpay/florin/internal/secret"
)

const (
	// MaxShown bounds what is stored of an answer, in bytes: enough to debug a
	// receiver.
	MaxShown = 2 << 10
	// maxRequestShown holds the largest event (4 KiB of metadata, escaped)
	// with its headers.
	maxRequestShown = 32 << 10
	// maxResponseRead is how much of an answer is read, so that an echoed secret
	// is found as a whole before the text is cut to MaxShown.
	maxResponseRead = 64 << 10
)

// shownHeaders are the headers of a request as a merchant sees them, in order.
var shownHeaders = []string{"Content-Type", "User-Agent", HeaderID, HeaderTimestamp, HeaderSignature, HeaderReplayed}

// showRequest writes the request as it is sent, without its body. The signature is
// shown, because it is useless without the key.
func showRequest(r *http.Request) string {
	var b strings.Builder
	b.WriteString(r.Method + " " + r.URL.RequestURI() + "\nHost: " + r.URL.Host + "\n")
	for _, name := range shownHeaders {
		if v := r.Header.Get(name); v != "" {
			b.WriteString(name + ": " + v + "\n")
		}
	}
	return printable([]byte(b.String()), maxRequestShown)
}

// ShowBody returns the body that was sent with the data of an event, with the secret
// masked; keyed: it carried one.
func ShowBody(data json.RawMessage, keyed bool) string {
	masked := secret.Text{}
	if keyed {
		masked = secret.New(maskedText)
	}
	body, err := Body(data, masked)
	if err != nil {
		body = data // it was never sent
	}
	return printable(body, maxRequestShown)
}

// showResponse returns the beginning of an answer, with the secret masked: some
// receivers echo what they get.
func showResponse(answer []byte, s secret.Text) string {
	if !s.Empty() {
		for _, spelling := range spellings(s.Reveal()) {
			answer = bytes.ReplaceAll(answer, []byte(spelling), []byte(maskedText))
		}
	}
	return printable(answer, MaxShown)
}

// spellings are the encodings in which receivers usually echo a text: plain,
// JSON as different languages write it, form, HTML.
func spellings(text string) []string {
	inner := func(quoted []byte) string { return string(quoted[1 : len(quoted)-1]) }
	plain := inner(quote(text))
	escaped, err := json.Marshal(text) // with HTML escapes
	if err != nil {
		panic(fmt.Sprintf("webhook: a string of %d bytes cannot be written as JSON: %v", len(text), err))
	}
	return []string{
		text, plain, inner(escaped),
		strings.ReplaceAll(plain, "/", `\/`), inner(strconv.AppendQuoteToASCII(nil, text)), // PHP, Python
		url.QueryEscape(text), html.EscapeString(text),
	}
}

// printable returns at most limit bytes as valid UTF-8 without control and
// invisible characters, save for line feeds, tabs and what joins emoji and
// letters.
func printable(text []byte, limit int) string {
	out := make([]byte, 0, min(len(text), limit))
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		if input.Hidden(r) && !harmless(r) {
			continue
		}
		if len(out)+utf8.RuneLen(r) > limit {
			break
		}
		out = utf8.AppendRune(out, r)
	}
	return string(out)
}

func harmless(r rune) bool {
	return r == '\n' || r == '\t' || r == utf8.RuneError ||
		unicode.In(r, unicode.Join_Control, unicode.Variation_Selector)
}
