package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/florinpay/florin/graph"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/views/docs"
)

// Media types and statuses of GraphQL over HTTP, with the statuses that its
// published audit asks for.
func TestGraphQLOverHTTP(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	const modern, legacy = "application/graphql-response+json", "application/json"
	for name, row := range map[string]struct {
		accept, body string
		status       int
		media        string
		want         string
	}{
		"no accept":                  {"", `{"query":"{ __typename }"}`, 200, legacy, `{"data":{"__typename":"Query"}}`},
		"anything":                   {"*/*", `{"query":"{ __typename }"}`, 200, legacy, `"data"`},
		"modern":                     {modern, `{"query":"{ __typename }"}`, 200, modern, `"data"`},
		"modern first":               {modern + ", " + legacy + ";q=0.9", `{"query":"{ __typename }"}`, 200, modern, `"data"`},
		"legacy first":               {legacy + ", " + modern + ";q=0.5", `{"query":"{ __typename }"}`, 200, legacy, `"data"`},
		"neither":                    {"text/html", `{"query":"{ __typename }"}`, 406, legacy, `"code":406`},
		"broken JSON":                {modern, `{"query`, 400, legacy, `"errors"`},
		"batch":                      {legacy, `[{"query":"{ __typename }"}]`, 400, legacy, `batches`},
		"no query":                   {legacy, `{"qeury":"{ __typename }"}`, 400, legacy, `query is required`},
		"query is no text":           {legacy, `{"query":7}`, 400, legacy, `"errors"`},
		"variables are no object":    {legacy, `{"query":"{ __typename }","variables":[1]}`, 400, legacy, `variables`},
		"extensions are no object":   {legacy, `{"query":"{ __typename }","extensions":"x"}`, 400, legacy, `extensions`},
		"operation name is no text":  {legacy, `{"query":"{ __typename }","operationName":1}`, 400, legacy, `operationName`},
		"nulls":                      {legacy, `{"query":"{ __typename }","operationName":null,"variables":null,"extensions":null}`, 200, legacy, `"data"`},
		"does not parse, modern":     {modern, `{"query":"{"}`, 400, modern, `GRAPHQL_PARSE_FAILED`},
		"does not parse, legacy":     {legacy, `{"query":"{"}`, 200, legacy, `GRAPHQL_PARSE_FAILED`},
		"is not valid, modern":       {modern, `{"query":"{ nothing }"}`, 400, modern, `GRAPHQL_VALIDATION_FAILED`},
		"is not valid, legacy":       {legacy, `{"query":"{ nothing }"}`, 200, legacy, `GRAPHQL_VALIDATION_FAILED`},
		"variable missing, modern":   {modern, `{"query":"query($t: String!) { getTxnDetails(txnid: $t) { code } }"}`, 400, modern, `"message":"variable t must be defined","path":["variable","t"]`},
		"variable of a wrong type":   {modern, `{"query":"query($t: String!) { getTxnDetails(txnid: $t) { code } }","variables":{"t":7}}`, 400, modern, `"message":"variable t cannot use int64 as String","path":["variable","t"]`},
		"variable is null":           {legacy, `{"query":"query($t: String!) { getTxnDetails(txnid: $t) { code } }","variables":{"t":null}}`, 200, legacy, `"message":"variable t cannot be null","path":["variable","t"]`},
		"argument missing":           {legacy, `{"query":"{ getTxnDetails { code } }"}`, 200, legacy, `txnid`},
		"unknown operation":          {modern, `{"query":"query A { __typename }","operationName":"B"}`, 400, modern, `operation B not found`},
		"which of two":               {modern, `{"query":"query A { __typename } query B { __typename }"}`, 400, modern, `operationName is required: the document holds 2 operations`},
		"one of two":                 {modern, `{"query":"query A { __typename } query B { x: __typename }","operationName":"B"}`, 200, modern, `{"data":{"x":"Query"}}`},
		"variables keep their order": {legacy, `{"query":"query($a: Boolean!) { x: __typename @include(if: $a) y: __typename @skip(if: $a) }","variables":{"a":true}}`, 200, legacy, `{"data":{"x":"Query"}}`},
	} {
		var header []string
		if row.accept != "" {
			header = []string{"Accept", row.accept}
		}
		got := b.ask("POST", "/graphql", row.body, header...)
		media, _, _ := strings.Cut(got.header.Get("Content-Type"), ";")
		if got.status != row.status || media != row.media || !strings.Contains(got.body, row.want) {
			t.Errorf("%s: %d %s %s", name, got.status, media, got.body)
		}
		if row.status != 200 && strings.Contains(got.body, `"data"`) {
			t.Errorf("%s: data beside a failure: %s", name, got.body)
		}
	}
}

func TestIntrospection(t *testing.T) {
	t.Parallel()
	const query = `{ __schema { mutationType { fields { name } } } }`
	b := newBundle(t)
	open := b.graphQL(query, "")
	for _, name := range []string{
		"payment", "StartPayment", "startBep20Payment", "startPolygonPayment",
		"startBasePayment", "startSolPayment", "cancelPayment", "createCustodianAccount", "updateCustodianDetails",
	} {
		if !strings.Contains(open.body, `"name":"`+name+`"`) {
			t.Errorf("the schema has no %s", name)
		}
	}
	closed := newBundleWith(t, Options{BaseURL: testBaseURL, CheckoutURL: testBaseURL, GraphQL: graph.Options{}})
	if got := closed.graphQL(query, ""); !strings.Contains(got.body, `"errors"`) || strings.Contains(got.body, `"name"`) {
		t.Errorf("introspection although it is off: %s", got.body)
	}
}

