package docs

import (
	"encoding/json"
	"regexp"
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
