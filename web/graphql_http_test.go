package web

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/testkit"
)

// Queries come by GET as well, mutations by POST alone, and no page of another site may ask (GraphQL over HTTP).
func TestGraphQL_ByGET(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	id := string(b.newPayment(m).ID)
	get := func(query, variables string, header ...string) reply {
		t.Helper()
		q := url.Values{"query": {query}}
		if variables != "" {
			q.Set("variables", variables)
		}
		return b.ask("GET", "/graphql?"+q.Encode(), "", header...)
	}
	const byID = `query ($id: String!) { getTxnDetails(txnid: $id) { code transaction { txnid } } }`
	get(byID, `{"id":"`+id+`"}`).wants(t, 200, `"code":200`, id)
	get(byID, `{"id":"`+id+`"}`, "Sec-Fetch-Site", "same-origin").wants(t, 200, id)
	get("{ getCreditsLeft { creditsLeft } }", "", "x-api-key", m.text).wants(t, 200, `"creditsLeft":5`)
	get(byID, `{"id":"`+id+`"}`, "Accept", "application/graphql-response+json").wants(t, 200, id)
	b.ask("GET", "/graphql?operationName=B&query="+url.QueryEscape("query A { __typename } query B { b: __typename }"), "").
		wants(t, 200, `"b":"Query"`)
	for name, r := range map[string]reply{
		"cross-site": get(byID, `{"id":"`+id+`"}`, "Sec-Fetch-Site", "cross-site"),
		"an origin":  get(byID, `{"id":"`+id+`"}`, "Origin", "https://evil.example"),
	} {
		if r.status != 403 {
			t.Errorf("%s: %d %s", name, r.status, r.start())
		}
	}
	cancel := get(`mutation { cancelPayment(txnid: "`+id+`") { code } }`, "")
	if cancel.status != 405 || cancel.header.Get("Allow") != "POST" || !strings.Contains(cancel.body, `"errors"`) {
		t.Errorf("a mutation: %d %v %s", cancel.status, cancel.header, cancel.body)
	}
	if p, err := b.payments.Get(t.Context(), id); err != nil || p.Status != "PENDING" {
		t.Errorf("it was done: %s, %v", p.Status, err)
	}
	b.ask("GET", "/graphql", "").wants(t, 405)
	b.ask("GET", "/graphql?query=", "").wants(t, 200, "no operation provided")
	get(byID, `{"id":`).wants(t, 400, "variables")
	get(byID, `[]`).wants(t, 200, "errors")
}

