package web

import (
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/recharge"
)

// scenario is one request and what its answer must and must not hold.
type scenario struct {
	name               string
	method, path, body string
	header             []string
	status             int
	want, not          []string
}

func (b *bundle) run(t *testing.T, rows []scenario) {
	t.Helper()
	for _, row := range rows {
		got := b.ask(row.method, row.path, row.body, row.header...)
		if got.status != row.status {
			t.Errorf("%s: %d %s, want %d", row.name, got.status, got.start(), row.status)
		}
		for _, want := range row.want {
			if !strings.Contains(got.body, want) {
				t.Errorf("%s: %s is not in %s", row.name, want, got.start())
			}
		}
		for _, not := range row.not {
			if strings.Contains(got.body, not) {
				t.Errorf("%s: %s is in %s", row.name, not, got.start())
			}
		}
	}
}

var (
	ulidForm = regexp.MustCompile(`^[0-7][0-9A-HJKMNP-TV-Z]{25}$`)
	timeForm = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
)

func TestCreatePayment(t *testing.T) { onEach(t, checkCreatePayment) }

func checkCreatePayment(t *testing.T, b *bundle) {
	m := b.newMerchant(5)
	rest := b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":12.345678}`)
	graphQL := b.graphQL(`mutation($k: String!, $a: Float!) { payment(apiKey: $k, amount: $a) {
		code message paymentLink transaction { txnid amount status createdAt expiresAt } } }`, `{"k":"`+m.text+`","a":12.345678}`)
	for surface, r := range map[string]struct {
		reply
		at string
	}{"REST": {rest, ""}, "GraphQL": {graphQL, "data.payment."}} {
		txnid := r.text(t, r.at+"transaction.txnid")
		if r.status != 200 || !ulidForm.MatchString(txnid) {
			t.Fatalf("%s: %d %s", surface, r.status, r.body)
		}
		for path, want := range map[string]string{
			"code": "200", "message": "created successfully", "paymentLink": testBaseURL + "/pay?txnid=" + txnid,
			"transaction.amount": "12.345678", "transaction.status": "PENDING",
		} {
			if got := r.text(t, r.at+path); got != want {
				t.Errorf("%s: %s is %s, want %s", surface, path, got, want)
			}
		}
		created, expires := r.text(t, r.at+"transaction.createdAt"), r.text(t, r.at+"transaction.expiresAt")
		if !timeForm.MatchString(created) || !timeForm.MatchString(expires) || created >= expires {
			t.Errorf("%s: created %s, expires %s", surface, created, expires)
		}
		if fields := r.field(t, r.at+"transaction").(map[string]any); len(fields) != 5 {
			t.Errorf("%s: payment returns exactly five fields of the transaction, not %v", surface, fields)
		}
	}
	if left := b.balance(m); left != 5 {
		t.Errorf("creating a payment took credits: %d left", left)
	}
}

const everyField = `txnid amount amountInToken token network status wallet { address } countdown hash blockchainLink
	isExpired expiresAt createdAt receivedAmount reference metadata paymentUri confirmations requiredConfirmations`

// The same transaction, read and written over both surfaces through its life.
func TestTransactionThroughItsLife(t *testing.T) { onEach(t, checkTransactionThroughItsLife) }

