package static

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// TestNoLeftovers: dist holds the files of the assets and no others.
func TestNoLeftovers(t *testing.T) {
	t.Parallel()
	entries, err := dist.ReadDir("dist")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := strings.TrimSuffix(strings.TrimSuffix(entry.Name(), ".br"), ".gz")
		if a, ok := assets[name]; !ok || a.inline && name != entry.Name() {
			t.Errorf("dist/%s belongs to no asset", entry.Name())
		}
	}
}

func get(method, path, accept string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	r.Header.Set("Accept-Encoding", accept)
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w
}

func TestHandler(t *testing.T) {
	t.Parallel()
	const forever = "public, max-age=31536000, immutable"
	for _, c := range []struct {
		name, method, path, accept string
		status                     int
		encoding, cache            string
	}{
		{"Brotli", "GET", URL("live.js"), "gzip, deflate, br, zstd", 200, "br", forever},
		{"Gzip", "GET", URL("live.js"), "gzip", 200, "gzip", forever},
		{"Plain", "GET", URL("live.js"), "", 200, "", forever},
		{"Refused", "GET", URL("live.js"), "br;q=0, gzip; q=0.0", 200, "", forever},
		{"Weighted", "GET", URL("live.js"), "br;q=0, gzip;q=0.5", 200, "gzip", forever},
		{"Stale", "GET", "/static/live.0123456789.js", "br", 200, "br", "no-cache"},
		{"NoHash", "GET", "/static/live.js", "br", 200, "br", "no-cache"},
		{"Head", "HEAD", URL("app.css"), "br", 200, "br", forever},
		{"Inline", "GET", "/static/checkout.css", "", 404, "", ""},
		{"Unknown", "GET", "/static/x.js", "", 404, "", ""},
		{"Above", "GET", "/static/../static.go", "", 404, "", ""},
		{"Packed", "GET", "/static/live.js.br", "", 404, "", ""},
		{"Post", "POST", URL("live.js"), "", 405, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := get(c.method, c.path, c.accept)
			if w.Code != c.status || w.Header().Get("Content-Encoding") != c.encoding {
				t.Fatalf("%d %q, want %d %q", w.Code, w.Header().Get("Content-Encoding"), c.status, c.encoding)
			}
			if c.status != http.StatusOK {
				return
			}
			h := w.Header()
			if h.Get("Cache-Control") != c.cache || h.Get("Vary") != "Accept-Encoding" ||
				h.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("headers %v", h)
			}
			if (w.Body.Len() == 0) != (c.method == "HEAD") {
				t.Errorf("%d bytes for %s", w.Body.Len(), c.method)
			}
		})
	}
}

func TestURL(t *testing.T) {
	t.Parallel()
	if got := URL("app.css"); !regexp.MustCompile(`^/static/app\.[0-9a-f]{10}\.css$`).MatchString(got) {
		t.Errorf("URL = %s", got)
	}
	for name, call := range map[string]func(){
		"an unknown address":   func() { URL("nothing.css") },
		"an inline address":    func() { URL("checkout.css") },
		"an unknown text":      func() { Inline("nothing.css") },
		"the text of a script": func() { Inline("live.js") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is given out", name)
				}
			}()
			call()
		}()
	}
}

// TestScriptsClean: our scripts need nothing that the Content-Security-Policy forbids.
func TestScriptsClean(t *testing.T) {
	t.Parallel()
	forbidden := regexp.MustCompile(`\beval\(|new Function|document\.write|innerHTML|outerHTML|insertAdjacentHTML|https?://`)
	for _, name := range []string{"checkout.js", "page.js"} {
		if found := forbidden.FindString(string(read(name))); found != "" {
			t.Errorf("%s uses %s", name, found)
		}
	}
	for name := range assets {
		if strings.HasSuffix(name, ".css") {
			if found := regexp.MustCompile(`url\(|@import|expression\(`).FindString(string(read(name))); found != "" {
				t.Errorf("%s fetches with %s", name, found)
			}
		}
	}
}
