package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

const (
	metadataCanary = "metadata-canary"
	emailCanary    = "customer-canary@mail.example"
)

// newNotedPayment makes a payment with data that only its merchant may read, and
// a reference that is public.
func (b *bundle) newNotedPayment(m seller) payment.Payment {
	b.t.Helper()
	p, err := b.payments.Create(b.t.Context(),
		payment.CreateInput{KeyID: m.key.ID, Amount: "49.90", Details: payment.Details{
			Reference: "NL-1042", CustomerEmail: emailCanary,
			Metadata: map[string]string{metadataCanary: metadataCanary},
		}}, audit.Act{})
	must(b.t, err)
	return p
}

// Knowing a txnid gives the public fields of its payment. What a merchant stored
// with it, and the customer's e-mail address, are for the merchant alone.
func TestOwnerFields(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	owner, other := b.newMerchant(9), b.newMerchant(9)
	t.Run("Public", func(t *testing.T) {
		p := b.newNotedPayment(owner)
		id := string(p.ID)
		b.hidesOwnerFields(t, id, other.text)
		b.start(p, chain.Polygon)
		b.hidesOwnerFields(t, id, other.text)
	})
	t.Run("Cancel", func(t *testing.T) {
		id := string(b.newNotedPayment(owner).ID)
		hides(t, "cancel", b.ask("POST", "/cancel-payment", `{"txnid":"`+id+`"}`))
		b.hidesOwnerFields(t, id, other.text)
	})
	t.Run("Owner", func(t *testing.T) {
		id := string(b.newNotedPayment(owner).ID)
		fields := `transaction { txnid reference metadata customerEmail }`
		for name, r := range map[string]reply{
			"StartPayment over REST": b.ask("POST", "/pay",
				`{"apiKey":"`+owner.text+`","txnid":"`+id+`","network":"POLYGON","token":"USDC"}`),
			"StartPayment": b.graphQL(`mutation { StartPayment(apiKey: "`+owner.text+`", txnid: "`+id+
				`", network: POLYGON, token: USDC) { code `+fields+` } }`, ""),
			"getTransactionDetails": b.graphQL(
				`{ getTransactionDetails(apiKey: "`+owner.text+`", txnid: "`+id+`") { code `+fields+` } }`, ""),
			"getTransactions": b.graphQL(
				`{ getTransactions(apiKey: "`+owner.text+`") { code transactions { metadata customerEmail } } }`, ""),
			"getTxnDetails with the key": b.graphQL(`{ getTxnDetails(txnid: "`+id+`") { code `+fields+` } }`, "",
				"Authorization", "Bearer "+owner.text),
			"GET /orders with x-api-key": b.ask("GET", "/orders/"+id, "", "x-api-key", owner.text),
			"GET /txn with a bearer key": b.ask("GET", "/txn/"+id, "", "Authorization", "Bearer "+owner.text),
		} {
			if !strings.Contains(r.body, metadataCanary) || !strings.Contains(r.body, emailCanary) {
				t.Errorf("%s keeps the owner's data from the owner: %d %s", name, r.status, r.start())
			}
		}
	})
}

// hidesOwnerFields reads and starts a payment as everyone can who knows its txnid.
func (b *bundle) hidesOwnerFields(t *testing.T, id, otherKey string) {
	t.Helper()
	fields := ` { code transaction { reference metadata customerEmail } }`
	for name, r := range map[string]reply{
		"getTxnDetails":         b.graphQL(`{ getTxnDetails(txnid: "`+id+`")`+fields+` }`, ""),
		"GET /orders":           b.ask("GET", "/orders/"+id, ""),
		"GET /txn":              b.ask("GET", "/txn/"+id, ""),
		"another merchant":      b.ask("GET", "/orders/"+id, "", "x-api-key", otherKey),
		"a wrong key":           b.ask("GET", "/orders/"+id, "", "x-api-key", otherKey+"x"),
		"another key (GraphQL)": b.graphQL(`{ getTxnDetails(txnid: "`+id+`")`+fields+` }`, "", "Authorization", "Bearer "+otherKey),
		"startPolygonPayment":   b.graphQL(`mutation { startPolygonPayment(txnid: "`+id+`", token: USDC)`+fields+` }`, ""),
		"POST /pay":             b.ask("POST", "/pay", `{"txnid":"`+id+`","network":"POLYGON","token":"USDC"}`),
		"POST /pay, repeated": b.ask("POST", "/pay", `{"txnid":"`+id+`","network":"POLYGON","token":"USDC"}`,
			"Idempotency-Key", "again-"+id),
		"POST /pay of another merchant": b.ask("POST", "/pay",
			`{"apiKey":"`+otherKey+`","txnid":"`+id+`","network":"POLYGON","token":"USDC"}`),
		"getTransactionDetails of another merchant": b.graphQL(
			`{ getTransactionDetails(apiKey: "`+otherKey+`", txnid: "`+id+`")`+fields+` }`, ""),
		"find": b.ask("POST", "/txn/"+id+"/find", `{"hash":"`+string(testHash(7))+`"}`),
	} {
		hides(t, name, r)
		if name == "GET /orders" && r.text(t, "transaction.reference") != "NL-1042" {
			t.Errorf("the reference is not public: %s", r.start())
		}
	}
	// Every page that anyone may open, whatever its path is.
	pages := 0
	for _, route := range b.server.handler.Routes() {
		if route.Method != http.MethodGet || !strings.Contains(route.Path, ":txnid") ||
			isLive(route.Path) {
			continue
		}
		path := strings.ReplaceAll(route.Path, ":txnid", id)
		hides(t, path, b.ask("GET", path, "", "Accept", "text/html"))
		pages++
	}
	if pages < 3 {
		t.Errorf("only %d public routes with a txnid", pages)
	}
	for _, query := range []string{"", "&view=find", "&lang=ar"} {
		hides(t, "/pay"+query, b.ask("GET", "/pay?txnid="+id+query, "", "Accept", "text/html"))
	}
}

