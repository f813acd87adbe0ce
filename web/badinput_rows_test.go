package web

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// badPayments name a key or payment that the request cannot use.
var badPayments = []badRow{
	{
		name: "wrong key", prepare: func(*bundle) (string, string) { return "flk_" + strings.Repeat("0", 43), "" },
		method: "POST", path: "/create-payment", body: `{"apiKey":"$A","amount":10}`,
		query: `mutation { payment(apiKey: "$A", amount: 10) { code message transaction { txnid } paymentLink } }`, field: "payment",
		code: 401, says: []string{"API key"},
	},
	{
		name: "no custodian", prepare: func(b *bundle) (string, string) { return b.newKey(5, 5).text, "" },
		method: "POST", path: "/create-payment", body: `{"apiKey":"$A","amount":10}`,
		query: `mutation { payment(apiKey: "$A", amount: 10) { code message transaction { txnid } } }`, field: "payment",
		code: 409, says: []string{"custodian"},
	},
	{
		name: "no credits, with key", prepare: func(b *bundle) (string, string) {
			m := b.newMerchant(0)
			return m.text, string(b.newPayment(m).ID)
		},
		method: "POST", path: "/pay", body: `{"apiKey":"$A","txnid":"$B","network":"POLYGON","token":"USDC"}`,
		query: `mutation { StartPayment(apiKey: "$A", txnid: "$B", network: POLYGON, token: USDC) { code message transaction { wallet { address } paymentUri } } }`,
		field: "StartPayment", code: 402, says: []string{"credit"},
	},
	{
		name: "no credits, public", prepare: func(b *bundle) (string, string) {
			return "", string(b.newPayment(b.newMerchant(0)).ID)
		},
		method: "POST", path: "/pay", body: `{"txnid":"$B","network":"POLYGON","token":"USDC"}`,
		query: `mutation { startPolygonPayment(txnid: "$B", token: USDC) { code message transaction { wallet { address } } } }`,
		field: "startPolygonPayment", code: 402, says: []string{"credit"},
	},
	{
		name: "unknown txnid, read", prepare: func(*bundle) (string, string) { return "", unknownTxn },
		method: "GET", path: "/orders/$B",
		query: `{ getTxnDetails(txnid: "$B") { code message transaction { txnid } } }`, field: "getTxnDetails",
		code: 404, says: []string{"txnid"},
	},
	{
		name: "malformed txnid, read", prepare: func(*bundle) (string, string) { return "", "nothing-like-it" },
		method: "GET", path: "/txn/$B",
		query: `{ getTxnDetails(txnid: "$B") { code message transaction { txnid } } }`, field: "getTxnDetails",
		code: 404, says: []string{"txnid"},
	},
	{
		name: "unknown txnid, cancel", prepare: func(*bundle) (string, string) { return "", unknownTxn },
		method: "POST", path: "/cancel-payment", body: `{"txnid":"$B"}`,
		query: `mutation { cancelPayment(txnid: "$B") { code message transaction { txnid } } }`, field: "cancelPayment",
		code: 404, says: []string{"txnid"},
	},
	{
		name: "txnid missing, cancel", prepare: func(*bundle) (string, string) { return "", "" },
		method: "POST", path: "/cancel-payment", body: `{}`,
		query: `mutation { cancelPayment(txnid: "") { code message transaction { txnid } } }`, field: "cancelPayment",
		code: 400, says: []string{"txnid"},
	},
	{
		name:    "unknown txnid, start",
		prepare: func(b *bundle) (string, string) { return b.newMerchant(5).text, unknownTxn },
		method:  "POST", path: "/pay", body: `{"apiKey":"$A","txnid":"$B","network":"BASE","token":"USDC"}`,
		query: `mutation { StartPayment(apiKey: "$A", txnid: "$B", network: BASE, token: USDC) { code message transaction { txnid } } }`,
		field: "StartPayment", code: 404, says: []string{"txnid"},
	},
	{
		name: "another merchant's txnid, start", prepare: func(b *bundle) (string, string) {
			return b.newMerchant(5).text, string(b.newPayment(b.newMerchant(5)).ID)
		},
		method: "POST", path: "/pay", body: `{"apiKey":"$A","txnid":"$B","network":"BASE","token":"USDC"}`,
		query: `mutation { StartPayment(apiKey: "$A", txnid: "$B", network: BASE, token: USDC) { code message transaction { txnid } } }`,
		field: "StartPayment", code: 404, says: []string{"txnid"},
	},
}

