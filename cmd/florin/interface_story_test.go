package main_test

import (
	"fmt"
	"net/http"
	"strings"
	"syscall"
)

const (
	treasuryWallet = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"
	// ownWallet is the wallet registered on the keys, and its private key: the first of the well-known mnemonic of
	// development chains.
	ownWallet     = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
	ownPrivateKey = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
	unknownTxnid  = "01KJ4Z8Y3T6Q0M5V9B2N7R1XWA"
)

const (
	created  = "code message paymentLink transaction { txnid amount status createdAt expiresAt }"
	detailed = `code message transaction { txnid amount amountInToken token network status wallet { address } countdown hash
		blockchainLink isExpired expiresAt createdAt }`
	listed = `code message transactions { txnid amount amountInToken token network status wallet { address } hash blockchainLink
		isExpired expiresAt createdAt } apiKey { creditsLeft }`
	untransferred   = "code message transactions { txnid amount network status wallet { address } hash createdAt }"
	optionFields    = "networks { network enabled tokens minAmount } branding { tagline primaryColor logoUrl }"
	custodianFields = "code message custodian { id apiKey name wallets { bep20 polygon base solana } callbackUrl createdAt " + optionFields + " } apiKey { key creditsLeft }"
	updatedFields   = "code message custodian { id name wallets { bep20 polygon base solana } callbackUrl createdAt " + optionFields + " } apiKey { key creditsLeft }"
	creditFields    = "code message creditsLeft apiKey { key wallet creditsLeft userId createdAt custodian { id name } }"
	queryFields     = "code message queriesLeft apiKey { id key firstName lastName email wallet queriesLeft createdAt }"
	revokeFields    = "code message newApiKey apiKey { key wallet creditsLeft }"
)

// run is the whole scenario: a merchant sets up, gets payments, misses some, reads, and stops.
func (w *witness) run() {
	w.awaitNetworks()
	w.beginning()
	w.options()
	w.payments()
	w.giving()
	w.looking()
	w.long()
	w.broken()
	w.settled()
	w.without()
	w.silent()
	w.topUp()
	w.secondFactor()
	w.recharge()
	w.ending()
	w.again()
	w.elsewhere()
	status, log := w.stop(w.t, syscall.SIGTERM)
	w.log, w.exit = log, status
}

// awaitNetworks waits until every network of the shop is offered.
func (w *witness) awaitNetworks() {
	w.t.Helper()
	eventually(w.t, "networks", func() bool { return w.ask(http.MethodGet, "/health", "").body["status"] == "ok" })
	health := w.rest("health", "", "GET", "/health", "")
	// The disk of the machine that runs the tests may be nearly full; there is nothing else to see to.
	alerts, _ := health.body["alerts"].([]any)
	if len(alerts) == 1 && strings.Contains(fmt.Sprint(alerts[0]), "kind:disk_low") {
		delete(health.body, "alerts")
	}
}

func (w *witness) beginning() {
	bare := w.newKey()
	w.bare = bare
	w.gql("no custodian", bare, "mutation", fmt.Sprintf(`payment(apiKey: %q, amount: 10)`, bare), created)
	w.gql("credits of a bare key", bare, "query", fmt.Sprintf(`getCreditsLeft(apiKey: %q)`, bare), creditFields)
	input := fmt.Sprintf(
		`input: {apiKey: %q, name: "First", callbackUrl: %q, secret: "s", wallets: {bep20: %q, polygon: %q},
		networks: [{network: BASE, enabled: false}], branding: {tagline: "Roasted here", primaryColor: "#1a2b3c", logoUrl: "https://shop.example/l.png"}}`,
		bare,
		w.receiver.URL,
		settlementWallet,
		settlementWallet,
	)
	w.gql("createCustodianAccount", bare, "mutation", "createCustodianAccount("+input+")", custodianFields)
	w.gql("second custodian", bare, "mutation", "createCustodianAccount("+input+")", custodianFields)
	w.gql(
		"updateCustodianDetails", bare, "mutation",
		fmt.Sprintf(`updateCustodianDetails(input: {apiKey: %q, name: "Second"})`, bare), updatedFields,
	)
	w.gql(
		"update one wallet", bare, "mutation",
		fmt.Sprintf(`updateCustodianDetails(input: {apiKey: %q, wallets: {base: %q}})`, bare, settlementWallet),
		updatedFields,
	)
	w.gql("getCreditsLeft", bare, "query", fmt.Sprintf(`getCreditsLeft(apiKey: %q)`, bare), creditFields)
	w.gql("getQueriesLeft", bare, "query", fmt.Sprintf(`getQueriesLeft(apiKey: %q)`, bare), queryFields)
	w.gql(
		"http callback",
		bare,
		"mutation",
		fmt.Sprintf(`updateCustodianDetails(input: {apiKey: %q, callbackUrl: "ftp://shop.example"})`, bare),
		updatedFields,
	)
}