func hides(t *testing.T, name string, r reply) {
	t.Helper()
	for _, canary := range []string{metadataCanary, emailCanary} {
		if strings.Contains(r.body, canary) {
			t.Errorf("%s shows %s: %s", name, canary, r.start())
		}
	}
}

// A page of another site may read what is public by its txnid, and nothing else.
func TestPublicReadsOfOtherSites(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	id := string(b.newNotedPayment(m).ID)
	const allow = "Access-Control-Allow-Origin"
	for _, path := range []string{"/orders/" + id, "/txn/" + id, "/orders/unknown", "/donate/x", "/openapi.json"} {
		r := b.ask("GET", path, "", "Origin", "https://shop.example")
		if r.header.Get(allow) != "*" || r.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("GET %s: %v", path, r.header)
		}
	}
	for _, path := range []string{"/events", "/dashboard", "/pay?txnid=" + id, "/health", "/pay/" + id + "/receipt"} {
		if r := b.ask("GET", path, "", "Origin", "https://shop.example"); r.header.Get(allow) != "" {
			t.Errorf("GET %s allows every origin", path)
		}
	}
	for _, path := range []string{"/orders/" + id, "/txn/" + id, "/donate/x", "/docs.md"} {
		r := b.ask("OPTIONS", path, "", "Origin", "https://shop.example", "Access-Control-Request-Method", "GET",
			"Access-Control-Request-Headers", "accept, content-type")
		if r.header.Get(allow) != "*" || r.header.Get("Access-Control-Allow-Methods") != "GET, HEAD" {
			t.Errorf("a reader that names the type of its body may not read %s: %v", path, r.header)
		}
	}
	for _, path := range []string{"/pay", "/cancel-payment", "/txn/" + id + "/find"} {
		r := b.ask("OPTIONS", path, "", "Origin", "https://shop.example", "Access-Control-Request-Method", "POST",
			"Access-Control-Request-Headers", "content-type,idempotency-key,traceparent,tracestate,baggage,sentry-trace")
		if allowed := r.header.Get("Access-Control-Allow-Headers"); r.header.Get(allow) != "*" ||
			r.header.Get("Access-Control-Allow-Methods") != "POST" || !strings.Contains(allowed, "Traceparent") {
			t.Errorf("what needs no key may not be posted to %s: %v", path, r.header)
		}
		for _, body := range []string{`{"txnid":"` + id + `","network":"POLYGON","token":"USDC"}`, `{}`} {
			if r := b.ask("POST", path, body, "Origin", "https://shop.example"); r.header.Get(allow) != "*" {
				t.Errorf("POST %s cannot be read: %d %v", path, r.status, r.header)
			}
		}
	}
	for _, path := range []string{"/graphql", "/create-payment"} {
		if r := b.ask("POST", path, "{}", "Origin", "https://shop.example"); r.header.Get(allow) != "" {
			t.Errorf("POST %s answers every origin", path)
		}
	}
	for _, path := range []string{"/graphql", "/create-payment", "/pay", "/cancel-payment", "/orders/" + id} {
		r := b.ask("OPTIONS", path, "", "Origin", "https://shop.example", "Access-Control-Request-Headers", "x-api-key")
		if r.header.Get("Access-Control-Allow-Headers") != "" || r.header.Get("Access-Control-Allow-Methods") != "" {
			t.Errorf("OPTIONS %s lets another site send a key: %v", path, r.header)
		}
	}
}