// badStarts request something that the state of the payment does not allow.
var badStarts = []badRow{
	{
		name: "no settlement wallet", prepare: func(b *bundle) (string, string) {
			m := b.newKey(5, 0)
			must(b.t, b.makeCustodian(m, map[chain.Network]string{chain.Polygon: merchantWallet}))
			return m.text, string(b.newPayment(m).ID)
		},
		method: "POST", path: "/pay", body: `{"apiKey":"$A","txnid":"$B","network":"BEP20","token":"USDT"}`,
		query: `mutation { startBep20Payment(txnid: "$B", token: USDT) { code message transaction { txnid } } }`,
		field: "startBep20Payment", code: 422, says: []string{"wallet"},
	},
	{
		name: "network not configured", prepare: func(b *bundle) (string, string) {
			return "", string(b.newPayment(b.newMerchant(5)).ID)
		},
		method: "POST", path: "/pay", body: `{"txnid":"$B","network":"SOL","token":"USDC"}`,
		query: `mutation { startSolPayment(txnid: "$B", token: USDC) { code message transaction { txnid } } }`,
		field: "startSolPayment", code: 422, says: []string{"network"},
	},
	{
		name: "start of a cancelled payment", prepare: func(b *bundle) (string, string) {
			p := b.newPayment(b.newMerchant(5))
			_, err := b.payments.Cancel(b.t.Context(), string(p.ID), audit.Act{})
			must(b.t, err)
			return "", string(p.ID)
		},
		method: "POST", path: "/pay", body: `{"txnid":"$B","network":"BASE","token":"USDC"}`,
		query: `mutation { startBasePayment(txnid: "$B", token: USDC) { code message transaction { txnid } } }`,
		field: "startBasePayment", code: 409, says: []string{"ended"},
	},
	{
		name: "start of an expired payment", prepare: func(b *bundle) (string, string) {
			return "", string(b.expire(b.newPayment(b.newMerchant(5))).ID)
		},
		method: "POST", path: "/pay", body: `{"txnid":"$B","network":"BASE","token":"USDC"}`,
		query: `mutation { startBasePayment(txnid: "$B", token: USDC) { code message transaction { txnid } } }`,
		field: "startBasePayment", code: 409, says: []string{"ended"},
	},
	{
		name: "cancel after money was seen", prepare: func(b *bundle) (string, string) {
			p := b.start(b.newPayment(b.newMerchant(5)), chain.Polygon)
			return "", string(b.deposit(p, 5*money.USD, false).ID)
		},
		method: "POST", path: "/cancel-payment", body: `{"txnid":"$B"}`,
		query: `mutation { cancelPayment(txnid: "$B") { code message transaction { txnid } } }`, field: "cancelPayment",
		code: 409, says: []string{"money"},
	},
	{
		name: "other network after money was seen", prepare: func(b *bundle) (string, string) {
			p := b.start(b.newPayment(b.newMerchant(5)), chain.Polygon)
			return "", string(b.deposit(p, 5*money.USD, true).ID)
		},
		method: "POST", path: "/pay", body: `{"txnid":"$B","network":"BASE","token":"USDC"}`,
		query: `mutation { startBasePayment(txnid: "$B", token: USDC) { code message transaction { txnid } } }`,
		field: "startBasePayment", code: 409, says: []string{"money"},
	},
}