func checkTransactionThroughItsLife(t *testing.T, b *bundle) {
	m := b.newMerchant(5)
	p := b.newPayment(m)
	check := func(step string, want map[string]string) {
		t.Helper()
		rest := b.ask("GET", "/orders/"+string(p.ID), "")
		graphQL := b.graphQL(`{ getTxnDetails(txnid: "`+string(p.ID)+`") { code message transaction { `+everyField+` } } }`, "")
		if again := b.ask("GET", "/txn/"+string(p.ID), ""); again.body != rest.body {
			t.Errorf("%s: /txn says %s, /orders %s", step, again.body, rest.body)
		}
		for path, value := range want {
			if got := rest.text(t, "transaction."+path); got != value {
				t.Errorf("%s, REST: %s is %s, want %s", step, path, got, value)
			}
			if got := graphQL.text(t, "data.getTxnDetails.transaction."+path); got != value {
				t.Errorf("%s, GraphQL: %s is %s, want %s", step, path, got, value)
			}
		}
	}
	check("created", map[string]string{
		"txnid": string(p.ID), "amount": "49.9", "amountInToken": "49.9", "token": "null", "network": "null", "status": "PENDING",
		"wallet": "null", "countdown": "3600", "hash": "null", "blockchainLink": "null", "isExpired": "false",
		"receivedAmount": "0", "reference": "NL-1042", "metadata": "null", "paymentUri": "null", "confirmations": "null",
	})
	b.clock.advance(40 * time.Minute)
	started := b.ask("POST", "/pay", `{"txnid":"`+string(p.ID)+`","network":"POLYGON","token":"USDC"}`)
	address := started.text(t, "transaction.wallet.address")
	if started.status != 200 || !strings.HasPrefix(address, "0x") {
		t.Fatalf("start: %d %s", started.status, started.body)
	}
	uri := "ethereum:0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359@137/transfer?address=" + address + "&uint256=49900000"
	check("started", map[string]string{
		"status": "STARTED", "network": "POLYGON", "token": "USDC", "wallet.address": address, "countdown": "1800", "paymentUri": uri,
	})
	again := b.graphQL(`mutation { startPolygonPayment(txnid: "`+string(p.ID)+`", token: USDC) { code transaction { wallet { address } } } }`, "")
	if got := again.text(t, "data.startPolygonPayment.transaction.wallet.address"); got != address || b.balance(m) != 4 {
		t.Errorf("starting again gave %s and left %d credits", got, b.balance(m))
	}
	stored, err := b.payments.Get(t.Context(), string(p.ID))
	must(t, err)
	stored = b.deposit(stored, 20*money.USD, true)
	check("short", map[string]string{
		"status": "STARTED", "receivedAmount": "20", "hash": string(stored.Hash), "confirmations": "11", "requiredConfirmations": "11",
		"blockchainLink": "https://polygonscan.com/tx/" + string(stored.Hash),
		"paymentUri":     strings.Replace(uri, "49900000", "29900000", 1),
	})
	stored = b.deposit(stored, 30*money.USD, false)
	check("seen", map[string]string{"status": "STARTED", "receivedAmount": "20", "paymentUri": "null", "hash": string(stored.Hash)})
	stored = b.deposit(stored, 30*money.USD, true)
	check("paid", map[string]string{
		"status": "COMPLETED", "countdown": "0", "isExpired": "false", "hash": string(stored.Hash), "paymentUri": "null", "wallet.address": address,
	})
	expired := b.newPayment(m)
	b.ask("POST", "/pay", `{"txnid":"`+string(expired.ID)+`","network":"POLYGON","token":"USDC"}`)
	expired, err = b.payments.Get(t.Context(), string(expired.ID))
	must(t, err)
	p = b.expire(expired)
	check("expired", map[string]string{"status": "EXPIRED", "isExpired": "true", "countdown": "0", "network": "POLYGON", "paymentUri": "null"})
}

func TestPayInThreeWays(t *testing.T) { onEach(t, checkPayInThreeWays) }