// create creates a payment that does not expire during the test, and returns its txnid.
func (w *witness) create(name string, more ...string) string {
	w.t.Helper()
	body := fmt.Sprintf(`{"apiKey":%q,"amount":12.5,"expiresInMinutes":60%s}`, w.key, strings.Join(more, ""))
	return w.rest(name, w.key, "POST", "/create-payment", body).text("transaction.txnid")
}

func (w *witness) read(name, txnid string) said {
	return w.gql(name, w.key, "query", fmt.Sprintf(`getTxnDetails(txnid: %q)`, txnid), detailed)
}

func (w *witness) cancel(name, txnid string) said {
	return w.rest(name, w.key, "POST", "/cancel-payment", fmt.Sprintf(`{"txnid":%q}`, txnid))
}

func startBody(txnid, network, token string) string {
	return fmt.Sprintf(`{"txnid":%q,"network":%q,"token":%q}`, txnid, network, token)
}

func (w *witness) payments() {
	paid := w.gql("payment", w.key, "mutation", fmt.Sprintf(`payment(apiKey: %q, amount: 12.5, expiresInMinutes: 60, reference: "order-7")`, w.key), created).
		text("transaction.txnid")
	fleeting := w.gql("fleeting payment", w.key, "mutation", fmt.Sprintf(`payment(apiKey: %q, amount: 3)`, w.key), created).
		text("transaction.txnid")
	w.read("pending", paid)
	w.rest("GET /orders", w.key, "GET", "/orders/"+paid+" as /orders/{txnid}", "")
	w.rest("GET /txn", w.key, "GET", "/txn/"+paid+" as /txn/{txnid}", "")
	address := w.rest("POST /pay", w.key, "POST", "/pay", startBody(paid, "POLYGON", "USDT")).
		text("transaction.wallet.address")
	w.rest("pay again", w.key, "POST", "/pay", startBody(paid, "POLYGON", "USDT"))
	w.read("started", paid)
	w.chains[1].pay(w.t, w.chains[1].Tokens().USDT, address, 1250)

	w.starts()

	other := w.create("POST /create-payment")
	w.gql("cancelPayment", w.key, "mutation", fmt.Sprintf(`cancelPayment(txnid: %q)`, other), detailed)
	w.cancel("cancel again", other)
	started := w.create("another to cancel")
	w.rest("start to cancel", w.key, "POST", "/pay", startBody(started, "BASE", "USDC"))
	w.cancel("POST /cancel-payment", started)
	w.hook("webhook cancelled", started)

	w.await(w.t, paid, "COMPLETED")
	w.read("completed", paid)
	w.rest("GET /orders completed", w.key, "GET", "/orders/"+paid+" as /orders/{txnid}", "")
	w.cancel("cancel completed", paid)
	w.hook("webhook completed", paid)
	w.await(w.t, fleeting, "EXPIRED")
	w.read("expired", fleeting)
	w.cancel("cancel expired", fleeting)
	w.hook("webhook expired", fleeting)
	w.rest("start expired", w.key, "POST", "/pay", startBody(fleeting, "BASE", "USDC"))
	w.gql(
		"mark completed", w.key, "mutation",
		fmt.Sprintf(`manualMarkAsCompleted(apiKey: %q, txnid: %q)`, w.key, paid), "code message success",
	)

	pending := w.create("one to mark")
	w.gql(
		"manualMarkAsCompleted", w.key, "mutation",
		fmt.Sprintf(`manualMarkAsCompleted(apiKey: %q, txnid: %q)`, w.key, pending), "code message success",
	)
	w.hook("webhook marked", pending)
	w.gql(
		"mark cancelled", w.key, "mutation",
		fmt.Sprintf(`manualMarkAsCompleted(apiKey: %q, txnid: %q)`, w.key, other), "code message success",
	)
	w.read("marked", other)
	w.gql(
		"mark expired", w.key, "mutation",
		fmt.Sprintf(`manualMarkAsCompleted(apiKey: %q, txnid: %q)`, w.key, fleeting), "code message success",
	)
}

