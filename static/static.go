// Package static holds the style sheets, scripts and icons of the pages, and serves them.
//
// Its one invariant: what is served under a content-hashed address never changes, so every response from
// such an address may be cached for ever. The files in dist are made from src and vendored by
// go generate, compressed once there so that no request and no start pays for it.
package static

import (
	"embed"
	"net/http"
	"path"
	"strings"
)

//go:generate go run ./gen

//go:embed dist
var dist embed.FS

// Prefix is the path below which Handler is to be mounted.
const Prefix = "/static/"

// asset is one generated file. Its bytes are dist/<name>, dist/<name>.br and dist/<name>.gz.
type asset struct {
	// hash is the first 10 hexadecimal digits of the SHA-256 of the bytes.
	hash        string
	contentType string
	// inline assets are written into pages and have no address.
	inline bool
}

// URL is the address of an asset, such as /static/app.3f2a91bc04.css. It panics for an unknown name:
// names are constants of our own code, and every page is rendered by a test.
func URL(name string) string {
	a, ok := assets[name]
	if !ok || a.inline {
		panic("static: no asset with an address is called " + name)
	}
	return Prefix + hashedName(name, a.hash)
}

// Inline is the text of an asset that is written into the page itself. It panics for an unknown name.
func Inline(name string) string {
	if a, ok := assets[name]; !ok || !a.inline {
		panic("static: no inline asset is called " + name)
	}
	return string(read(name))
}

func read(file string) []byte {
	b, err := dist.ReadFile("dist/" + file)
	if err != nil {
		panic("static: " + err.Error())
	}
	return b
}

// hashedName puts the hash before the extension: app.css becomes app.<hash>.css.
func hashedName(name, hash string) string {
	ext := path.Ext(name)
	return strings.TrimSuffix(name, ext) + "." + hash + ext
}

// Handler serves the assets below Prefix. Addresses with a stale hash get the current file, uncached:
// during an upgrade an open page may request an old name from the new instance.
func Handler() http.Handler { return http.HandlerFunc(serve) }

func serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	name, hash := split(strings.TrimPrefix(r.URL.Path, Prefix))
	a, ok := assets[name]
	if !ok || a.inline {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", a.contentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cache-Control", "no-cache")
	if hash == a.hash {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	body := encode(h, name, r.Header.Get("Accept-Encoding"))
	h.Set("Content-Length", itoa(len(body)))
	if r.Method == http.MethodGet {
		// A failing write means that the browser has gone.
		_, _ = w.Write(body) //nolint:gosec // body is a generated file
	}
}

// split undoes hashedName. A name without a hash comes back with an empty one.
func split(file string) (name, hash string) {
	ext := path.Ext(file)
	stem := strings.TrimSuffix(file, ext)
	if inner := path.Ext(stem); inner != "" {
		return strings.TrimSuffix(stem, inner) + ext, inner[1:]
	}
	return file, ""
}
