package web

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// varying are the parts of an answer that no two payments share.
var varying = regexp.MustCompile(`[0-9A-HJKMNP-TV-Z]{26}|\d{4}-\d\d-\d\dT[0-9:.]+Z|0x[0-9a-fA-F]{40,64}|flk_\w+|"countdown":\d+`)

// Who sends only an amount in dollars gets the same bytes as before there were prices in other currencies: the file was
// recorded then. What events tell of their custodian came later.
func TestAmountOnly(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(50)
	var all strings.Builder
	keep := func(name, body string) {
		all.WriteString(name + " " + strings.TrimSpace(varying.ReplaceAllString(body, "…")) + "\n")
	}
	key := []string{"api-key", m.text}
	created := b.ask("POST", "/create-payment", `{"amount":12.50,"reference":"A-1","metadata":{"a":"b"}}`, key...)
	keep("create", created.body)
	keep("currency", b.ask("POST", "/create-payment", `{"amount":12.50,"currency":"USD"}`, key...).body)
	for _, amount := range []string{"0", "-1", `"x"`, `"1.000"`, "1e400", "0.0000001", "null", "2000000"} {
		keep("refused "+amount, b.ask("POST", "/create-payment", `{"amount":`+amount+`}`, key...).body)
	}
	keep("no amount", b.ask("POST", "/create-payment", `{}`, key...).body)
	const fields = `{ code message reason paymentLink transaction { txnid amount status createdAt expiresAt } }`
	keep("graphql", b.graphQL(`mutation { payment(apiKey: "`+m.text+`", amount: 12.5) `+fields+` }`, "").body)
	keep("variable", b.graphQL(`mutation($a: Float!) { payment(apiKey: "`+m.text+`", amount: $a) `+fields+` }`, `{"a":12.5}`).body)
	p := b.deposit(b.start(b.newPayment(m), chain.Polygon), 50*money.USD, true)
	keep("order", b.ask("GET", "/orders/"+string(p.ID), "").body)
	keep("orders", b.ask("GET", "/orders?first=1", "", key...).body)
	events, err := b.payments.Events(t.Context(), p.ID)
	must(t, err)
	for _, e := range events {
		keep(string(e.Type), string(e.Data))
	}
	keep("events", b.ask("GET", "/events", "", key...).body)
	raw, err := json.Marshal(payment.WebhookBody{})
	must(t, err)
	keep("webhook", string(raw))
	b.keepContract(m, keep)
	const file = "testdata/amount_only.txt"
	if os.Getenv("FLORIN_TEST_RECORD") != "" {
		must(t, os.WriteFile(file, []byte(all.String()), 0o600))
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if got := all.String(); got != string(want) {
		t.Errorf("the answers have changed:\n%s\nwant:\n%s", got, want)
	}
}

// keepContract keeps what the operations of the contract answer to a client that knows nothing else.
func (b *bundle) keepContract(m seller, keep func(name, body string)) {
	b.t.Helper()
	open := string(b.newPaymentOf(m, "5").ID)
	on := func(id string) string { return `{"txnid":"` + id + `","network":"BASE","token":"USDT"}` }
	for _, x := range [][3]string{
		{"POST", "/pay", on(open)},
		{"POST", "/pay", on(open)},
		{"POST", "/pay", on(unknownTxn)},
		{"POST", "/pay", "{}"},
		{"GET", "/txn/" + open, ""},
		{"GET", "/orders/" + open, ""},
		{"GET", "/orders/" + unknownTxn, ""},
		{"POST", "/cancel-payment", `{"txnid":"` + open + `"}`},
		{"POST", "/cancel-payment", `{"txnid":"` + open + `"}`},
		{"POST", "/cancel-payment", `{}`},
		{"POST", "/create-payment", `{"apiKey":"no","amount":5}`},
		{"GET", "/orders", ""},
		{"GET", "/events", ""},
		{"GET", "/donate/none", ""},
	} {
		keep(varying.ReplaceAllString(x[0]+" "+x[1], "…"), b.ask(x[0], x[1], x[2]).body)
	}
	key := `apiKey: "` + m.text + `"`
	for _, document := range []string{
		"{ getCreditsLeft(" + key + ") { code message creditsLeft apiKey { creditsLeft custodian { name } } } }",
		"{ getQueriesLeft(" + key + ") { code message queriesLeft apiKey { firstName lastName queriesLeft } } }",
		`{ getTxnDetails(txnid: "` + open + `") { code message transaction { ` + contractFields + ` } } }`,
		"{ getTransactions(" + key + ", status: CANCELLED) { code message transactions { " + contractFields + " } } }",
		"{ checkAdminUntransferred(" + key + ", network: BASE) { code message transactions { txnid } } }",
		"mutation { cancelPayment(txnid: \"" + open + "\") { code message transaction { status } } }",
		"mutation { manualMarkAsCompleted(" + key + ", txnid: \"" + open + "\") { code message success } }",
		"mutation { createCustodianAccount(input: {" + key + "}) { code message custodian { callbackUrl } } }",
		"mutation { updateCustodianDetails(input: {" + key + ", name: \"N\"}) { code custodian { callbackUrl } } }",
	} {
		_, name, _ := strings.Cut(document, "{ ")
		name, _, _ = strings.Cut(name, "(")
		keep(name, b.graphQL(document, "").body)
	}
}

const contractFields = `amount amountInToken token network status wallet { address } countdown hash blockchainLink`