func checkPayInThreeWays(t *testing.T, b *bundle) {
	m, other := b.newMerchant(20), b.newMerchant(20)
	for name, row := range map[string]struct {
		body   string
		header []string
	}{
		"public":            {`{"txnid":"$","network":"BEP20","token":"USDT"}`, nil},
		"key in the body":   {`{"apiKey":"` + m.text + `","txnid":"$","network":"BEP20","token":"USDT"}`, nil},
		"bearer":            {`{"txnid":"$","network":"BEP20","token":"USDT"}`, []string{"Authorization", "Bearer " + m.text}},
		"x-api-key":         {`{"txnid":"$","network":"BEP20","token":"USDT"}`, []string{"x-api-key", m.text}},
		"api-key":           {`{"txnid":"$","network":"BEP20","token":"USDT"}`, []string{"api-key", m.text}},
		"body before a bad": {`{"apiKey":"` + m.text + `","txnid":"$","network":"BEP20","token":"USDT"}`, []string{"x-api-key", "flk_bad"}},
	} {
		before := b.balance(m)
		got := b.ask("POST", "/pay", strings.Replace(row.body, "$", string(b.newPayment(m).ID), 1), row.header...)
		if got.status != 200 || got.text(t, "transaction.status") != "STARTED" || b.balance(m) != before-1 {
			t.Errorf("%s: %d %s, %d credits before, %d after", name, got.status, got.body, before, b.balance(m))
		}
		theirs := b.ask("POST", "/pay", strings.Replace(row.body, "$", string(b.newPayment(other).ID), 1), row.header...)
		want := 404
		if name == "public" {
			want = 200
		}
		if theirs.status != want {
			t.Errorf("%s, payment of another: %d %s", name, theirs.status, theirs.body)
		}
	}
}

func TestRESTRequests(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(50)
	key := func(rest string) string { return `{"apiKey":"` + m.text + `",` + rest + `}` }
	b.run(t, []scenario{
		{name: "no body", method: "POST", path: "/create-payment", header: []string{"Content-Type", "application/json"}, status: 400, want: []string{"empty"}},
		{name: "no key", method: "POST", path: "/create-payment", body: `{"amount":1}`, status: 401, want: []string{`"code":401`, `"paymentLink":null`}},
		{name: "key null", method: "POST", path: "/create-payment", body: `{"apiKey":null,"amount":1}`, status: 401},
		{name: "key of a wrong type", method: "POST", path: "/create-payment", body: `{"apiKey":7,"amount":1}`, status: 400, want: []string{"apiKey"}},
		{name: "key in a header", method: "POST", path: "/create-payment", body: `{"amount":1}`, header: []string{"x-api-key", m.text}, status: 200},
		{name: "key as api-key", method: "POST", path: "/create-payment", body: `{"amount":1}`, header: []string{"api-key", m.text}, status: 200},
		{name: "key as bearer", method: "POST", path: "/create-payment", body: `{"amount":1}`, header: []string{"Authorization", "bearer " + m.text}, status: 200},
		{name: "amount missing", method: "POST", path: "/create-payment", body: key(`"x":1`), status: 400, want: []string{"amount is required"}},
		{name: "amount null", method: "POST", path: "/create-payment", body: key(`"amount":null`), status: 400, want: []string{"amount"}},
		{name: "unknown fields are ignored", method: "POST", path: "/create-payment", body: key(`"amount":1,"more":{"x":[1]}`), status: 200},
		{name: "the last of two counts", method: "POST", path: "/create-payment", body: key(`"amount":1,"amount":2`), status: 200, want: []string{`"amount":2,`}},
		{name: "trailing garbage", method: "POST", path: "/create-payment", body: key(`"amount":1`) + "x", status: 400},
		{name: "two objects", method: "POST", path: "/create-payment", body: key(`"amount":1`) + "{}", status: 400},
		{name: "an array", method: "POST", path: "/create-payment", body: `[1]`, status: 400, want: []string{"object"}},
		{name: "null", method: "POST", path: "/create-payment", body: `null`, status: 400, want: []string{"object"}},
		{name: "not UTF-8", method: "POST", path: "/create-payment", body: key(`"amount":1,"reference":"` + "\xff" + `"`), status: 400, want: []string{"UTF-8"}},
		{name: "unicode", method: "POST", path: "/create-payment", body: key(`"amount":1,"reference":"Ünïcødé 支付 🧾"`), status: 200},
		{name: "reference of a wrong type", method: "POST", path: "/create-payment", body: key(`"amount":1,"reference":5`), status: 400, want: []string{"reference"}},
		{name: "minutes of a wrong type", method: "POST", path: "/create-payment", body: key(`"amount":1,"expiresInMinutes":"5"`), status: 400, want: []string{"expiresInMinutes"}},
		{name: "too large", method: "POST", path: "/create-payment", body: key(`"amount":1,"x":"` + strings.Repeat("a", 64<<10) + `"`), status: 413, want: []string{`"code":413`, "65536"}},
		{name: "GraphQL too large", method: "POST", path: "/graphql", body: `{"query":"{ __typename }","x":"` + strings.Repeat("a", 64<<10) + `"}`, status: 413, want: []string{`"errors":[`}},
		{name: "a form", method: "POST", path: "/create-payment", body: "amount=1", header: []string{"Content-Type", "application/x-www-form-urlencoded"}, status: 415, want: []string{`"code":415`}},
		{name: "a text", method: "POST", path: "/graphql", body: `{"query":"{ __typename }"}`, header: []string{"Content-Type", "text/plain"}, status: 415},
		{name: "no such route", method: "GET", path: "/nothing", status: 404, want: []string{`"code":404`}},
		{name: "wrong method", method: "GET", path: "/create-payment", status: 405, want: []string{`"code":405`}},
		{name: "GraphQL by GET", method: "GET", path: "/graphql?query={__typename}", status: 405},
		{name: "network missing", method: "POST", path: "/pay", body: `{"txnid":"` + unknownTxn + `"}`, status: 400, want: []string{"network"}},
		{name: "network unknown", method: "POST", path: "/pay", body: `{"txnid":"` + unknownTxn + `","network":"DOGE","token":"USDT"}`, status: 400, want: []string{"network"}},
		{name: "token missing", method: "POST", path: "/pay", body: `{"txnid":"` + unknownTxn + `","network":"BASE"}`, status: 400, want: []string{"token"}},
		{name: "token unknown", method: "POST", path: "/pay", body: `{"txnid":"` + unknownTxn + `","network":"BASE","token":"DAI"}`, status: 400, want: []string{"token"}},
		{name: "txnid missing", method: "POST", path: "/pay", body: `{"network":"BASE","token":"USDC"}`, status: 400, want: []string{"txnid"}},
	})
}

