package web

import (
	"net/http"
	"strings"
	"testing"
)

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
