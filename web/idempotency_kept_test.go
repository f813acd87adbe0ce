package web

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
)

// A refusal is forgotten once its cause is gone: the same key is then sent with the request that was mended.
func TestIdempotency_RefusalsAreForgotten(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	const key = "order-7"
	send := func(name, path, body string, want int) reply {
		t.Helper()
		got := b.ask("POST", path, body, "Idempotency-Key", key)
		if got.status != want || got.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s: %d %s, want %d", name, got.status, got.start(), want)
		}
		return got
	}
	poor := b.newKey(1, 5)
	create := `{"apiKey":"` + poor.text + `","amount":5`
	send("without a custodian", "/create-payment", create+`}`, 409)
	must(t, b.makeCustodian(poor, map[chain.Network]string{chain.Polygon: merchantWallet}))
	send("a long reference", "/create-payment", create+`,"reference":"`+strings.Repeat("x", 129)+`"}`, 400)
	made := send("mended", "/create-payment", create+`,"reference":"x"}`, 200)

	start := `{"apiKey":"` + poor.text + `","txnid":"` + made.text(t, "transaction.txnid") + `","token":"USDC","network":`
	send("without credits", "/pay", start+`"POLYGON"}`, 402)
	_, err := b.accounts.Grant(t.Context(), poor.key, merchant.Grant{Credits: 5}, audit.Act{Who: "operator"})
	must(t, err)
	send("without a wallet", "/pay", start+`"BASE"}`, 422)
	send("on another network", "/pay", start+`"POLYGON"}`, 200)
	if again := b.ask("POST", "/pay", start+`"POLYGON"}`, "Idempotency-Key", key); again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("what was done is not kept: %d %s", again.status, again.start())
	}
	if other := b.ask("POST", "/pay", start+`"BASE"}`, "Idempotency-Key", key); other.status != 422 ||
		other.text(t, "reason") != "idempotency_mismatch" {
		t.Errorf("another request under the key of what was done: %d %s", other.status, other.start())
	}
}

// An order number may be sent with each operation on the order: each runs once.
func TestIdempotency_OfItsOperation(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	id := ""
	for _, x := range []struct{ path, body, want string }{
		{"/create-payment", `{"apiKey":"` + m.text + `","amount":5}`, "PENDING"},
		{"/pay", `{"apiKey":"` + m.text + `","txnid":"$","network":"BASE","token":"USDC"}`, "STARTED"},
		{"/pay", `{"txnid":"$","network":"POLYGON","token":"USDC"}`, "STARTED"},
		{"/cancel-payment", `{"txnid":"$"}`, "CANCELLED"},
	} {
		first := b.ask("POST", x.path, strings.ReplaceAll(x.body, "$", id), "Idempotency-Key", "1042")
		again := b.ask("POST", x.path, strings.ReplaceAll(x.body, "$", id), "Idempotency-Key", "1042")
		if first.status != 200 || first.text(t, "transaction.status") != x.want || first.body != again.body ||
			again.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%s: %s\n%s", x.path, first.body, again.body)
		}
		id = first.text(t, "transaction.txnid")
	}
}

