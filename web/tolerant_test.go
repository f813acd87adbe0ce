package web

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
)

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	must(t, err)
	must(t, w.Close())
	return b.String()
}

// Bodies and keys are read as programs send them.
func TestTolerant_Body(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(30)
	body := `{"apiKey":"` + m.text + `","amount":1}`
	large := `{"apiKey":"` + m.text + `","amount":1,"x":"` + strings.Repeat("a", 64<<10) + `"}`
	packed := []string{"Content-Encoding", "gzip"}
	b.run(t, []scenario{
		{name: "byte order mark", method: "POST", path: "/create-payment", body: "\ufeff" + body, status: 200},
		{name: "byte order mark, GraphQL", method: "POST", path: "/graphql", body: "\ufeff" + `{"query":"{ __typename }"}`, status: 200, want: []string{"Query"}},
		{
			name: "charset=utf8", method: "POST", path: "/create-payment", body: body,
			header: []string{"Content-Type", "application/json; charset=utf8"}, status: 200,
		},
		{name: "charset in quotes", method: "POST", path: "/create-payment", body: body, header: []string{"Content-Type", `application/json;charset="UTF8"`}, status: 200},
		{
			name: "another charset", method: "POST", path: "/create-payment", body: body,
			header: []string{"Content-Type", "application/json; charset=latin1"}, status: 415,
		},
		{name: "gzip", method: "POST", path: "/create-payment", body: gzipped(t, body), header: packed, status: 200},
		{name: "gzip, GraphQL", method: "POST", path: "/graphql", body: gzipped(t, `{"query":"{ __typename }"}`), header: packed, status: 200, want: []string{"Query"}},
		{
			name: "gzip beyond the limit", method: "POST", path: "/create-payment", body: gzipped(t, large),
			header: packed, status: 413,
		},
		{
			name: "a gzip bomb", method: "POST", path: "/create-payment", body: gzipped(t, strings.Repeat(" ", 40<<20)),
			header: packed, status: 413,
		},
		{
			name: "no gzip", method: "POST", path: "/create-payment", body: body,
			header: packed, status: 400, want: []string{"gzip"},
		},
		{
			name: "gzip, cut off", method: "POST", path: "/create-payment", body: gzipped(t, body)[:30],
			header: packed, status: 400,
		},
		{
			name: "another coding", method: "POST", path: "/create-payment", body: body,
			header: []string{"Content-Encoding", "br"}, status: 415,
		},
		{
			name: "identity", method: "POST", path: "/create-payment", body: body,
			header: []string{"Content-Encoding", "identity"}, status: 200,
		},
		{name: "a slash at the end", method: "POST", path: "/create-payment/", body: body, status: 200},
		{name: "a slash, GraphQL", method: "POST", path: "/graphql/", body: `{"query":"{ __typename }"}`, status: 200},
		{
			name: "a slash and a query", method: "GET", path: "/events/?limit=1",
			header: []string{"x-api-key", m.text}, status: 200,
		},
		{name: "a key with a line end", method: "POST", path: "/create-payment", body: strings.Replace(body, m.text, m.text+`\r\n`, 1), status: 200},
		{name: "a key with a line end, GraphQL", method: "POST", path: "/graphql", body: `{"query":"{ getCreditsLeft(apiKey: \"\\n` + m.text + `\\n\") { code } }"}`, status: 200, want: []string{`"code":200`}},
		{name: "a key with spaces in a header", method: "POST", path: "/create-payment", body: `{"amount":1}`, header: []string{"x-api-key", " " + m.text + " "}, status: 200},
	})
}

// Addresses are joined as clients do, and JSON has several names.
func TestTolerant_Names(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	body := `{"apiKey":"` + b.newMerchant(30).text + `","amount":1}`
	b.run(t, []scenario{
		{name: "an address with a slash", method: "POST", path: "//create-payment", body: body, status: 200},
		{name: "slashes at the end", method: "POST", path: "/create-payment//", body: body, status: 200},
		{
			name: "JSON by another name", method: "POST", path: "/create-payment", body: body,
			header: []string{"Content-Type", "application/vnd.api+json"}, status: 200,
		},
		{
			name: "JSON as a text", method: "POST", path: "/create-payment", body: body,
			header: []string{"Content-Type", "text/json"}, status: 200,
		},
		{
			name: "GraphQL by name", method: "POST", path: "/graphql", body: `{"query":"{ __typename }"}`,
			header: []string{"Content-Type", "application/graphql+json"}, status: 200,
		},
	})
}

