package docs

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/sv-tools/openapi"

	"github.com/florinpay/florin/graph"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/views/docs"
	"github.com/florinpay/florin/views/sandbox"
	"github.com/florinpay/florin/web/shell"
)

const testBaseURL = "https://pay.example"

// ask gets a page from a server with only the documentation.
func ask(t *testing.T, path string) string {
	t.Helper()
	sh := shell.New(shell.Options{BaseURL: testBaseURL, CheckoutURL: testBaseURL, Now: time.Now})
	e := echo.New()
	New(sh, Options{
		GraphQL: graph.Options{Limits: graph.DefaultLimits(), Introspection: true}, Version: "test", FreeCredits: 20,
		SignIn: true, Least: money.USD / 100, Most: 1_000_000 * money.USD,
	}).Routes(sh.Router(e))
	w := httptest.NewRecorder()
	e.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %.300s", path, w.Code, w.Body)
	}
	return w.Body.String()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The document is valid OpenAPI 3.1, examples included, and names this server.
func TestOpenAPI_Valid(t *testing.T) {
	t.Parallel()
	got := ask(t, "/openapi.json")
	var document openapi.Extendable[openapi.OpenAPI]
	must(t, json.Unmarshal([]byte(got), &document))
	v, err := openapi.NewValidator(&document)
	must(t, err)
	if err := v.ValidateSpec(); err != nil {
		t.Errorf("openapi.json: %v", err)
	}
	if document.Spec.OpenAPI != "3.1.0" || document.Spec.Servers[0].Spec.URL != testBaseURL {
		t.Errorf("OpenAPI %s, servers %v", document.Spec.OpenAPI, document.Spec.Servers)
	}
}

// TestOpenAPI_Linters: neither document gives Spectral or Redocly anything to say by their recommended rules.
func TestOpenAPI_Linters(t *testing.T) {
	t.Parallel()
	dir, err := testkit.EngineDirectory()
	must(t, err)
	for _, path := range []string{openAPIPath, openAPI30Path} {
		lint := exec.CommandContext(t.Context(), "node", "lint-openapi.js")
		lint.Dir, lint.Stdin = dir, strings.NewReader(ask(t, path))
		said, err := lint.CombinedOutput()
		if err != nil || len(said) > 0 {
			t.Errorf("%s: %v\n%s", path, err, said)
		}
	}
}

// TestOpenAPI_Names: no schema and no way to send a key share a name in any case: ogen makes a type of each.
func TestOpenAPI_Names(t *testing.T) {
	t.Parallel()
	var d struct {
		Components struct{ Schemas, SecuritySchemes map[string]any }
	}
	must(t, json.Unmarshal([]byte(ask(t, openAPI30Path)), &d))
	for scheme := range d.Components.SecuritySchemes {
		for schema := range d.Components.Schemas {
			if strings.EqualFold(scheme, schema) {
				t.Errorf("%s is a schema and a way to send a key", schema)
			}
		}
	}
	if len(d.Components.SecuritySchemes) != 3 || len(d.Components.Schemas) < 20 {
		t.Errorf("%d and %d names", len(d.Components.SecuritySchemes), len(d.Components.Schemas))
	}
}

// The types of events, and the statuses of the payments they carry, are those of the program.
func TestOpenAPI_Events(t *testing.T) {
	t.Parallel()
	var d Document
	must(t, json.Unmarshal([]byte(ask(t, "/openapi.json")), &d))
	var types, feed []string
	for _, x := range payment.FeedTypes() {
		feed = append(feed, string(x))
	}
	types = d.Components.Schemas["Event"].Properties["type"].Enum
	if len(types) < 8 || !slices.Equal(types, feed) {
		t.Errorf("events are documented as %q, and are %q", types, feed)
	}
	body := d.Components.Schemas["EventBody"]
	for _, s := range payment.Statuses() {
		if !slices.Contains(body.Properties["status"].Enum, strings.ToLower(string(s))) {
			t.Errorf("an event of a payment that is %s is not as documented", s)
		}
	}
	if _, ok := body.Properties["secret"]; ok || len(body.Properties) < 10 {
		t.Errorf("GET /events is documented with %v", slices.Sorted(maps.Keys(body.Properties)))
	}
	for _, x := range feed {
		if public := payment.EventType(x).Public(); !public && !strings.Contains(ask(t, docs.WebhooksPath), x) {
			t.Errorf("the page of webhooks does not name %s", x)
		}
	}
}

// The reasons in the document and on the page are those of the program, each once.
func TestDocs_Reasons(t *testing.T) {
	t.Parallel()
	var d Document
	must(t, json.Unmarshal([]byte(ask(t, "/openapi.json")), &d))
	page := ask(t, docs.ErrorsPath)
	seen := map[fault.Reason]bool{}
	for name, kind := range map[string]fault.Kind{"Conflict": fault.Conflict, "Unprocessable": fault.Unprocessable} {
		var want []string
		for _, r := range fault.Reasons(kind) {
			if seen[r.Reason] || r.Meaning == "" || !strings.Contains(page, ">"+string(r.Reason)+"<") {
				t.Errorf("the reason %s of %s", r.Reason, name)
			}
			seen[r.Reason] = true
			want = append(want, string(r.Reason))
		}
		if got := d.Components.Schemas[name].Properties["reason"].Enum; len(want) < 5 || !slices.Equal(got, want) {
			t.Errorf("%s is documented with %q, want %q", name, got, want)
		}
	}
}