// Requests are compared by what was read of them, not by their bytes.
func TestIdempotency_AsItWasRead(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	first := b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+
		`","amount":5,"reference":"Café","metadata":{"a":"1","b":"2"},"successUrl":"https://shop.example/"}`, "Idempotency-Key", "one")
	id := first.text(t, "transaction.txnid")
	same := func(name string, got reply, path string) {
		t.Helper()
		if got.text(t, path+"transaction.txnid") != id || got.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%s: %s", name, got.body)
		}
	}
	for name, body := range map[string]string{
		"order and spaces": "{ \"metadata\": {\"b\":\"2\", \"a\":\"1\"},\n \"successUrl\":\"https://shop.example/\", \"reference\":\"Café\", \"amount\": 5 }",
		"5.00":             `{"amount":5.00,"reference":"Café","metadata":{"a":"1","b":"2"},"successUrl":"https://shop.example/"}`,
		"escapes":          `{"amount":5,"reference":"Caf\u00e9","metadata":{"\u0061":"1","b":"2"},"successUrl":"https:\/\/shop.example\/"}`,
		"nulls":            `{"amount":5,"reference":"Café","metadata":{"a":"1","b":"2"},"successUrl":"https://shop.example/","description":null,"expiresInMinutes":null}`,
		"mended":           `{"amount":5,"reference":"Caf\u200bé","metadata":{"a":"1","b":"2"},"successUrl":"https://shop.example/","currency":"usd"}`,
	} {
		same(name, b.ask("POST", "/create-payment", body, "Idempotency-Key", "one", "x-api-key", m.text), "")
	}
	same("GraphQL", b.graphQL(`mutation { payment(amount: 5.0, reference: "Caf\u00e9", metadata: {b: "2", a: "1"},
		successUrl: "https://shop.example/") { transaction { txnid } } }`, "", "Idempotency-Key", "one", "Authorization", "Bearer "+m.text),
		"data.payment.")
	for name, body := range map[string]string{
		"another amount":    `{"amount":5.01,"reference":"Café","metadata":{"a":"1","b":"2"},"successUrl":"https://shop.example/"}`,
		"another metadata":  `{"amount":5,"reference":"Café","metadata":{"a":"1","b":"3"},"successUrl":"https://shop.example/"}`,
		"without metadata":  `{"amount":5,"reference":"Café","successUrl":"https://shop.example/"}`,
		"another reference": `{"amount":5,"reference":"Cafe","metadata":{"a":"1","b":"2"},"successUrl":"https://shop.example/"}`,
	} {
		got := b.ask("POST", "/create-payment", body, "Idempotency-Key", "one", "x-api-key", m.text)
		if got.status != 422 || got.text(t, "reason") != "idempotency_mismatch" {
			t.Errorf("%s: %d %s", name, got.status, got.start())
		}
	}
}

// What is empty is what is not there.
func TestIdempotency_Empty(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	ask := func(fields string) string {
		return b.ask("POST", "/create-payment", `{"amount":5`+fields+`}`, "Idempotency-Key", "one", "x-api-key", m.text).
			text(t, "transaction.txnid")
	}
	first := ask("")
	for _, fields := range []string{
		`,"metadata":{}`, `,"metadata":[]`, `,"metadata":""`, `,"metadata":{"a":null}`, `,"reference":"","description":null`,
		`,"expiresInMinutes":"","customerEmail":" ","successUrl":"","currency":"USD "`, `,"customerEmail":"nobody"`,
	} {
		if again := ask(fields); again != first {
			t.Errorf("with %s it is another request", fields)
		}
	}
}

// A replayed create says how the payment stands now, and that a new key makes a new one where it has ended.
func TestIdempotency_StatusNow(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(30)
	c := b.newCampaign(m)
	for name, x := range map[string]struct{ path, body string }{
		"payment":  {"/create-payment", `{"apiKey":"` + m.text + `","amount":5}`},
		"donation": {"/donate/" + c.Slug + "/pay", giftOfFive},
	} {
		send := func(want, warned string) string {
			t.Helper()
			got := b.ask("POST", x.path, x.body, "Idempotency-Key", "status-"+name)
			if got.status != 200 || got.text(t, "transaction.status") != want || !strings.Contains(got.warned(t, "warnings"), warned) ||
				(warned == "") != (got.warned(t, "warnings") == "") {
				t.Errorf("%s: %d %s, want %s and %q", name, got.status, got.body, want, warned)
			}
			return got.text(t, "transaction.txnid")
		}
		id := send(map[string]string{"payment": "PENDING", "donation": "STARTED"}[name], "")
		p, err := b.payments.Get(t.Context(), id)
		must(t, err)
		b.start(p, chain.Polygon)
		if send("STARTED", "") != id {
			t.Errorf("%s: another payment", name)
		}
		_, err = b.payments.Cancel(t.Context(), id, audit.Act{})
		must(t, err)
		send("CANCELLED", "Idempotency-Key: it was sent before, and that payment is cancelled: a new key makes a new payment")
	}
	late := `{"apiKey":"` + m.text + `","amount":6,"expiresInMinutes":5}`
	b.ask("POST", "/create-payment", late, "Idempotency-Key", "late")
	b.clock.advance(10 * 60 * 1e9)
	got := b.ask("POST", "/create-payment", late, "Idempotency-Key", "late")
	if got.text(t, "transaction.status") != "PENDING" || !strings.Contains(got.warned(t, "warnings"), "is expired") {
		t.Errorf("past its time: %s", got.body)
	}
}