// badDetails are malformed details of a new payment.
var badDetails = []badRow{
	{
		name: "reference too long", prepare: withMerchant,
		method: "POST", path: "/create-payment", body: `{"apiKey":"$A","amount":10,"reference":"` + strings.Repeat("x", 129) + `"}`,
		query: `mutation { payment(apiKey: "$A", amount: 10, reference: "` + strings.Repeat("x", 129) + `") { code message transaction { txnid } } }`,
		field: "payment", code: 400, says: []string{"reference", "128"},
	},
	{
		name: "control characters", prepare: withMerchant,
		method: "POST", path: "/create-payment", body: `{"apiKey":"$A","amount":10,"description":"a\u0000b"}`,
		query: `mutation { payment(apiKey: "$A", amount: 10, description: "a\u0000b") { code message transaction { txnid } } }`,
		field: "payment", code: 400, says: []string{"description"},
	},
	{
		name: "writing direction", prepare: withMerchant,
		method: "POST", path: "/create-payment", body: `{"apiKey":"$A","amount":10,"reference":"NL\u202e42"}`,
		query: `mutation { payment(apiKey: "$A", amount: 10, reference: "NL\u202e42") { code message transaction { txnid } } }`,
		field: "payment", code: 400, says: []string{"reference", "invisible"},
	},
	{
		name: "writing direction in metadata", prepare: withMerchant,
		method: "POST", path: "/create-payment", body: `{"apiKey":"$A","amount":10,"metadata":{"no\u00adte":"x\u2067"}}`,
		query: `mutation { payment(apiKey: "$A", amount: 10, metadata: {note: "x\u2067"}) { code message transaction { txnid } } }`,
		field: "payment", code: 400, says: []string{"metadata", "right-to-left isolate", `"note"`},
	},
	{
		name: "half of a character", prepare: withMerchant,
		method: "POST", path: "/create-payment", body: `{"apiKey":"$A","amount":10,"description":"a\ud83dz"}`,
		query: `mutation { payment(apiKey: "$A", amount: 10, description: "a\ud83dz") { code message transaction { txnid } } }`,
		field: "payment", code: 400, says: []string{"description", "lone surrogate"},
	},
	{
		name: "direction of an address", prepare: withMerchant,
		method: "POST", path: "/create-payment", body: `{"apiKey":"$A","amount":10,"successUrl":"https://shop.example/\u2066x"}`,
		query: `mutation { payment(apiKey: "$A", amount: 10, successUrl: "https://shop.example/\u2066x") { code message transaction { txnid } } }`,
		field: "payment", code: 400, says: []string{"successUrl", "invisible"},
	},
	{
		name: "return to a script", prepare: withMerchant,
		method: "POST", path: "/create-payment", body: `{"apiKey":"$A","amount":10,"successUrl":"javascript:alert(1)"}`,
		query: `mutation { payment(apiKey: "$A", amount: 10, successUrl: "javascript:alert(1)") { code message transaction { txnid } } }`,
		field: "payment", code: 400, says: []string{"successUrl"},
	},
	{
		name: "metadata too large", prepare: withMerchant,
		method: "POST", path: "/create-payment", body: `{"apiKey":"$A","amount":10,"metadata":{"a":"` + strings.Repeat("x", 4096) + `"}}`,
		query: `mutation { payment(apiKey: "$A", amount: 10, metadata: {a: "` + strings.Repeat("x", 4096) + `"}) { code message transaction { txnid } } }`,
		field: "payment", code: 400, says: []string{"metadata", "4096 bytes"},
	},
	{
		name: "time too short", prepare: withMerchant,
		method: "POST", path: "/create-payment", body: `{"apiKey":"$A","amount":10,"expiresInMinutes":0}`,
		query: `mutation { payment(apiKey: "$A", amount: 10, expiresInMinutes: 0) { code message transaction { txnid } } }`,
		field: "payment", code: 400, says: []string{"expiresInMinutes"},
	},
}

