package shell

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/a-h/templ"
	"github.com/klauspost/compress/gzip"
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/views"
)

// NewPage returns what every page knows about its request: its language and a
// nonce for its styles.
func NewPage(c echo.Context) views.Page {
	var nonce [16]byte
	_, _ = rand.Read(nonce[:]) // crypto/rand never fails; it ends the program instead
	return views.Page{Lang: Language(c), Nonce: base64.RawURLEncoding.EncodeToString(nonce[:])}
}

// Language returns the language of the request: its "lang" parameter, else the one that was chosen before (Speak), else
// the best of Accept-Language.
func Language(c echo.Context) string {
	asked := c.QueryParam("lang")
	if chosen, ok := c.Get(chosenLanguage).(string); ok && !views.HasLanguage(asked) {
		asked = chosen
	}
	return views.MatchLanguage(asked, c.Request().Header.Get("Accept-Language"))
}

const chosenLanguage = "language"

// Speak answers the request in the language that its user chose before, unless it asks for another one. It may be
// empty, or none of ours. The texts that are made for the request are in its language, too (views.T).
func Speak(c echo.Context, chosen string) {
	c.Set(chosenLanguage, chosen)
	r := c.Request()
	c.SetRequest(r.WithContext(views.InLanguage(r.Context(), Language(c))))
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxPooled is the largest buffer that is kept: a page has some 30 KB.
const maxPooled = 256 << 10

// GetBuffer returns an empty buffer from the pool. Return it with PutBuffer.
func GetBuffer() *bytes.Buffer {
	b := buffers.Get().(*bytes.Buffer) //nolint:forcetypeassert // the pool holds nothing else
	b.Reset()
	return b
}

// PutBuffer returns a buffer to the pool.
func PutBuffer(b *bytes.Buffer) {
	if b.Cap() <= maxPooled {
		buffers.Put(b)
	}
}

// Render renders a page and writes it. The page is rendered whole first, so that
// an error in it becomes a failure page and not half a page.
func Render(c echo.Context, status int, p views.Page, view templ.Component) error {
	b := GetBuffer()
	defer PutBuffer(b)
	if err := view.Render(views.InLanguage(c.Request().Context(), p.Lang), b); err != nil {
		return err
	}
	w := c.Response()
	pageHeaders(w.Header(), p.Nonce)
	w.Header().Set("Content-Language", p.Lang)
	w.Header().Add("Vary", "Accept-Encoding, Accept-Language")
	if !acceptsGzip(c.Request()) {
		w.WriteHeader(status)
		_, err := w.Write(b.Bytes())
		return err
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.WriteHeader(status)
	return compress(w, b.Bytes())
}

// pageLevel is the gzip level: a page must fit the first round trip (14 KB),
// and is small enough that the time does not matter.
const pageLevel = 6

var compressors = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(io.Discard, pageLevel)
	if err != nil {
		panic("shell: " + err.Error())
	}
	return z
}}

func compress(w io.Writer, b []byte) error {
	z := compressors.Get().(*gzip.Writer) //nolint:forcetypeassert // the pool holds nothing else
	defer compressors.Put(z)
	z.Reset(w)
	if _, err := z.Write(b); err != nil {
		return err
	}
	return z.Close()
}

// acceptsGzip reads Accept-Encoding (RFC 9110 section 12.5.3).
func acceptsGzip(r *http.Request) bool {
	for entry := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, q, _ := strings.Cut(strings.TrimSpace(entry), ";")
		if strings.TrimSpace(name) == "gzip" {
			return strings.ReplaceAll(q, " ", "") != "q=0"
		}
	}
	return false
}