// Clients that send a hash in place of a document are asked for the document.
func TestGraphQL_PersistedQuery(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	const extensions = `{"persistedQuery":{"version":1,"sha256Hash":"abc"}}`
	const said = `{"errors":[{"message":"PersistedQueryNotSupported","extensions":{"code":"PERSISTED_QUERY_NOT_SUPPORTED"}}]}`
	for name, r := range map[string]reply{
		"POST": b.ask("POST", "/graphql", `{"operationName":"A","variables":{},"extensions":`+extensions+`}`),
		"GET":  b.ask("GET", "/graphql?extensions="+url.QueryEscape(extensions), ""),
		"new":  b.ask("POST", "/graphql", `{"extensions":`+extensions+`}`, "Accept", "application/graphql-response+json"),
	} {
		if r.status != 200 || r.body != said {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
	b.ask("POST", "/graphql", `{"query":"{ __typename }","extensions":`+extensions+`}`).wants(t, 200, `"__typename":"Query"`)
	b.ask("POST", "/graphql", `{"variables":{}}`).wants(t, 400, "query is required")
}

// The schema is public whatever introspection is; the media type of drafts gets JSON; 30.0 is a whole number.
func TestGraphQL_Clients(t *testing.T) {
	t.Parallel()
	b := newBundle(t) // without introspection
	m := b.newMerchant(5)
	sdl := b.ask("GET", "/schema.graphql", "", "Origin", "https://shop.example")
	sdl.wants(t, 200, "type Mutation", "payment(", "enum Network", "scalar StringMap", "warnings: [Warning!]")
	if sdl.header.Get("Access-Control-Allow-Origin") != "*" ||
		!strings.HasPrefix(sdl.header.Get("Content-Type"), "text/plain") {
		t.Errorf("the schema: %v", sdl.header)
	}
	old := b.ask("POST", "/graphql", `{"query":"{ __typename }"}`, "Accept", "application/graphql+json")
	if old.status != 200 || !strings.HasPrefix(old.header.Get("Content-Type"), "application/json") {
		t.Errorf("application/graphql+json: %d %v", old.status, old.header)
	}
	for _, n := range []string{"30", "30.0", "3e1", "30.000"} {
		b.graphQL(`mutation ($n: Int) { payment(apiKey: "`+m.text+`", amount: 1, expiresInMinutes: $n) { code } }`,
			`{"n":`+n+`}`).wants(t, 200, `"code":200`)
		b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":1,"expiresInMinutes":`+n+`}`).wants(t, 200)
	}
	for _, n := range []string{"30.5", `"30"`, "1e400", "true"} {
		r := b.graphQL(`mutation ($n: Int) { payment(apiKey: "`+m.text+`", amount: 1, expiresInMinutes: $n) { code } }`, `{"n":`+n+`}`)
		if !strings.Contains(r.body, "errors") {
			t.Errorf("%s is an Int: %s", n, r.body)
		}
	}
}

// GraphQL takes the API key of a header as REST does, where a document leaves it out or empty.
func TestGraphQL_KeyInHeader(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m, other := b.newMerchant(50), b.newMerchant(50)
	b.newPayment(m)
	const fields = "{ code apiKey { key } }"
	for name, x := range map[string]struct{ query, variables string }{
		"LeftOut":         {"{ it: getCreditsLeft " + fields + " }", ""},
		"Empty":           {`{ it: getCreditsLeft(apiKey: "") ` + fields + " }", ""},
		"VariableLeftOut": {"query ($k: String!) { it: getCreditsLeft(apiKey: $k) " + fields + " }", `{}`},
		"VariableNull":    {"query ($k: String!) { it: getCreditsLeft(apiKey: $k) " + fields + " }", `{"k":null}`},
		"VariableEmpty":   {"query ($k: String!) { it: getCreditsLeft(apiKey: $k) " + fields + " }", `{"k":""}`},
		"InFragment":      {"{ ...f } fragment f on Query { it: getCreditsLeft " + fields + " }", ""},
		"InlineFragment":  {"{ ... on Query { it: getCreditsLeft " + fields + " } }", ""},
		"Input":           {`mutation { it: updateCustodianDetails(input: {name: "N"}) ` + fields + " }", ""},
		"InputVariable":   {"mutation ($i: CustodianUpdateInput!) { it: updateCustodianDetails(input: $i) " + fields + " }", `{"i":{"name":"N"}}`},
		"KeyInInput":      {"mutation ($k: String!) { it: updateCustodianDetails(input: {apiKey: $k}) " + fields + " }", `{}`},
		"Create":          {"mutation { it: payment(amount: 1) { code } }", ""},
		"List":            {"{ it: getTransactions(first: 1) { code } }", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, header := range [][]string{
				{"x-api-key", m.text}, {"api-key", m.text}, {"Authorization", "Bearer " + m.text},
			} {
				for range 2 { // the second time the document is known
					r := b.graphQL(x.query, x.variables, header...)
					if r.text(t, "data.it.code") != "200" {
						t.Fatalf("%s: %s", header[0], r.body)
					}
					if strings.Contains(r.body, `"key"`) && r.text(t, "data.it.apiKey.key") != m.text {
						t.Errorf("%s: %s", header[0], r.body)
					}
				}
			}
			// Without a header the same document is malformed, as ever, or has no key.
			r := b.graphQL(x.query, x.variables)
			if !strings.Contains(r.body, `"errors"`) && r.text(t, "data.it.code") != "401" {
				t.Errorf("without a key: %s", r.body)
			}
		})
	}
	t.Run("ArgumentCounts", func(t *testing.T) {
		t.Parallel()
		r := b.graphQL(`{ it: getCreditsLeft(apiKey: "`+other.text+`") `+fields+" }", "", "x-api-key", m.text)
		if r.text(t, "data.it.apiKey.key") != other.text {
			t.Errorf("%s", r.body)
		}
	})
	t.Run("BadHeader", func(t *testing.T) {
		t.Parallel()
		r := b.graphQL("{ it: getCreditsLeft "+fields+" }", "", "x-api-key", "flk_bad")
		if r.status != http.StatusOK || r.text(t, "data.it.code") != "401" {
			t.Errorf("%d %s", r.status, r.body)
		}
	})
	t.Run("OtherArgumentsAreRequired", func(t *testing.T) {
		t.Parallel()
		if r := b.graphQL(
			"mutation { payment { code } }", "", "x-api-key", m.text,
		); !strings.Contains(r.body, "amount") ||
			!strings.Contains(r.body, `"errors"`) {
			t.Errorf("%s", r.body)
		}
	})
}

// What only the owner sees is shown for the key of any header.
func TestGraphQL_OwnerByHeader(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	id := string(b.newNotedPayment(m).ID)
	for _, header := range []string{"x-api-key", "api-key"} {
		r := b.graphQL(`{ getTxnDetails(txnid: "`+id+`") { transaction { customerEmail } } }`, "", header, m.text)
		if !strings.Contains(r.body, emailCanary) {
			t.Errorf("%s: %s", header, r.body)
		}
	}
}

// The published audit of GraphQL over HTTP (npm graphql-http) finds no violation
// of a MUST or SHOULD.
func TestGraphQLOverHTTPAudit(t *testing.T) {
	t.Parallel()
	var results []struct{ ID, Name, Status, Reason string }
	runNode(t, "testdata/audit.js", &results)
	const leastAudits = 50 // fewer means that they did not run
	if len(results) < leastAudits {
		t.Fatalf("only %d audits ran", len(results))
	}
	for _, r := range results {
		// GET is optional, and left out: a query may cost credits and carries a
		// key, which has no place in an address.
		if r.Status != "ok" && !strings.HasPrefix(r.Name, "MAY") {
			t.Errorf("%s %s: %s (%s)", r.ID, r.Name, r.Status, r.Reason)
		}
	}
}

// The standard introspection query passes the limits, and its answer is a
// schema that the reference implementation can build.
func TestIntrospectionByTheReferenceImplementation(t *testing.T) {
	t.Parallel()
	var operations []string
	runNode(t, "testdata/introspect.js", &operations)
	for _, name := range []string{
		"getTxnDetails", "getTransactions", "payment", "StartPayment",
		"createCustodianAccount",
	} {
		if !slices.Contains(operations, name) {
			t.Errorf("%s is not among %v", name, operations)
		}
	}
}

// runNode runs a script against the GraphQL address of a server and reads the
// JSON it writes.
func runNode(t *testing.T, script string, into any) {
	t.Helper()
	for _, name := range []string{"graphql", "graphql-http"} {
		testkit.MustEngine(t, name+"/package.json")
	}
	srv := httptest.NewServer(newDashboard(t).server.Handler()) // as it runs in production, dashboard and all
	defer srv.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var problem bytes.Buffer
	cmd := exec.CommandContext(ctx, "node", script, srv.URL+"/graphql")
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node %s: %v: %s", script, err, problem.String())
	}
	must(t, json.Unmarshal(out, into))
}