// starts starts payments in every way there is.
func (w *witness) starts() {
	result := "code message transaction { txnid status network token wallet { address } paymentUri countdown }"
	for network, token := range map[string]string{"BEP20": "USDT", "POLYGON": "USDC", "BASE": "USDC", "SOL": "USDC"} {
		name := "start" + network[:1] + strings.ToLower(network[1:]) + "Payment"
		txnid := w.create(name + "'s")
		started := w.gql(name, w.key, "mutation", fmt.Sprintf(`%s(txnid: %q, token: %s)`, name, txnid, token), result)
		if network == "SOL" {
			w.onSolana(txnid, started.text("transaction.wallet.address"))
		}
	}
	own := w.create("for StartPayment")
	w.gql(
		"StartPayment", w.key, "mutation",
		fmt.Sprintf(`StartPayment(apiKey: %q, txnid: %q, network: BASE, token: USDT)`, w.key, own), result,
	)
	w.gql(
		"start elsewhere", w.key, "mutation",
		fmt.Sprintf(`StartPayment(apiKey: %q, txnid: %q, network: BEP20, token: USDT)`, w.key, own), result,
	)
	for name, header := range map[string][]string{
		"pay with Bearer": {"Authorization", "Bearer " + w.key}, "pay with x-api-key": {"x-api-key", w.key},
		"pay with api-key": {"api-key", w.key}, "pay with body": nil,
	} {
		body := startBody(w.create("for "+name), "BASE", "USDC")
		if header == nil {
			body = strings.Replace(body, "{", fmt.Sprintf(`{"apiKey":%q,`, w.key), 1)
		}
		w.rest(name, w.key, "POST", "/pay", body, header...)
	}
	stranger := w.newKey()
	theirs := w.create("for a stranger")
	w.rest(
		"pay as a stranger", w.key, "POST", "/pay", startBody(theirs, "BASE", "USDC"), "Authorization",
		"Bearer "+stranger,
	)
	w.rest("pay with a bad key", w.key, "POST", "/pay", startBody(theirs, "BASE", "USDC"), "x-api-key", "flk_bad")
	w.gql(
		"details as a stranger", stranger, "query",
		fmt.Sprintf(`getTransactionDetails(apiKey: %q, txnid: %q)`, stranger, theirs), detailed,
	)
	w.gql("list of a stranger", stranger, "query", fmt.Sprintf(`getTransactions(apiKey: %q)`, stranger), listed)
}

// hook records the webhook about a payment, after its signature was checked.
func (w *witness) hook(name, txnid string) {
	w.t.Helper()
	eventually(w.t, name, func() bool { return len(w.about(txnid)) > 0 })
	a := w.about(txnid)[0]
	w.remember(name, said{status: len(w.about(txnid)), header: a.header, body: a.body, raw: string(a.raw)})
	if err := w.schemas.ValidateData("/components/schemas/WebhookBody", a.body); err != nil {
		w.t.Errorf("%s is not as openapi.json says: %v", name, err)
	}
}