// A txnid is read however it was copied, by every operation.
func TestTolerant_Txnid(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(60)
	for _, change := range []func(id string) string{
		strings.ToLower, func(id string) string { return " " + id + "\n" }, func(id string) string { return id + "." },
		func(id string) string { return "\u00a0" + strings.ToLower(id) + "。" },
	} {
		p := b.newPayment(m)
		id, text := change(string(p.ID)), string(encoded(t, change(string(p.ID))))
		b.ask("GET", "/orders/"+url.PathEscape(id), "").wants(t, 200, string(p.ID))
		b.ask("GET", "/txn/"+url.PathEscape(id)+"/", "").wants(t, 200, string(p.ID))
		b.ask("GET", "/pay?txnid="+url.QueryEscape(id), "", "Accept", "text/html").wants(t, 200)
		b.ask("GET", "/txn/"+every(id), "").wants(t, 200)
		start := `"txnid":` + text + `,"network":"polygon","token":"usdc"}`
		b.ask("POST", "/pay", `{`+start).wants(t, 200, string(p.ID))
		b.ask("POST", "/pay", `{"apiKey":"`+m.text+`",`+start).wants(t, 200, string(p.ID))
		b.ask("POST", "/txn/"+url.PathEscape(id)+"/find", `{"hash":"`+string(testHash(9))+`"}`).wants(t, 200)
		b.ask("GET", "/orders?first=1&after="+url.QueryEscape(id), "", "x-api-key", m.text).wants(t, 200)
		for _, operation := range []string{
			`query ($t: String!) { getTxnDetails(txnid: $t) { code transaction { txnid } } }`,
			`query ($t: String!) { getTransactionDetails(apiKey: "` + m.text + `", txnid: $t) { code transaction { txnid } } }`,
			`mutation ($t: String!) { cancelPayment(txnid: $t) { code transaction { txnid } } }`,
		} {
			b.graphQL(operation, `{"t":`+text+`}`).wants(t, 200, `"code":200`, string(p.ID))
		}
		b.graphQL(`mutation ($t: String!) { manualMarkAsCompleted(apiKey: "`+m.text+`", txnid: $t) { code } }`,
			`{"t":`+text+`}`).wants(t, 200, `"code":200`)
	}
}

// Lists are turned with first or limit and after; a name that belongs to another interface is refused before it costs.
func TestTolerant_Pages(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(20)
	for range 3 {
		b.newPayment(m)
	}
	get := func(path string) reply { return b.ask("GET", path, "", "x-api-key", m.text) }
	for path, want := range map[string]int{
		"/orders?limit=2": 2, "/orders?first=2": 2, "/orders?first=2&limit=2": 2, "/orders": 3,
		"/orders?network=solana": 0,
	} {
		if list, _ := get(path).field(t, "transactions").([]any); len(list) != want {
			t.Errorf("%s gives %d", path, len(list))
		}
	}
	if list, _ := get("/events?first=2").field(t, "events").([]any); len(list) != 0 && len(list) != 2 {
		t.Errorf("first on /events gives %d", len(list))
	}
	before := b.balance(m)
	for _, name := range []string{
		"page", "offset", "per_page", "pageSize", "cursor", "starting_after", "Limit", "After", "page[size]", "before",
	} {
		for _, path := range []string{"/orders", "/events"} {
			got := get(path + "?" + url.QueryEscape(name) + "=2")
			if got.status != 400 || !strings.Contains(got.text(t, "message"), name) {
				t.Errorf("%s?%s: %d %s", path, name, got.status, got.start())
			}
		}
	}
	get("/orders?first=2&limit=3").wants(t, 400, "limit")
	if b.balance(m) != before {
		t.Error("a refusal took a credit")
	}
	got := get("/orders?refrence=NL-1042") //nolint:misspell // as programs write it
	if !strings.Contains(got.warned(t, "warnings"), "did you mean reference?") {
		t.Errorf("%d %s", got.status, got.start())
	}
	if _, err := chain.ParseNetwork(" Solana "); err != nil {
		t.Error(err)
	}
}

// every writes each byte of a text as an escape of an address.
func every(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&b, "%%%02x", c)
	}
	return b.String()
}
