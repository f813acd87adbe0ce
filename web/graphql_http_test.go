package web

import (
	"net/url"
	"strings"
	"testing"
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