func (w *witness) looking() {
	list := func(name, filter string) {
		w.gql(name, w.key, "query", fmt.Sprintf(`getTransactions(apiKey: %q%s)`, w.key, filter), listed)
	}
	list("getTransactions", "")
	list("ascending", `, sortOrder: "asc"`)
	list("descending", `, sortOrder: "desc"`)
	list("no such order", `, sortOrder: "up"`)
	for _, status := range []string{"PENDING", "STARTED", "COMPLETED", "EXPIRED", "CANCELLED"} {
		list("status "+status, ", status: "+status)
	}
	for _, network := range []string{"BEP20", "POLYGON", "BASE", "SOL"} {
		list("network "+network, ", network: "+network)
	}
	for _, span := range []string{"24h", "1week", "1month"} {
		list("range "+span, fmt.Sprintf(", timeRange: %q", span))
	}
	list("no such range", `, timeRange: "soon"`)
	paid := w.heard["payment"].text("transaction.txnid")
	w.gql(
		"getTransactionDetails", w.key, "query",
		fmt.Sprintf(`getTransactionDetails(apiKey: %q, txnid: %q)`, w.key, paid), detailed,
	)
	w.gql(
		"checkAdminUntransferred", w.key, "query",
		fmt.Sprintf(`checkAdminUntransferred(apiKey: %q, network: POLYGON)`, w.key), untransferred,
	)
	w.gql(
		"untransferred on Base", w.key, "query",
		fmt.Sprintf(`checkAdminUntransferred(apiKey: %q, network: BASE)`, w.key), untransferred,
	)
	orders := func(name, query string) {
		w.rest(name, w.key, "GET", "/orders"+query+" as /orders", "", "x-api-key", w.key)
	}
	orders("GET /orders of the key", "")
	orders("GET /orders on polygon", "?network=polygon")
	orders("GET /orders completed ones", "?status=completed")
	orders("GET /orders by reference", "?reference=order-7")
	w.rest("GET /orders without a key", "", "GET", "/orders", "")
	w.rest("pay on base", w.key, "POST", "/pay", startBody(w.create("for pay on base"), "base", "USDC"))
	w.rest("create in EUR", w.key, "POST", "/create-payment", fmt.Sprintf(`{"apiKey":%q,"amount":1,"currency":"EUR"}`, w.key))
	w.rest(
		"create with port 99999", w.key, "POST", "/create-payment",
		fmt.Sprintf(`{"apiKey":%q,"amount":1,"successUrl":"https://shop.example:99999/"}`, w.key),
	)
	w.gql("key in a header", w.key, "query", "getCreditsLeft", creditFields, "x-api-key", w.key)
	w.rest("GET /events", w.key, "GET", "/events?limit=500 as /events", "", "x-api-key", w.key)
	w.rest("unknown order", "", "GET", "/orders/"+unknownTxnid+" as /orders/{txnid}", "")
	w.rest("unknown txn", "", "GET", "/txn/"+unknownTxnid+" as /txn/{txnid}", "")
	w.gql("unknown txnid", "", "query", fmt.Sprintf(`getTxnDetails(txnid: %q)`, unknownTxnid), detailed)
	w.cancel("cancel unknown", unknownTxnid)
	w.rest("unknown campaign", "", "GET", "/donate/nothing as /donate/{campaignId}", "")
	w.rest(
		"give to an unknown campaign", "", "POST", "/donate/nothing/pay as /donate/{campaignId}/pay",
		`{"amount":5,"network":"BASE","token":"USDC"}`,
	)
	w.gql("getDonate of nothing", "", "query", `getDonate(campaignId: "nothing")`, "code message campaign { campaignId }")
	w.gql(
		"StartDonation to nothing", "", "mutation",
		`StartDonation(campaignId: "nothing", amount: 5, network: BASE, token: USDC)`,
		"code message paymentLink transaction { txnid }",
	)
	w.rest("cancel nothing", "", "POST", "/cancel-payment", `{}`)
	w.rest("create without amount", w.key, "POST", "/create-payment", fmt.Sprintf(`{"apiKey":%q}`, w.key))
	w.rest(
		"create as a form", w.key, "POST", "/create-payment", "amount=1", "Content-Type",
		"application/x-www-form-urlencoded",
	)
	w.rest("create without a key", "", "POST", "/create-payment", `{"amount":1}`)
}
