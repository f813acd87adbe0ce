package web

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// pagesOnly are the routes for browsers, by their beginnings. All other routes are
// the interface, and must be documented.
var pagesOnly = []string{
	"/static/", "/docs", "/pay/:txnid/", "/refund/", "/dashboard", "/operator", "/sandbox", "/link",
	"/signin", "/signup", "/signout", "/forgot", "/reset", "/verify", "/stop", "/join", "/graphiql",
	"/metrics", "/logo", "/llms.txt",
}

func isPage(method, route string) bool {
	for _, page := range []string{"/live", "/now", "/widget", "/card.png"} {
		if strings.HasPrefix(route, "/donate/") && strings.HasSuffix(route, page) {
			return true
		}
	}
	if route == "/" || strings.TrimSuffix(route, "/") == "/pay" && method == http.MethodGet {
		return true
	}
	return slices.ContainsFunc(pagesOnly, func(p string) bool { return strings.HasPrefix(route, p) })
}

// The OpenAPI document has exactly the routes of the router.
func TestOpenAPI_Routes(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	document, err := b.server.docs.OpenAPI()
	must(t, err)
	seen := map[string]bool{}
	for _, r := range b.server.handler.Routes() {
		if r.Method == http.MethodHead || isPage(r.Method, r.Path) || strings.HasPrefix(r.Method, "echo_") {
			continue
		}
		name := strings.ToLower(r.Method) + " " + pathOf(r.Path)
		seen[name] = true
		if _, ok := document.Paths[pathOf(r.Path)][strings.ToLower(r.Method)]; !ok {
			t.Errorf("%s is served and not documented", name)
		}
	}
	for path, methods := range document.Paths {
		for method := range methods {
			if !seen[method+" "+path] {
				t.Errorf("%s %s is documented and not served", method, path)
			}
		}
	}
	if len(seen) < 10 {
		t.Errorf("only %d routes were seen", len(seen))
	}
}

// pathOf writes a path of the router as OpenAPI does: /orders/{txnid}.
func pathOf(route string) string {
	parts := strings.Split(route, "/")
	for i, p := range parts {
		if name, ok := strings.CutPrefix(p, ":"); ok {
			parts[i] = "{" + name + "}"
		}
	}
	return strings.Join(parts, "/")
}

// The front page links the documentation.
func TestLanding_Docs(t *testing.T) {
	t.Parallel()
	landing := newDashboard(t).ask("GET", "/", "", "Accept", "text/html")
	if !strings.Contains(landing.body, `href="/docs"`) {
		t.Error("the front page does not link the documentation")
	}
}