// The page of errors explains every code of a refusal.
func TestDocs_Errors(t *testing.T) {
	t.Parallel()
	codes := []int{fault.Internal.Code()}
	for kind := fault.Internal + 1; kind.Code() != fault.Internal.Code(); kind++ {
		codes = append(codes, kind.Code())
	}
	if len(codes) < 10 {
		t.Fatalf("kinds of faults: %v", codes)
	}
	page := ask(t, docs.ErrorsPath)
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

// Every page is complete and has the addresses of this server.
func TestDocs_Pages(t *testing.T) {
	t.Parallel()
	for path, wants := range map[string][]string{
		docs.StartPath:    {testBaseURL + "/create-payment", "20 free credits"},
		docs.ExamplesPath: {"sample-verify-webhook-php", "sample-list-payments-go", testBaseURL + "/graphql"},
		docs.WebhooksPath: {
			"webhook-signature", "after 5 seconds", "after 24 hours", "75 hours", testBaseURL + "/events", "privateKey",
		},
		docs.RequestsPath:              {"Idempotent-Replayed", "65536", "400 at once", "500 payments"},
		docs.ErrorsPath:                {"Retry-After"},
		docs.TestingPath:               {"make run"},
		docs.OperatePath:               {"florin doctor", "docker compose up", "allow it 45 s", "LimitNOFILE"},
		docs.OperatePath + "/settings": {"FLORIN_SECRET_KEY", "FLORIN_RATE_COSTLY_BURST"},
		docs.OperatePath + "/networks": {"--sol-seed --sealed", "florin deploy --network BASE", "1.14 ×"},
		docs.OperatePath + "/alerts":   {"ledger_difference", "block_to_webhook_seconds"},
		docs.OperatePath + "/upgrade":  {"florin migrate --plan"},
		docs.OperatePath + "/capacity": {"4.6 KB", "florin reconcile", "make bench-server"},
		docs.ShopPath:                  {"Pay yourself a dollar", `href="/docs/shop/refunds"`},
		docs.OperatePath + "/keys":     {"florin secret rotate", "florin keygen --evm", "florin user reset-factor"},
		docs.OperatePath + "/backup": {
			"florin backup", "florin restore --adopt", "litestream replicate", "florin recover", "webhook-replayed",
		},
		docs.RESTPath: {"get-orders-txnid", "type-WebhookBody", "type-TransactionResult"},
		docs.GraphQLPath: {
			"operation-payment", "operation-getTransactions", "operation-UserLogin", "type-CustodianCreateInput",
			"type-TransactionStatus", "type-DateTime",
		},
	} {
		got := ask(t, path)
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s does not show %s", path, want)
			}
		}
		// The page of settings has the default of FLORIN_BASE_URL.
		if strings.Contains(got, "localhost:8080") && path != docs.OperatePath+"/settings" ||
			strings.Contains(got, "{base}") {
			t.Errorf("%s has the address of another server", path)
		}
	}
}

// The page about testing explains each button of the sandbox by its label.
func TestDocs_SandboxButtons(t *testing.T) {
	t.Parallel()
	page := ask(t, docs.TestingPath)
	for _, act := range sandbox.Acts {
		if !strings.Contains(page, "<dt>"+act.Label+"</dt>") {
			t.Errorf("the button %q is not explained", act.Label)
		}
	}
}

// Every page says for which reader it is and leads to the pages for the others; the first one says whom each is for.
func TestDocs_Doors(t *testing.T) {
	t.Parallel()
	start := ask(t, docs.StartPath)
	for _, here := range docs.Doors() {
		if !strings.Contains(start, "<span>"+here.For+"</span>") || len(strings.Fields(here.For)) < 8 {
			t.Errorf("the first page does not say that %s is for those of whom holds: %s", here.Title, here.For)
		}
		for _, p := range here.Pages {
			page := ask(t, p.Path)
			nav := page[strings.Index(page, `<nav class="pages"`):strings.Index(page, `<main`)]
			for _, d := range docs.Doors() {
				current := `<a href="` + d.Pages[0].Path + `" aria-current="true">` + d.Title
				if !strings.Contains(nav, ">"+d.Title+"</a>") ||
					strings.Contains(nav, current) != (d.Title == here.Title) {
					t.Errorf("%s does not lead to %s as it should: %s", p.Path, d.Title, nav)
				}
			}
			if !strings.Contains(nav, `<a href="`+p.Path+`" aria-current="page">`) {
				t.Errorf("%s is not in its own list", p.Path)
			}
		}
	}
}

// What a reader pastes into a terminal does not close it, the languages of a sample do not share an order, and the
// length of a password is that of the program.
func TestDocs_Samples(t *testing.T) {
	t.Parallel()
	for _, task := range append(docs.Tasks(testBaseURL),
		docs.Task{ID: docs.SignUp, Samples: docs.Samples(docs.SignUp, testBaseURL)},
		docs.Task{ID: docs.PayInSandbox, Samples: docs.Samples(docs.PayInSandbox, testBaseURL)}) {
		orders := map[string]string{}
		for _, s := range task.Samples {
			if s.Language == "curl" && regexp.MustCompile(`\b(exit|return|exec|set -)`).MatchString(s.Code) {
				t.Errorf("%s ends the shell that it is pasted into", s.File)
			}
			for _, order := range regexp.MustCompile(`order-\d+`).FindAllString(s.Code, -1) {
				if other := orders[order]; other != "" && other != s.File {
					t.Errorf("%s and %s have the order %s", s.File, other, order)
				}
				orders[order] = s.File
			}
		}
		if task.ID == docs.CreatePayment && len(orders) < 5 {
			t.Errorf("orders of %s: %v", task.ID, orders)
		}
	}
	need := fmt.Sprintf("(%d characters or more)", identity.MinPassword)
	if !strings.Contains(docs.Samples(docs.SignUp, testBaseURL)[0].Code, need) {
		t.Errorf("signing up does not say %q", need)
	}
}
