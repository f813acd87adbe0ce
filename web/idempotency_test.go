package web

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/retention"
	"github.com/florinpay/florin/internal/secret"
)

func TestIdempotency(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m, other := b.newMerchant(5), b.newMerchant(5)
	body := `{"apiKey":"` + m.text + `","amount":5}`
	first := b.ask("POST", "/create-payment", body, "Idempotency-Key", `"order-1"`)
	again := b.ask("POST", "/create-payment", body, "Idempotency-Key", "order-1")
	if first.status != 200 || again.body != first.body || again.status != 200 ||
		again.header.Get("Idempotent-Replayed") != "true" {
		t.Fatalf("replay: %s\n%s", first.body, again.body)
	}
	b.run(t, []scenario{
		{name: "other body", method: "POST", path: "/create-payment", body: `{"apiKey":"` + m.text + `","amount":6}`, header: []string{"Idempotency-Key", "order-1"}, status: 422},
		{
			name: "other route", method: "POST", path: "/pay", body: body,
			header: []string{"Idempotency-Key", "order-1"}, status: 400,
		},
		{
			name: "too long", method: "POST", path: "/create-payment", body: body,
			header: []string{"Idempotency-Key", strings.Repeat("k", 256)}, status: 400,
			want: []string{"Idempotency-Key"},
		},
		{
			name: "longest", method: "POST", path: "/create-payment", body: body,
			header: []string{"Idempotency-Key", strings.Repeat("k", 255)}, status: 200,
		},
		{name: "empty in quotes", method: "POST", path: "/create-payment", body: body, header: []string{"Idempotency-Key", `""`}, status: 400},
		{name: "other key", method: "POST", path: "/create-payment", body: `{"apiKey":"` + other.text + `","amount":5}`, header: []string{"Idempotency-Key", "order-1"}, status: 200, not: []string{first.text(t, "transaction.txnid")}},
	})
	query := `mutation { payment(apiKey: "` + m.text + `", amount: 7) { code message paymentLink transaction { txnid } } }`
	one := b.graphQL(query, "", "Idempotency-Key", "order-2")
	two := b.graphQL(query, "", "Idempotency-Key", "order-2")
	if one.status != 200 || one.body != two.body || two.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("GraphQL: %s\n%s", one.body, two.body)
	}
	if got := b.graphQL(strings.Replace(query, "amount: 7", "amount: 8", 1), "", "Idempotency-Key",
		"order-2"); got.text(t, "data.payment.code") != "422" {
		t.Errorf("GraphQL, other body: %s", got.body)
	}
	double := strings.Replace(query, "payment(", "again: payment(", 1)
	double = strings.Replace(query, "mutation { ", "mutation { "+strings.TrimSuffix(strings.TrimPrefix(double, "mutation { "), " }")+" ", 1)
	if got := b.graphQL(double, "", "Idempotency-Key", "order-3"); !strings.Contains(got.body, `"errors"`) {
		t.Errorf("two mutations under one key: %s", got.body)
	}
	// A network that cannot be read has made nothing: the payer's next choice is not refused for it.
	p := b.newPayment(m)
	start := `{"txnid":"` + string(p.ID) + `","network":"BASE","token":"USDC"}`
	b.networks.fallBehind(chain.Base)
	b.run(t, []scenario{
		{
			name: "unavailable", method: "POST", path: "/pay", body: start, header: []string{"Idempotency-Key", "s"},
			status: 503,
		},
		{
			name: "other network under the payer's key", method: "POST", path: "/pay",
			body: strings.Replace(start, "BASE", "POLYGON", 1), header: []string{"Idempotency-Key", "s"}, status: 200,
		},
		{name: "cancel", method: "POST", path: "/cancel-payment", body: `{"txnid":"` + string(p.ID) + `"}`, header: []string{"Idempotency-Key", "c"}, status: 200, want: []string{"CANCELLED"}},
		{name: "cancel again", method: "POST", path: "/cancel-payment", body: `{"txnid":"` + string(p.ID) + `"}`, header: []string{"Idempotency-Key", "c"}, status: 200, want: []string{"CANCELLED"}},
		{name: "cancel without a key", method: "POST", path: "/cancel-payment", body: `{"txnid":"` + string(p.ID) + `"}`, status: 409},
	})
}

// Concurrent requests with one key make one payment.
func TestIdempotencyUnderLoad(t *testing.T) { onEach(t, checkIdempotencyUnderLoad) }

