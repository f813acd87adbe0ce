package web

import (
	"strings"
	"testing"
)

// warned returns the warnings at a path of an answer, as field: reason.
func (r reply) warned(t *testing.T, path string) string {
	t.Helper()
	list, _ := r.field(t, path).([]any)
	var all []string
	for _, x := range list {
		w, _ := x.(map[string]any)
		field, _ := w["field"].(string)
		reason, _ := w["reason"].(string)
		all = append(all, field+": "+reason)
	}
	return strings.Join(all, "\n")
}

// TestWarnings_Email: no address of a customer stops a sale, whatever it is.
func TestWarnings_Email(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	const left = "customerEmail: no mail server takes this address, so it was left out"
	for email, want := range map[string]string{
		`" ann@shop.example\r\n"`: "ann@shop.example", `"a..b@docomo.ne.jp"`: "a..b@docomo.ne.jp", `"name.@docomo.ne.jp"`: "name.@docomo.ne.jp",
		`"an\u00adn@shop.example"`: "ann@shop.example", `"nobody"`: "", `"Ann <ann@shop.example>"`: "", `"a\u0000@shop.example"`: "",
		`"\u202eann@shop.example"`: "", `"\ud800@shop.example"`: "", `"` + strings.Repeat("x", 300) + `@shop.example"`: "",
	} {
		warning := ""
		if want == "" {
			warning = left
		}
		rest := b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":1,"customerEmail":`+email+`}`)
		byGraphQL := b.graphQL(`mutation ($e: String) { payment(apiKey: "`+m.text+`", amount: 1, customerEmail: $e) {
			code transaction { txnid } warnings { field reason } } }`, `{"e":`+email+`}`)
		for name, got := range map[string]struct{ txnid, warnings string }{
			"REST": {rest.text(t, "transaction.txnid"), rest.warned(t, "warnings")},
			"GraphQL": {
				byGraphQL.text(t, "data.payment.transaction.txnid"), byGraphQL.warned(t, "data.payment.warnings"),
			},
		} {
			p, err := b.payments.Get(t.Context(), got.txnid)
			must(t, err)
			if p.CustomerEmail != want || got.warnings != warning {
				t.Errorf("%s: %s is stored as %+q with %q", name, email, p.CustomerEmail, got.warnings)
			}
		}
	}
	for email, warning := range map[string]string{`null`: "", `""`: "", `"  "`: "", `7`: left, `false`: left, `[]`: left, `{}`: left} {
		got := b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":1,"customerEmail":`+email+`}`)
		if got.status != 200 || got.warned(t, "warnings") != warning {
			t.Errorf("%s: %d %s", email, got.status, got.start())
		}
	}
}

// TestWarnings_Unknown: a field that is not one is named, on every write and beside a refusal; an answer without
// warnings says nothing of them.
func TestWarnings_Unknown(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(9)
	const unknown = "there is no such field, so it was ignored"
	id, c := string(b.newPayment(m).ID), b.newCampaign(m)
	for _, x := range []struct{ path, body, want string }{
		{"/create-payment", `"amount":1,"order_id":7,"sucessUrl":"x"`, "order_id: " + unknown + "\nsucessUrl: " + unknown + "; did you mean successUrl?"},
		{"/create-payment", `"ammount":1`, "ammount: " + unknown + "; did you mean amount?"}, //nolint:misspell // as sent
		{"/pay", `"txnid":"` + id + `","network":"POLYGON","token":"USDC","chain":"x"`, "chain: " + unknown},
		{"/txn/" + id + "/find", `"hash":"` + string(testHash(3)) + `","note":""`, "apiKey: " + unknown + "\nnote: " + unknown},
		{"/cancel-payment", `"txnid":"` + id + `","reason":"x"`, "reason: " + unknown},
		{"/donate/" + c.Slug + "/pay", `"amount":5,"network":"POLYGON","token":"USDC","email":"x"`, "apiKey: " + unknown + "\nemail: " + unknown},
	} {
		got := b.ask("POST", x.path, `{"apiKey":"`+m.text+`",`+x.body+`}`)
		if said := got.warned(t, "warnings"); said != x.want {
			t.Errorf("%s: %d, warned of %q, want %q", x.path, got.status, said, x.want)
		}
	}
	plain := b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":1}`)
	if strings.Contains(plain.body, "warnings") {
		t.Errorf("an answer without warnings: %s", plain.body)
	}
	got := b.graphQL(`mutation ($successUrl: String) { one: payment(apiKey: "`+m.text+`", amount: 1, successUrl: $successUrl) {
		code warnings { field reason } } two: payment(apiKey: "`+m.text+`", amount: 1, customerEmail: "x") { warnings { field } } }`,
		`{"sucessUrl":"https://shop.example/"}`)
	one, two := got.warned(t, "data.one.warnings"), got.warned(t, "data.two.warnings")
	if !strings.HasPrefix(one, "sucessUrl: there is no such variable") || strings.Contains(one, "customerEmail") ||
		!strings.Contains(two, "customerEmail") {
		t.Errorf("GraphQL: %s", got.body)
	}
}

// TestWarnings_Replayed: an answer that is replayed has the warnings of the first, once.
func TestWarnings_Replayed(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	body := `{"apiKey":"` + m.text + `","amount":1,"customerEmail":"x","order_id":7}`
	first := b.ask("POST", "/create-payment", body, "Idempotency-Key", "one")
	again := b.ask("POST", "/create-payment", body, "Idempotency-Key", "one")
	if first.body != again.body || strings.Count(again.warned(t, "warnings"), "\n") != 1 {
		t.Errorf("%s\n%s", first.body, again.body)
	}
}