// A request within the operator's limits is answered, and one more is refused.
func TestGraphQLLimits(t *testing.T) {
	t.Parallel()
	b := newBundleWith(t, Options{BaseURL: testBaseURL, CheckoutURL: testBaseURL, GraphQL: graph.Options{
		Introspection: true, Limits: graph.Limits{
			Tokens: 40, Depth: 2, Fields: 5, Aliases: 1, RootFields: 2,
			Body: 1_000,
		},
	}})
	usual := newBundle(t)
	if got := b.graphQL("{ a: __schema { description } __schema { description } }", ""); got.status != 200 || strings.Contains(got.body, `"errors"`) {
		t.Errorf("within the limits: %d %s", got.status, got.body)
	}
	for name, row := range map[string]struct {
		query  string
		status int
	}{
		"depth":       {"{ __schema { types { name } } }", 200},
		"complexity":  {"{ __schema { description __typename } __type(name: \"Query\") { name kind description } }", 200},
		"aliases":     {"{ a: __typename b: __typename }", 200},
		"root fields": {"{ __typename __schema { description } __type(name: \"Query\") { name } }", 200},
		"tokens":      {"{ __type(name: \"Query\") { " + strings.Repeat("name ", 40) + "} }", 200},
		"body":        {"{ __typename } #" + strings.Repeat("x", 1_000), 413},
	} {
		got := b.graphQL(row.query, "")
		if got.status != row.status || strings.Contains(got.body, `"data"`) || row.status == 200 && !strings.Contains(got.body, `"errors"`) {
			t.Errorf("beyond the limit of %s: %d %s", name, got.status, got.body)
		}
		if got := usual.graphQL(row.query, ""); strings.Contains(got.body, `"errors"`) {
			t.Errorf("%s: refused although it is within the usual limits: %s", name, got.body)
		}
	}
	if page := b.ask("GET", docs.RequestsPath, "").body; !strings.Contains(page, "at most 1000 bytes") ||
		!strings.Contains(page, "at most 40 tokens") {
		t.Error("the documentation shows other limits")
	}
}

// An operation requested twice under two names runs twice and is charged twice.
func TestAliases(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	one, two := b.newPayment(m), b.newPayment(m)
	got := b.graphQL(`mutation {
		one: startBasePayment(txnid: "`+string(one.ID)+`", token: USDC) { code }
		two: startBasePayment(txnid: "`+string(two.ID)+`", token: USDC) { code }
		three: startBasePayment(txnid: "`+unknownTxn+`", token: USDC) { code } }`, "")
	if got.text(t, "data.one.code") != "200" || got.text(t, "data.two.code") != "200" ||
		got.text(t, "data.three.code") != "404" || b.balance(m) != 3 {
		t.Errorf("%s, %d credits left", got.body, b.balance(m))
	}
}

func TestRequestsAreNamed(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	first, second := b.ask("GET", "/health", ""), b.ask("POST", "/graphql", `{"query":"{ __typename }"}`)
	one, two := first.header.Get("X-Request-Id"), second.header.Get("X-Request-Id")
	if len(one) != 16 || one == two {
		t.Errorf("request ids %q and %q", one, two)
	}
	if !strings.Contains(b.log.String(), one) {
		t.Error("the log does not name the request")
	}
}

// An internal error shows only the id of the request.
func TestFaultsOfOurs(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	p := b.newPayment(b.newMerchant(5))
	b.start(p, chain.Polygon) // the lookup must not answer from its cache
	must(t, b.store.Close())
	rest := b.ask("GET", "/orders/"+string(p.ID), "")
	id := rest.header.Get("X-Request-Id")
	if rest.status < 500 || strings.Contains(rest.body, "sql") || strings.Contains(rest.body, "goroutine") {
		t.Errorf("REST: %d %s", rest.status, rest.body)
	}
	if rest.status == http.StatusInternalServerError && !strings.Contains(rest.body, id) {
		t.Errorf("the message does not carry the request's id: %s", rest.body)
	}
	graphQL := b.graphQL(`{ getTxnDetails(txnid: "`+string(p.ID)+`") { code message } }`, "")
	if graphQL.status != 200 || graphQL.text(t, "data.getTxnDetails.code") != rest.text(t, "code") {
		t.Errorf("GraphQL: %d %s", graphQL.status, graphQL.body)
	}
}

// A key that is refused over GraphQL is in the log, though the status is 200; the key
// itself is not.
func TestGraphQL_DeniedIsLogged(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	wrong := m.text[:len(m.text)-1] + "_" // no key has it
	b.graphQL(`{ getCreditsLeft(apiKey: "`+m.text+`") { code } }`, "")
	if strings.Contains(b.log.String(), "access denied") {
		t.Fatalf("a right key is denied: %s", b.log.String())
	}
	r := b.graphQL(`{ getCreditsLeft(apiKey: "`+wrong+`") { code } }`, "")
	id := r.header.Get("X-Request-Id")
	if log := b.log.String(); !strings.Contains(log, `"msg":"access denied","request":"`+id+`"`) || strings.Contains(log, wrong) {
		t.Errorf("the log says %s", log)
	}
}
