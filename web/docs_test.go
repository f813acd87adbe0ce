package web

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sv-tools/openapi"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/views/docs"
)

// pagesOnly are the routes for browsers, by their beginnings. Whatever the
// router has beside them is the interface, and must be documented.
var pagesOnly = []string{
	"/static/", "/docs", "/pay/:txnid/", "/dashboard", "/operator", "/sandbox", "/link",
	"/signin", "/signup", "/signout", "/forgot", "/reset", "/join", "/graphiql", "/metrics", "/logo",
}

func isPage(method, route string) bool {
	for _, page := range []string{"/live", "/widget", "/card.png"} {
		if strings.HasPrefix(route, "/donate/") && strings.HasSuffix(route, page) {
			return true
		}
	}
	if route == "/" || route == "/pay" && method == http.MethodGet {
		return true
	}
	return slices.ContainsFunc(pagesOnly, func(p string) bool { return strings.HasPrefix(route, p) })
}

// The document says what the router has, and nothing more.
func TestOpenAPI_Routes(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	document, err := b.server.openAPI()
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

// The document is one of OpenAPI 3.1, its examples fit, and it is about this
// server.
func TestOpenAPI_Valid(t *testing.T) {
	t.Parallel()
	got := newBundle(t).ask("GET", "/openapi.json", "")
	var document openapi.Extendable[openapi.OpenAPI]
	must(t, json.Unmarshal([]byte(got.body), &document))
	v, err := openapi.NewValidator(&document)
	must(t, err)
	if err := v.ValidateSpec(); err != nil {
		t.Errorf("openapi.json: %v", err)
	}
	if got.status != 200 || document.Spec.OpenAPI != "3.1.0" || document.Spec.Servers[0].Spec.URL != testBaseURL {
		t.Errorf("%d, OpenAPI %s, servers %v", got.status, document.Spec.OpenAPI, document.Spec.Servers)
	}
}

// Every code an operation can refuse with is explained.
func TestDocs_Errors(t *testing.T) {
	t.Parallel()
	codes := []int{fault.Internal.Code()}
	for kind := fault.Internal + 1; kind.Code() != fault.Internal.Code(); kind++ {
		codes = append(codes, kind.Code())
	}
	if len(codes) < 10 {
		t.Fatalf("kinds of faults: %v", codes)
	}
	page := newBundle(t).ask("GET", docs.ErrorsPath, "").body
	last := 0
	for _, x := range problems {
		if x.code <= last || x.when == "" || x.do == "" {
			t.Errorf("the row of %d", x.code)
		}
		last = x.code
		codes = slices.DeleteFunc(codes, func(code int) bool { return code == x.code })
		if !strings.Contains(page, `data-testid="code-`+strconv.Itoa(x.code)+`"`) {
			t.Errorf("the page does not show %d", x.code)
		}
	}
	if len(codes) > 0 {
		t.Errorf("not explained: %v", codes)
	}
}

// Every page is there, about this server, and complete.
func TestDocs_Pages(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	for path, wants := range map[string][]string{
		docs.StartPath:    {testBaseURL + "/create-payment", "20 free credits"},
		docs.ExamplesPath: {"sample-verify-webhook-php", "sample-list-payments-go", testBaseURL + "/graphql"},
		docs.WebhooksPath: {"webhook-signature", "after 5 seconds", "after 24 hours", "75 hours", testBaseURL + "/events", "privateKey"},
		docs.RequestsPath: {"Idempotent-Replayed", "65536", "400 at once", "500 payments"},
		docs.ErrorsPath:   {"Retry-After"},
		docs.TestingPath:  {"make run"},
		docs.RESTPath:     {"get-orders-txnid", "type-WebhookBody", "type-TransactionResult"},
		docs.GraphQLPath:  {"operation-payment", "operation-getTransactions", "operation-UserLogin", "type-CustodianCreateInput", "type-TransactionStatus", "type-DateTime"},
	} {
		got := b.ask("GET", path, "", "Accept", "text/html")
		if got.status != 200 {
			t.Fatalf("%s: %d %s", path, got.status, got.start())
		}
		for _, want := range wants {
			if !strings.Contains(got.body, want) {
				t.Errorf("%s does not show %s", path, want)
			}
		}
		if strings.Contains(got.body, "localhost:8080") || strings.Contains(got.body, "{base}") {
			t.Errorf("%s speaks of another server", path)
		}
	}
	landing := b.ask("GET", "/", "", "Accept", "text/html")
	if !strings.Contains(landing.body, `href="/docs"`) {
		t.Error("the front page does not link the documentation")
	}
}