// badAmounts are malformed amounts of a new payment.
func badAmounts() []badRow {
	var rows []badRow
	for _, amount := range []struct {
		text string
		says []string
	}{
		{"0", []string{"amount", "greater than 0"}},
		{"-1", []string{"amount", "greater than 0"}},
		{"1e400", []string{"amount", "exponent"}},
		{"NaN", []string{"amount"}},
		{`"10,00"`, []string{"amount", "number"}},
		{"0.0000001", []string{"amount", "6 decimal places"}},
		{"1000000.01", []string{"amount", "at most 1000000"}},
		{"0.009", []string{"amount", "at least 0.01"}},
		{"true", []string{"amount", "number"}},
		{"10.0000001", []string{"amount", "6 decimal places"}},
	} {
		rows = append(rows, badRow{
			name: "amount " + amount.text, prepare: withMerchant,
			method: "POST", path: "/create-payment", body: `{"apiKey":"$A","amount":` + amount.text + `}`,
			query: `mutation { payment(apiKey: "$A", amount: ` + amount.text + `) { code message transaction { txnid } } }`,
			field: "payment", code: 400, says: amount.says,
		})
	}
	return append(rows, badRow{
		// REST keeps every digit. GraphQL reads a Float as its shortest decimal form, which here is 10.
		name: "amount of 28 digits", prepare: withMerchant,
		method: "POST", path: "/create-payment", body: `{"apiKey":"$A","amount":10.00000000000000000000000001}`,
		query: `mutation { payment(apiKey: "$A", amount: 10.0000000000001) { code message transaction { txnid } } }`,
		field: "payment", code: 400, says: []string{"amount", "6 decimal places"},
	})
}

// badRow is one kind of bad input, over REST and over GraphQL.
type badRow struct {
	name string
	// prepare returns the values of $A and $B.
	prepare func(b *bundle) (a, second string)
	// method, path and body are the REST request; query and field the
	// GraphQL one.
	method, path, body string
	query, field       string
	code               int
	says               []string // the message must contain each
}

const unknownTxn = "01KJ4Z8Y3T6Q0M5V9B2N7R1XWA"

func withMerchant(b *bundle) (string, string) { return b.newMerchant(5).text, "" }

func TestBadInput(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	rows := slices.Concat(badPayments, badStarts, badDetails, badAmounts(), badDonations())
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			a, second := row.prepare(b)
			fill := strings.NewReplacer("$A", a, "$B", second).Replace
			rest := b.ask(row.method, fill(row.path), fill(row.body))
			if rest.status != row.code || rest.text(t, "code") != strconv.Itoa(row.code) {
				t.Errorf("REST: %d %s, want %d", rest.status, rest.body, row.code)
			}
			if rest.field(t, "transaction") != nil {
				t.Errorf("REST: a refusal gave a transaction: %s", rest.body)
			}
			a, second = row.prepare(b)
			graphQL := b.graphQL(strings.NewReplacer("$A", a, "$B", second).Replace(row.query), "")
			if graphQL.status != 200 || graphQL.text(t, "data."+row.field+".code") != strconv.Itoa(row.code) {
				t.Errorf("GraphQL: %d %s, want %d in the envelope", graphQL.status, graphQL.body, row.code)
			}
			if strings.Contains(graphQL.body, `"errors"`) || !strings.Contains(graphQL.body, `"transaction":null`) {
				t.Errorf("GraphQL: %s", graphQL.body)
			}
			for _, say := range row.says {
				if !strings.Contains(rest.text(t, "message"), say) {
					t.Errorf("REST: message %q does not say %q", rest.text(t, "message"), say)
				}
				if message := graphQL.text(t, "data."+row.field+".message"); !strings.Contains(message, say) {
					t.Errorf("GraphQL: message %q does not say %q", message, say)
				}
			}
		})
	}
}

func (b *bundle) makeCustodian(m seller, wallets map[chain.Network]string) error {
	_, _, err := b.accounts.CreateCustodian(b.t.Context(), m.key, custodianOf(wallets), audit.Act{})
	return err
}