func checkIdempotencyUnderLoad(t *testing.T, b *bundle) {
	m := b.newMerchant(5)
	const n = 16
	replies := make(chan reply, n)
	for range n {
		go func() {
			replies <- b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":5}`, "Idempotency-Key", "same")
		}()
	}
	ids := map[string]int{}
	for range n {
		r := <-replies
		switch r.status {
		case 200:
			ids[r.text(t, "transaction.txnid")]++
		case 409:
			ids["running"]++
		default:
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	delete(ids, "running")
	if len(ids) != 1 {
		t.Errorf("payments made: %v", ids)
	}
}

// Anyone who knows a txnid can send requests with new keys. What is refused leaves no
// record, what succeeds leaves few, and the payer's own retry is still answered.
func TestIdempotency_Strangers(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	txnid := string(b.newPayment(m).ID)
	key := func(i int) []string { return []string{"Idempotency-Key", "stranger-" + strconv.Itoa(i)} }
	records := func() int64 {
		n, err := b.store.Retention().DropBatch(t.Context(), retention.Idempotency, b.clock.Now().Add(time.Hour), 0)
		must(t, err)
		return n.Dropped
	}
	c := b.newCampaign(m)
	t.Run("Refused", func(t *testing.T) {
		for i, r := range []scenario{
			{path: "/pay", body: `{"txnid":"` + txnid + `","network":"SOL","token":"USDC"}`, status: 422},
			{path: "/donate/" + c.Slug + "/pay", body: `{"amount":0.001,"network":"POLYGON","token":"USDC"}`, status: 400},
		} {
			if got := b.ask("POST", r.path, r.body, key(i)...); got.status != r.status {
				t.Errorf("%s: %d %s", r.path, got.status, got.start())
			}
		}
		b.expire(b.newPayment(m))
		ended := string(b.expire(b.start(b.newPayment(m), chain.Polygon)).ID)
		for i := range 5 {
			if got := b.ask("POST", "/cancel-payment", `{"txnid":"`+ended+`"}`, key(i)...); got.status != 409 {
				t.Errorf("cancel after the end: %d", got.status)
			}
		}
		if n := records(); n != 0 {
			t.Errorf("refusals left %d records", n)
		}
	})
	t.Run("Answered", func(t *testing.T) {
		start := `{"txnid":"` + txnid + `","network":"POLYGON","token":"USDC"}`
		for i := range idempotency.MaxOfPayment + 10 {
			if got := b.ask("POST", "/pay", start, key(i)...); got.status != 200 {
				t.Fatalf("start %d: %d %s", i, got.status, got.start())
			}
		}
		again := b.ask("POST", "/pay", start, key(idempotency.MaxOfPayment+9)...)
		if again.status != 200 || again.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("the newest answer is gone: %d", again.status)
		}
		if n := records(); n != idempotency.MaxOfPayment {
			t.Errorf("one payment has %d records", n)
		}
	})
}

// Signing up, sent again with its key, is the same user and the same answer.
func TestIdempotency_SignUp(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	query := func(password string) string {
		return `mutation { UserSignUp(email: "twice@example.com", password: "` + password + `") { code token user { id } } }`
	}
	first := b.graphQL(query("a horse and a battery"), "", "Idempotency-Key", "sign-up")
	again := b.graphQL(query("a horse and a battery"), "", "Idempotency-Key", "sign-up")
	if first.text(t, "data.UserSignUp.code") != "200" || again.body != first.body {
		t.Errorf("%s\n%s", first.body, again.body)
	}
	if got := b.graphQL(
		query("another password"), "", "Idempotency-Key", "sign-up",
	); got.text(t, "data.UserSignUp.code") != "422" {
		t.Errorf("another request under the key: %s", got.body)
	}
	if got := b.graphQL(
		query("a horse and a battery"), "", "Idempotency-Key", "other",
	); got.text(t, "data.UserSignUp.code") != "409" {
		t.Errorf("another key: %s", got.body)
	}

	must(t, b.sealer.Add(bytes.Repeat([]byte{8}, secret.KeyLen)))
	b.sealer.Use(b.sealer.KeyIDs()[1])
	after := b.graphQL(query("a horse and a battery"), "", "Idempotency-Key", "sign-up")
	if after.body != first.body {
		t.Errorf("while the secret key is replaced: %s", after.body)
	}
}

// A key that a member makes, asked for again with the same Idempotency-Key, is the same key with the same text. The
// Idempotency-Key belongs to the member.
func TestIdempotency_Keys(t *testing.T) {
	t.Parallel()
	d := newDirected(t)
	owner, err := d.accounts.UserByEmail(t.Context(), ownerEmail)
	must(t, err)
	d.colleague(owner, "dev@shop.example", merchant.RoleDeveloper)
	ask := func(email, label, key string) reply {
		in, err := d.accounts.SignIn(
			t.Context(), identity.Credentials{Email: email, Password: secret.New(testPassword)},
		)
		must(t, err)
		return d.graphQL(`mutation { UserCreateApiKey(label: "`+label+`") { code message apiKey { id key label creditsLeft } } }`,
			"", "Authorization", "Bearer "+in.Token.Reveal(), "Idempotency-Key", key)
	}
	first, again := ask(ownerEmail, "shop", "one"), ask(ownerEmail, "shop", "one")
	if first.text(t, "data.UserCreateApiKey.code") != "200" || again.body != first.body ||
		again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%s\nsent again: %v %s", first.body, again.header, again.body)
	}
	for name, got := range map[string]reply{
		"AnotherKey": ask(ownerEmail, "shop", "two"), "AnotherMember": ask("dev@shop.example", "shop", "one"),
	} {
		if got.text(t, "data.UserCreateApiKey.code") != "200" || got.body == first.body ||
			got.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s: %v %s", name, got.header, got.body)
		}
	}
	if got := ask(ownerEmail, "other", "one"); got.text(t, "data.UserCreateApiKey.code") != "422" {
		t.Errorf("another request under the key: %s", got.body)
	}
}

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
