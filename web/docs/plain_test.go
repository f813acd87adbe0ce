package docs

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/views/docs"
)

// Every page is also served as Markdown, which says the same, and is listed in llms.txt.
func TestMarkdown_EveryPage(t *testing.T) {
	t.Parallel()
	list := ask(t, "/llms.txt")
	if !strings.HasPrefix(list, "# Florin\n\n> ") || !strings.Contains(list, testBaseURL+"/openapi.json") {
		t.Errorf("llms.txt begins %.200q", list)
	}
	if len(docs.Pages()) < 11 {
		t.Fatalf("only %d pages", len(docs.Pages()))
	}
	for _, p := range docs.Pages() {
		got := ask(t, p.Path+".md")
		if !strings.HasPrefix(got, "# ") || strings.Contains(got, "<div") || strings.Contains(got, "&lt;") ||
			strings.Contains(got, "localhost:8080") && p.Path != docs.OperatePath+"/settings" {
			t.Errorf("%s.md: %.300s", p.Path, got)
		}
		if !strings.Contains(list, "("+testBaseURL+p.Path+".md): "+p.About) || p.About == "" {
			t.Errorf("llms.txt does not list %s", p.Path)
		}
		page := ask(t, p.Path)
		for _, heading := range regexp.MustCompile(`<h2[^>]*>([A-Za-z ]+)</h2>`).FindAllStringSubmatch(page, -1) {
			if !strings.Contains(got, heading[1]) {
				t.Errorf("%s.md lacks %q", p.Path, heading[1])
			}
		}
	}
}

// Markdown keeps code, lists, tables and links.
func TestMarkdown_Parts(t *testing.T) {
	t.Parallel()
	for path, wants := range map[string][]string{
		docs.StartPath: {
			"JavaScript:\n", "```js\n", "```python\n", "[Webhooks](" + testBaseURL + "/docs/webhooks.md)",
			"**Never fulfil from it:**", "UserSignUp", "- `PENDING`:",
		},
		docs.ErrorsPath:   {"| Code | When | What to do |\n|---|---|---|\n", "| 409 |", "- `payment_ended`: The payment"},
		docs.WebhooksPath: {"1. at once\n", "`payment.other_asset`", "nextAfter"},
		docs.RESTPath:     {"GET `/orders`", "\"hasNextPage\": false"},
		docs.GoLivePath:   {"- The settlement wallets are yours"},
	} {
		got := ask(t, path+".md")
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s.md lacks %q", path, want)
			}
		}
	}
}

// A search finds sections by their words, those whose heading has them first, and leads to their place.
func TestSearch(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"idempotency":           `href="/docs/requests#idempotency"`,
		"payment_ended":         `href="/docs/errors#reasons-409"`,
		"retry after":           `href="/docs`,
		"getTransactions":       `href="/docs/graphql#getTransactions"`,
		"successUrl":            `href="/docs`,
		"WEBHOOK signature":     `href="/docs/webhooks`,
		"qwxyz nothing":         `data-testid="nothing"`,
		`"><script>alert(1)`:    `data-testid="nothing"`,
		"":                      `Type what you look for`,
		strings.Repeat("é", 90): `data-testid="nothing"`,
	} {
		got := ask(t, "/docs/search?q="+url.QueryEscape(query))
		if !strings.Contains(got, want) || strings.Contains(got, "<script>alert") {
			t.Errorf("%q finds %.600s", query, got[strings.Index(got, "<main"):])
		}
	}
	if hits := found(t, "idempotency"); len(hits) == 0 || !strings.Contains(hits[0], "idempotency") || len(hits) > maxHits {
		t.Errorf("the hits for idempotency are %q", hits)
	}
	if !strings.Contains(ask(t, docs.RESTPath), `action="/docs/search"`) {
		t.Error("a page has no search")
	}
}

// found are the places that a search finds, the best first.
func found(t *testing.T, query string) (places []string) {
	t.Helper()
	page := ask(t, "/docs/search?q="+url.QueryEscape(query))
	_, list, _ := strings.Cut(page, `data-testid="hits"`)
	for _, hit := range regexp.MustCompile(`<li><a href="([^"]+)"`).FindAllStringSubmatch(list, -1) {
		places = append(places, hit[1])
	}
	return places
}

// Shop owners find what they need by the words that they use.
func TestSearch_ShopOwners(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"refund": "/refunds", "refunds": "/refunds", "money back": "/refunds", "chargeback": "", "WooCommerce": "/website",
		"shopify": "/website", "plugin": "/website", "EUR": "/prices", "euro": "/prices", "currency": "/prices",
		"tax": "/tax", "taxes": "/tax", "VAT": "/tax", "invoice": "/tax", "invoices": "/tax", "accountant": "/tax",
		"export": "/tax", "csv": "/tax", "receipt": "/tax", "fee": "/fees", "fees": "/fees", "gas": "/fees", "cost": "/fees",
		"credits": "/fees", "exchange": "/exchanges", "Binance": "/exchanges", "coinbase": "/exchanges",
		"withdrawal": "/exchanges", "txid": "/exchanges", "wrong network": "/wrong-network", "wrong token": "/wrong-network",
		"tron": "/wrong-network", "underpaid": "/amounts", "overpaid": "/amounts", "too little": "/amounts",
		"late": "/amounts", "tolerance": "/amounts", "wallet": "/wallet", "metamask": "/wallet", "bank": "/wallet",
		"going live": "",
	} {
		hits := found(t, query)
		at := slices.IndexFunc(hits, func(p string) bool {
			path, _, _ := strings.Cut(p, "#")
			return path == docs.ShopPath+want || want == "" && strings.HasPrefix(path, docs.ShopPath)
		})
		if at < 0 || at > 4 {
			t.Errorf("%q finds %s at %d of %q", query, docs.ShopPath+want, at, hits)
		}
	}
}

// A word is looked for where words begin.
func TestSearch_Beginnings(t *testing.T) {
	t.Parallel()
	all := []section{
		{path: "a", title: "Syntax", lower: "syntax of a feed"}, {path: "b", title: "Money", lower: "money, tax and fees"},
	}
	for query, want := range map[string]string{"tax": "b", "fee": "a b", "fees": "a b", "ee": "", "of": "a", "MONEY": "b"} {
		var got []string
		for _, h := range search(all, query) {
			got = append(got, h.Path)
		}
		if slices.Sort(got); strings.Join(got, " ") != want {
			t.Errorf("%q finds %q, want %s", query, got, want)
		}
	}
}

// Every answer in JSON has an example; TestOpenAPI_Valid holds them against their schemas.
func TestOpenAPI_Examples(t *testing.T) {
	t.Parallel()
	var d Document
	must(t, json.Unmarshal([]byte(ask(t, "/openapi.json")), &d))
	for path, operations := range d.Paths {
		for method, o := range operations {
			for code, r := range o.Responses {
				if r.Ref != "" {
					r = d.Components.Responses[strings.TrimPrefix(r.Ref, "#/components/responses/")]
				}
				if c, ok := r.Content["application/json"]; ok && len(c.Example) < 3 {
					t.Errorf("%s %s %s has no example: %s", method, path, code, c.Example)
				}
			}
			if c, ok := o.RequestBody.Content["application/json"]; ok && len(c.Example) < 3 {
				t.Errorf("the body of %s %s has no example", method, path)
			}
		}
	}
}
