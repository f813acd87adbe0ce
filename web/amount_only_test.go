package web

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/campaign"
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

// Who gives in dollars to a campaign in dollars gets the same bytes as before there were campaigns in other currencies:
// the file was recorded then.
func TestAmountOnly_Donation(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	c := b.newCampaign(b.newMerchant(50), func(d *campaign.Draft) { d.Slug = "winter-shelter" })
	path := "/donate/" + c.Slug + "/pay"
	var all strings.Builder
	keep := func(name, body string) {
		all.WriteString(name + " " + strings.TrimSpace(varying.ReplaceAllString(body, "…")) + "\n")
	}
	p := b.gift(c, giftOfFive)
	keep("gift", b.ask("POST", path, giftOfFive).body)
	for _, amount := range []string{"0", "-1", `"x"`, `"1.000"`, "1e400", "null", "2000000"} {
		keep("refused "+amount, b.ask("POST", path, `{"amount":`+amount+`,"network":"POLYGON","token":"USDC"}`).body)
	}
	keep("no amount", b.ask("POST", path, `{"network":"POLYGON","token":"USDC"}`).body)
	keep("currency", b.ask("POST", path, `{"amount":5,"currency":"EUR","network":"POLYGON","token":"USDC"}`).body)
	const on = `network: POLYGON, token: USDC`
	const fields = `{ code message transaction { amount status } }`
	keep("graphql", b.graphQL(`mutation { StartDonation(campaignId: "`+c.Slug+`", amount: 5, `+on+`) `+fields+` }`, "").body)
	keep("graphql, no amount", b.graphQL(`mutation { StartDonation(campaignId: "`+c.Slug+`", `+on+`) `+fields+` }`, "").body)
	b.deposit(p, p.Amount, true)
	keep("campaign", b.ask("GET", "/donate/"+c.Slug, "").body)
	const file = "testdata/amount_only_donation.txt"
	if os.Getenv("FLORIN_TEST_RECORD") != "" {
		must(t, os.WriteFile(file, []byte(all.String()), 0o600))
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if got := all.String(); got != string(want) {
		t.Errorf("the answers have changed:\n%s\nwant:\n%s", got, want)
	}
}

// An amount over REST may be a decimal text where that is unambiguous, exact to its last place.
func TestAmountText(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(30)
	c := b.newCampaign(m)
	for text, want := range map[string]money.Micros{
		"12.50": 12_500_000, "5": 5_000_000, "0.01": 10_000, "49.123456": 49_123_456, "999999.99": 999_999_990_000,
		"1000000": 1_000_000_000_000, "0.123": 123_000, "12.5000000": 12_500_000, " 12.50\n": 12_500_000,
		"1000.5": 1_000_500_000,
	} {
		text = string(encoded(t, text))
		got := b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":`+text+`}`)
		p, err := b.payments.Get(t.Context(), got.text(t, "transaction.txnid"))
		must(t, err)
		if p.Amount != want {
			t.Errorf("%s is %s", text, p.Amount)
		}
	}
	if p := b.gift(c, `{"amount":"5.25","network":"POLYGON","token":"USDC"}`); p.Amount != 5_250_000 {
		t.Errorf("a donation of %s", p.Amount)
	}
	for _, text := range []string{
		"12,50", "1,234.50", "1.234,50", "1.000", "12.345", "1.234.567", "1e3", "1E3", "+5", "-5", ".5",
		"5.", "012.50", "0x10",
		"5 USD", "$5", "1 000", "1_000", "NaN", "Infinity", "٥", "５", "five", "12.50.00", "1'000",
		"", "  ", "0", "0.001", "12.1234567",
	} {
		text = string(encoded(t, text))
		got := b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":`+text+`}`)
		if got.status != 400 || !strings.Contains(got.text(t, "message"), "amount") {
			t.Errorf("%s: %d %s", text, got.status, got.start())
		}
	}
	if got := b.graphQL(`mutation { payment(apiKey: "`+m.text+`", amount: "5") { code message } }`, ""); !strings.Contains(
		got.body, `"code":400`,
	) {
		t.Errorf("GraphQL takes a text: %s", got.body)
	}
}

func encoded(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := json.Marshal(text)
	must(t, err)
	return raw
}

// Every amount in openapi.json says that it is a double of 6 places within bounds; a generator would choose a type of 7
// digits otherwise.
func TestOpenAPI_Amounts(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	var document any
	must(t, json.Unmarshal([]byte(b.ask("GET", "/openapi.json", "").body), &document))
	amounts := 0
	var look func(path string, v any)
	look = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			kind, _ := json.Marshal(v["type"])
			if strings.Contains(string(kind), `"number"`) {
				amounts++
				if v["format"] != "double" || v["multipleOf"] != 1e-6 || v["minimum"] == nil || v["maximum"] == nil {
					t.Errorf("%s is %v", path, v)
				}
				asked := strings.HasSuffix(path, "Request/properties/amount")
				if asked && (v["minimum"] != 0.01 || v["maximum"] != 1e6) {
					t.Errorf("%s does not have the bounds of the server: %v", path, v)
				}
			}
			for name, each := range v {
				look(path+"/"+name, each)
			}
		case []any:
			for _, each := range v {
				look(path, each)
			}
		}
	}
	look("", document)
	if amounts < 15 {
		t.Errorf("only %d amounts", amounts)
	}
}