func TestUnavailableNetwork(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	p := b.newPayment(m)
	b.networks.fallBehind(chain.Base)
	got := b.ask("POST", "/pay", `{"txnid":"`+string(p.ID)+`","network":"BASE","token":"USDC"}`)
	if got.status != 503 || got.header.Get("Retry-After") == "" || b.balance(m) != 5 {
		t.Errorf("%d %s, Retry-After %q, %d credits", got.status, got.body, got.header.Get("Retry-After"), b.balance(m))
	}
	if read := b.ask("GET", "/orders/"+string(p.ID), ""); read.text(t, "transaction.status") != "PENDING" {
		t.Errorf("the payment was touched: %s", read.body)
	}
	if health := b.ask("GET", "/health", ""); health.status != 200 || health.text(t, "status") != "degraded" || health.text(t, "networks.BASE.status") != "degraded" {
		t.Errorf("health: %d %s", health.status, health.body)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	got := b.ask("GET", "/health", "")
	for path, want := range map[string]string{
		"status": "ok", "database": "ok", "version": "test", "networks.BEP20.status": "ok", "networks.BEP20.head": "1010",
		"networks.POLYGON.final": "1000", "networks.BASE.lagSeconds": "2", "networks.SOL.status": "off",
		"rechargeApiKey.status": "off",
	} {
		if value := got.text(t, path); value != want {
			t.Errorf("%s is %s, want %s", path, value, want)
		}
	}
	if !strings.Contains(got.text(t, "rechargeApiKey.reason"), "treasury") {
		t.Errorf("it is not said why nothing is sold: %s", got.body)
	}
	for ready, want := range map[error]string{nil: "ok", fault.New(fault.Unavailable, "BEP20 is behind"): "degraded"} {
		b.recharges.Service = recharge.New(b.store, &recharge.Network{Treasury: merchantWallet, Ready: func() error { return ready }}, b.clock.Now, slog.New(slog.DiscardHandler))
		got := b.ask("GET", "/health", "")
		if got.text(t, "rechargeApiKey.status") != want || (got.text(t, "rechargeApiKey.reason") == "") != (ready == nil) || got.text(t, "status") != "ok" {
			t.Errorf("with %v: %s", ready, got.body)
		}
	}
	must(t, b.store.Close())
	time.Sleep(pingKept + 50*time.Millisecond)
	if got := b.ask("GET", "/health", ""); got.status != 503 || got.text(t, "status") != "down" || got.text(t, "database") != "down" {
		t.Errorf("without a database: %d %s", got.status, got.body)
	}
}

func TestCredits(t *testing.T) { onEach(t, checkCredits) }

func checkCredits(t *testing.T, b *bundle) {
	m := b.newMerchant(7)
	credits := b.graphQL(`query($k: String!) { getCreditsLeft(apiKey: $k) { code message creditsLeft apiKey { key wallet creditsLeft userId createdAt custodian { id name } } } }`, `{"k":"`+m.text+`"}`)
	for path, want := range map[string]string{
		"code": "200", "message": "OK", "creditsLeft": "7", "apiKey.key": m.text, "apiKey.wallet": merchantWallet, "apiKey.creditsLeft": "7",
		"apiKey.userId": m.key.UserPublic, "apiKey.custodian.name": "Nordlicht",
	} {
		if got := credits.text(t, "data.getCreditsLeft."+path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	queries := b.graphQL(`query($k: String!) { getQueriesLeft(apiKey: $k) { code message queriesLeft apiKey { id key firstName lastName email wallet queriesLeft createdAt } } }`, `{"k":"`+m.text+`"}`)
	for path, want := range map[string]string{
		"code": "200", "message": "OK", "queriesLeft": "5", "apiKey.id": m.key.PublicID, "apiKey.firstName": "Ada", "apiKey.lastName": "Byron", "apiKey.queriesLeft": "5",
	} {
		if got := queries.text(t, "data.getQueriesLeft."+path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	none := b.newKey(0, 0)
	if got := b.graphQL(`{ getCreditsLeft(apiKey: "`+none.text+`") { code creditsLeft apiKey { custodian { id } } } }`, ""); got.text(t, "data.getCreditsLeft.apiKey.custodian") != "null" {
		t.Errorf("a key without a custodian: %s", got.body)
	}
}

const custodianFields = `code message custodian { id apiKey name wallets { bep20 polygon base solana } callbackUrl createdAt signingSecret
	networks { network enabled tokens minAmount maxAmount finality } branding { tagline primaryColor theme } } apiKey { key creditsLeft }`

func TestCustodian(t *testing.T) { onEach(t, checkCustodian) }

func checkCustodian(t *testing.T, b *bundle) {
	m := b.newKey(10, 0)
	create := `mutation($i: CustodianCreateInput!) { createCustodianAccount(input: $i) { ` + custodianFields + ` } }`
	update := `mutation($i: CustodianUpdateInput!) { updateCustodianDetails(input: $i) { ` + custodianFields + ` } }`
	input := func(rest string) string { return `{"i":{"apiKey":"` + m.text + `"` + rest + `}}` }

	for name, rest := range map[string]string{
		"callback without https":  `,"callbackUrl":"http://shop.example/hook"`,
		"wallet that is none":     `,"wallets":{"bep20":"0x12"}`,
		"wallet with a bad sum":   `,"wallets":{"bep20":"0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed"}`,
		"wallet of a token":       `,"wallets":{"polygon":"0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"}`,
		"colour that is none":     `,"branding":{"primaryColor":"reddish"}`,
		"amount with seven digit": `,"networks":[{"network":"BASE","minAmount":0.0000001}]`,
		"amount as a text":        `,"networks":[{"network":"BASE","minAmount":"1"}]`,
		"network twice":           `,"networks":[{"network":"BASE"},{"network":"BASE"}]`,
	} {
		got := b.graphQL(create, input(rest))
		if got.text(t, "data.createCustodianAccount.code") != "400" || got.field(t, "data.createCustodianAccount.custodian") != nil || b.balance(m) != 10 {
			t.Errorf("%s: %s", name, got.body)
		}
	}
	made := b.graphQL(create, input(`,"name":"Nordlicht","wallets":{"bep20":"`+merchantWallet+`","solana":"`+solanaWallet+`"},
		"callbackUrl":"https://shop.example/hook","secret":"s3cret-canary","networks":{"network":"BASE","minAmount":0.1,"tokens":["USDC"],"finality":"12s"},
		"branding":{"tagline":"Roasted in Tromsø","primaryColor":"#1a2b3c","theme":"DARK"}`))
	for path, want := range map[string]string{
		"code": "200", "custodian.name": "Nordlicht", "custodian.apiKey": m.text, "custodian.wallets.bep20": merchantWallet, "custodian.wallets.polygon": "null",
		"custodian.wallets.solana": solanaWallet, "custodian.callbackUrl": "https://shop.example/hook", "custodian.branding.theme": "DARK",
		"apiKey.key": m.text, "apiKey.creditsLeft": "9",
	} {
		if got := made.text(t, "data.createCustodianAccount."+path); got != want {
			t.Errorf("create: %s is %s, want %s", path, got, want)
		}
	}
	if !strings.HasPrefix(made.text(t, "data.createCustodianAccount.custodian.signingSecret"), "whsec_") || strings.Contains(made.body, "s3cret-canary") {
		t.Errorf("secrets: %s", made.body)
	}
	if !strings.Contains(made.body, `{"network":"BASE","enabled":true,"tokens":["USDC"],"minAmount":0.1,"maxAmount":null,"finality":"12s"}`) {
		t.Errorf("networks: %s", made.body)
	}
	if got := b.graphQL(create, input("")); got.text(t, "data.createCustodianAccount.code") != "409" || b.balance(m) != 9 {
		t.Errorf("second create: %s, %d credits", got.body, b.balance(m))
	}
	changed := b.graphQL(update, input(`,"wallets":{"polygon":"`+merchantWallet+`","bep20":null,"solana":""},"name":null`))
	for path, want := range map[string]string{
		"code": "200", "custodian.name": "Nordlicht", "custodian.wallets.bep20": merchantWallet, "custodian.wallets.polygon": merchantWallet,
		"custodian.wallets.solana": "null", "custodian.signingSecret": "null", "apiKey.creditsLeft": "8",
	} {
		if got := changed.text(t, "data.updateCustodianDetails."+path); got != want {
			t.Errorf("update: %s is %s, want %s", path, got, want)
		}
	}
	poor := b.newKey(0, 0)
	if got := b.graphQL(create, `{"i":{"apiKey":"`+poor.text+`"}}`); got.text(t, "data.createCustodianAccount.code") != "402" {
		t.Errorf("without credits: %s", got.body)
	}
	if got := b.graphQL(update, `{"i":{"apiKey":"`+b.newKey(5, 0).text+`"}}`); got.text(t, "data.updateCustodianDetails.code") != "409" {
		t.Errorf("update without custodian: %s", got.body)
	}
}

func TestIdempotency(t *testing.T) { onEach(t, checkIdempotency) }

func checkIdempotency(t *testing.T, b *bundle) {
	m, other := b.newMerchant(5), b.newMerchant(5)
	body := `{"apiKey":"` + m.text + `","amount":5}`
	first := b.ask("POST", "/create-payment", body, "Idempotency-Key", `"order-1"`)
	again := b.ask("POST", "/create-payment", body, "Idempotency-Key", "order-1")
	if first.status != 200 || again.body != first.body || again.status != 200 || again.header.Get("Idempotent-Replayed") != "true" {
		t.Fatalf("replay: %s\n%s", first.body, again.body)
	}
	b.run(t, []scenario{
		{name: "other body", method: "POST", path: "/create-payment", body: `{"apiKey":"` + m.text + `","amount":6}`, header: []string{"Idempotency-Key", "order-1"}, status: 422},
		{name: "other route", method: "POST", path: "/pay", body: body, header: []string{"Idempotency-Key", "order-1"}, status: 400},
		{name: "too long", method: "POST", path: "/create-payment", body: body, header: []string{"Idempotency-Key", strings.Repeat("k", 256)}, status: 400, want: []string{"Idempotency-Key"}},
		{name: "longest", method: "POST", path: "/create-payment", body: body, header: []string{"Idempotency-Key", strings.Repeat("k", 255)}, status: 200},
		{name: "empty in quotes", method: "POST", path: "/create-payment", body: body, header: []string{"Idempotency-Key", `""`}, status: 400},
		{name: "other key", method: "POST", path: "/create-payment", body: `{"apiKey":"` + other.text + `","amount":5}`, header: []string{"Idempotency-Key", "order-1"}, status: 200, not: []string{first.text(t, "transaction.txnid")}},
	})
	query := `mutation { payment(apiKey: "` + m.text + `", amount: 7) { code message paymentLink transaction { txnid } } }`
	one := b.graphQL(query, "", "Idempotency-Key", "order-2")
	two := b.graphQL(query, "", "Idempotency-Key", "order-2")
	if one.status != 200 || one.body != two.body || two.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("GraphQL: %s\n%s", one.body, two.body)
	}
	if got := b.graphQL(strings.Replace(query, "amount: 7", "amount: 8", 1), "", "Idempotency-Key", "order-2"); got.text(t, "data.payment.code") != "422" {
		t.Errorf("GraphQL, other body: %s", got.body)
	}
	double := strings.Replace(query, "payment(", "again: payment(", 1)
	double = strings.Replace(query, "mutation { ", "mutation { "+strings.TrimSuffix(strings.TrimPrefix(double, "mutation { "), " }")+" ", 1)
	if got := b.graphQL(double, "", "Idempotency-Key", "order-3"); !strings.Contains(got.body, `"errors"`) {
		t.Errorf("two mutations under one key: %s", got.body)
	}
	// A refusal is an answer too; what was only a fault of the moment is not.
	p := b.newPayment(m)
	start := `{"txnid":"` + string(p.ID) + `","network":"BASE","token":"USDC"}`
	b.networks.fallBehind(chain.Base)
	b.run(t, []scenario{
		{name: "unavailable", method: "POST", path: "/pay", body: start, header: []string{"Idempotency-Key", "s"}, status: 503},
		{name: "other network under the payer's key", method: "POST", path: "/pay", body: strings.Replace(start, "BASE", "POLYGON", 1), header: []string{"Idempotency-Key", "s"}, status: 422},
		{name: "cancel", method: "POST", path: "/cancel-payment", body: `{"txnid":"` + string(p.ID) + `"}`, header: []string{"Idempotency-Key", "c"}, status: 200, want: []string{"CANCELLED"}},
		{name: "cancel again", method: "POST", path: "/cancel-payment", body: `{"txnid":"` + string(p.ID) + `"}`, header: []string{"Idempotency-Key", "c"}, status: 200, want: []string{"CANCELLED"}},
		{name: "cancel without a key", method: "POST", path: "/cancel-payment", body: `{"txnid":"` + string(p.ID) + `"}`, status: 409},
	})
}

// Many at once under one key make one payment.
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

func TestParallelStartsAgainstTheLastCredits(t *testing.T) {
	onEach(t, checkParallelStartsAgainstTheLastCredits)
}

func checkParallelStartsAgainstTheLastCredits(t *testing.T, b *bundle) {
	m := b.newMerchant(5)
	const n = 20
	var ids []string
	for range n {
		ids = append(ids, string(b.newPayment(m).ID))
	}
	replies := make(chan reply, n)
	for _, id := range ids {
		go func() {
			replies <- b.ask("POST", "/pay", fmt.Sprintf(`{"txnid":%q,"network":"BASE","token":"USDC"}`, id))
		}()
	}
	got := map[int]int{}
	for range n {
		got[(<-replies).status]++
	}
	if got[200] != 5 || got[402] != n-5 || b.balance(m) != 0 {
		t.Errorf("answers %v, %d credits left", got, b.balance(m))
	}
}
