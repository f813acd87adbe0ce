package docs

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/views/docs"
)

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
	hits := found(t, "idempotency")
	if len(hits) == 0 || !strings.Contains(hits[0], "idempotency") || len(hits) > maxHits {
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
	for page, queries := range map[string][]string{
		"/refunds":       {"refund", "refunds", "Money back", "refund address"},
		"/website":       {"WooCommerce", "Shopify", "plugin", "button"},
		"/prices":        {"EUR", "euro", "currency", "prices in euro"},
		"/tax":           {"tax", "taxes", "VAT", "invoice", "invoices", "accountant", "export", "csv", "receipt"},
		"/fees":          {"fee", "fees", "gas", "cost", "credits"},
		"/exchanges":     {"exchange", "Binance", "coinbase", "withdrawal", "TxID"},
		"/wrong-network": {"wrong network", "wrong token", "tron", "other network"},
		"/amounts":       {"underpaid", "overpaid", "too little", "too late", "tolerance", "paid twice"},
		"/wallet":        {"wallet", "MetaMask", "hardware wallet", "bank"},
		"/live":          {"going live", "before the first customer"},
		"":               {"chargeback"},
	} {
		for _, query := range queries {
			hits := found(t, query)
			at := slices.IndexFunc(hits, func(p string) bool {
				path, _, _ := strings.Cut(p, "#")
				return path == docs.ShopPath+page
			})
			if at < 0 || at > 4 {
				t.Errorf("%q finds %s at %d of %q", query, docs.ShopPath+page, at, hits)
			}
		}
	}
}

// A snippet reads as the page does: links and code are parts of sentences.
func TestSearch_Snippets(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"PrestaShop": "Shopify, PrestaShop", "binance": "exchange, such as Binance or Coinbase.",
	} {
		if page := ask(t, "/docs/search?q="+url.QueryEscape(query)); !strings.Contains(page, want) {
			t.Errorf("%q shows no %q", query, want)
		}
	}
}

// A word is looked for where words begin.
func TestSearch_Beginnings(t *testing.T) {
	t.Parallel()
	all := []section{
		{path: "a", title: "Syntax", lower: "syntax of a feed"},
		{path: "b", title: "Money", lower: "money, tax and fees"},
	}
	for query, want := range map[string]string{
		"tax": "b", "fee": "a b", "fees": "a b", "ee": "", "of": "a", "MONEY": "b",
	} {
		var got []string
		for _, h := range search(all, query) {
			got = append(got, h.Path)
		}
		if slices.Sort(got); strings.Join(got, " ") != want {
			t.Errorf("%q finds %q, want %s", query, got, want)
		}
	}
}
