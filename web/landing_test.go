package web

import (
	"net/http"
	"strings"
	"testing"
)

// The front page shows the real checkout as a picture, which other sites cannot frame,
// and offers a payment of test money in the sandbox only.
func TestLanding_Picture(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	page := b.ask("GET", "/", "", "Accept", "text/html")
	if !strings.Contains(page.body, `src="`+picturePath+`"`) || strings.Contains(page.body, `data-testid="demo"`) {
		t.Errorf("the front page shows %s", plainText(page.body))
	}
	if csp := page.header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-src 'self'") ||
		!strings.Contains(csp, "frame-ancestors 'none'") {
		t.Errorf("the front page's policy is %q", csp)
	}
	picture := b.ask("GET", picturePath, "", "Accept", "text/html")
	picture.wants(t, 200, `data-testid="checkout"`, `data-testid="waiting"`, "49.90", " inert", "Coffee shop")
	if csp := picture.header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors 'self'") ||
		!strings.Contains(csp, "form-action 'none'") || strings.Contains(csp, "script-src") {
		t.Errorf("the picture's policy is %q", csp)
	}
	with := newDashboard(t, func(_ *Deps, o *Options) { o.Sandbox = http.NotFoundHandler() })
	demo := with.ask("GET", "/", "", "Accept", "text/html")
	demo.wants(t, 200, `action="/sandbox/create"`, `name="amount" value="10"`, `data-testid="demo"`)
}
