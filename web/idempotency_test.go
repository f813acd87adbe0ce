package web

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"time"

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
