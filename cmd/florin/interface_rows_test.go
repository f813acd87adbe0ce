package main_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// interfaceRows are the sentences of the contract, by its sections.
var interfaceRows = []clause{
	{"1/1/pending", "creating a payment gives a pending payment", is("payment", "transaction.status", "PENDING")},
	{
		"1/1/txnid", "creating a payment gives its txnid",
		that("payment", "transaction.txnid", func(v any) bool { s, _ := v.(string); return txnidForm.MatchString(s) }),
	},
	{"1/1/link", "creating a payment gives a link to the hosted checkout", that("payment", "paymentLink", filled)},
	{
		"1/2/address", "starting a payment gives a deposit address on the network chosen",
		that("POST /pay", "transaction.wallet.address", evm),
	},
	{
		"1/3/poll", "the status can be read by txnid again and again",
		all(
			is("pending", "transaction.status", "PENDING"), is("started", "transaction.status", "STARTED"),
			is("completed", "transaction.status", "COMPLETED"),
		),
	},
	{"1/4/pending", "a pending payment can be cancelled", is("cancelPayment", "transaction.status", "CANCELLED")},
	{"1/4/started", "a started payment can be cancelled", is("POST /cancel-payment", "transaction.status", "CANCELLED")},
	{"1/networks/BEP20", "BEP20 is offered", is("startBep20Payment", "transaction.network", "BEP20")},
	{"1/networks/POLYGON", "POLYGON is offered", is("startPolygonPayment", "transaction.network", "POLYGON")},
	{"1/networks/BASE", "BASE is offered", is("startBasePayment", "transaction.network", "BASE")},
	{"1/tokens/USDT", "payments are made in USDT", is("startBep20Payment", "transaction.token", "USDT")},
	{"1/tokens/USDC", "payments are made in USDC", is("startPolygonPayment", "transaction.token", "USDC")},
	{"1/credits/create", "creating debits nothing", debits("payment", 0, 0)},
	{"1/credits/start", "starting debits 1 credit from the owner's key", debits("POST /pay", 1, 0)},
	{
		"1/credits/topup", "credits are bought with UserCreateCreditTopup and UserStartCreditTopup",
		all(is("UserCreateCreditTopup", "code", 200), is("UserStartCreditTopup", "code", 200), debits("the top-up", -20, 0)),
	},
	{"1/custodian/first", "payment needs a custodian", refuses("no custodian", 409)},

	{"2.2/txnid", "txnid is in every read", same("completed", "transaction.txnid", "payment", "transaction.txnid")},
	{"2.2/amount", "amount is the requested amount, a number", is("completed", "transaction.amount", 12.5)},
	{
		"2.2/amountInToken", "amountInToken is the amount in the token, a number",
		is("completed", "transaction.amountInToken", 12.5),
	},
	{"2.2/token", "token is the token of the payment", is("completed", "transaction.token", "USDT")},
	{"2.2/network", "network is that of the payment", is("completed", "transaction.network", "POLYGON")},
	{"2.2/network/unchosen", "network is null before the start", is("pending", "transaction.network", nil)},
	{
		"2.2/wallet", "wallet.address is the deposit address",
		same("completed", "transaction.wallet.address", "POST /pay", "transaction.wallet.address"),
	},
	{"2.2/wallet/unstarted", "wallet is null before the start", is("pending", "transaction.wallet", nil)},
	{
		"2.2/countdown", "countdown counts down",
		that("started", "transaction.countdown", func(v any) bool { n, _ := v.(float64); return n > 0 && n <= 3600 }),
	},
	{"2.2/countdown/end", "countdown is 0 in the end", is("completed", "transaction.countdown", 0)},
	{
		"2.2/hash", "hash is the transaction on chain",
		that("completed", "transaction.hash", func(v any) bool { s, _ := v.(string); return len(s) == 66 }),
	},
	{"2.2/blockchainLink", "blockchainLink leads to the explorer's page of the hash", func(w *witness) string {
		hash := w.step("completed").text("transaction.hash")
		return that("completed", "transaction.blockchainLink", func(v any) bool {
			s, _ := v.(string)
			return strings.HasPrefix(s, "https://") && strings.HasSuffix(s, hash)
		})(w)
	}},
	{"2.2/isExpired/no", "isExpired is false while it is not", is("completed", "transaction.isExpired", false)},
	{"2.2/isExpired/yes", "isExpired is true once it is", is("expired", "transaction.isExpired", true)},
	{
		"2.2/expiresAt", "expiresAt is a time, in payment and reads",
		all(that("payment", "transaction.expiresAt", moment), that("completed", "transaction.expiresAt", moment)),
	},
	{
		"2.2/createdAt", "createdAt is a time, the same in payment and reads",
		all(
			that("payment", "transaction.createdAt", moment),
			same("payment", "transaction.createdAt", "completed", "transaction.createdAt"),
		),
	},
	{
		"2.2/payment only", "payment returns five fields of the transaction and no more",
		has("POST /create-payment", "transaction", "txnid amount status createdAt expiresAt"),
	},
	{
		"2.2/checkAdminUntransferred", "checkAdminUntransferred returns its seven fields",
		has("checkAdminUntransferred", "transactions.0", "txnid amount network status wallet hash createdAt"),
	},
	{
		"2.3/apiKey", "getQueriesLeft returns the key with its owner",
		that("getQueriesLeft", "apiKey.email", func(v any) bool { return v == "shop@example.com" }),
	},
	{
		"2.4/wallets", "the custodian holds a settlement address for each network",
		all(
			is("createCustodianAccount", "custodian.wallets.bep20", settlementWallet),
			is("createCustodianAccount", "custodian.wallets.base", nil),
		),
	},
	{
		"2.4/callbackUrl", "the custodian holds the callback URL",
		that("createCustodianAccount", "custodian.callbackUrl", filled),
	},
	{
		"2.4/name", "the name that is set is returned in ApiKey.custodian",
		is("getCreditsLeft", "apiKey.custodian.name", "Second"),
	},
	{
		"2.4/apiKey", "the custodian names the key it belongs to",
		same("createCustodianAccount", "custodian.apiKey", "createCustodianAccount", "apiKey.key"),
	},
	{"2.4/callbackUrl/web", "a callback that is no web address is refused", refuses("http callback", 400)},

	{
		"3/create", "payment and POST /create-payment make a PENDING payment",
		all(is("payment", "transaction.status", "PENDING"), is("POST /create-payment", "transaction.status", "PENDING")),
	},
	{"3/start", "starting makes it STARTED", is("POST /pay", "transaction.status", "STARTED")},
	{
		"3/cancel/pending", "cancelPayment ends a PENDING payment as CANCELLED",
		is("cancelPayment", "transaction.status", "CANCELLED"),
	},
	{
		"3/cancel/finalized", "a payment that is finalized cannot be cancelled",
		all(refuses("cancel completed", 409), refuses("cancel expired", 409), refuses("cancel again", 409)),
	},
	{"3/cancel/webhook", "cancelling is told with status cancelled", is("webhook cancelled", "status", "cancelled")},
	{"3/detect", "money that is final completes it", is("completed", "transaction.status", "COMPLETED")},
	{"3/expire", "a payment nobody pays expires", is("expired", "transaction.status", "EXPIRED")},
	{"3/expired start", "an expired payment is not started any more", refuses("start expired", 409)},
	{
		"3/mark/pending", "manualMarkAsCompleted completes a pending payment and debits 1 query",
		debits("manualMarkAsCompleted", 0, 1),
	},
	{
		"3/mark/cancelled", "and a cancelled one",
		all(debits("mark cancelled", 0, 1), is("marked", "transaction.status", "COMPLETED")),
	},
	{"3/mark/expired", "and an expired one", debits("mark expired", 0, 1)},
	{"3/mark/completed", "a completed one stays, and costs nothing", refuses("mark completed", 409)},
	{"3/mark/webhook", "it is told with status completed", is("webhook marked", "status", "completed")},

	{
		"4.1/payment/fields", "payment returns code, message, paymentLink and transaction",
		has("payment", "", "code message paymentLink transaction"),
	},
	{
		"4.1/payment/transaction", "its transaction has five fields",
		has("payment", "transaction", "txnid amount status createdAt expiresAt"),
	},
	{"4.1/payment/link", "paymentLink is {checkout_url}/pay?txnid=<txnid>", func(w *witness) string {
		want := "http://localhost:8080/pay?txnid=" + w.step("payment").text("transaction.txnid")
		return is("payment", "paymentLink", want)(w)
	}},
	{
		"4.1/getCreditsLeft/fields", "getCreditsLeft returns creditsLeft and the key",
		all(
			has("getCreditsLeft", "", "code message creditsLeft apiKey"),
			has("getCreditsLeft", "apiKey", "key wallet creditsLeft userId createdAt custodian"),
		),
	},
	{
		"4.1/getCreditsLeft/number", "creditsLeft is what is left: 1000, less three operations on the custodian",
		is("getCreditsLeft", "creditsLeft", 997),
	},
	{
		"4.1/getCreditsLeft/custodian", "it names the key's custodian",
		has("getCreditsLeft", "apiKey.custodian", "id name"),
	},
	{
		"4.1/getCreditsLeft/no custodian", "custodian is null for a key without one",
		is("credits of a bare key", "apiKey.custodian", nil),
	},
	{
		"4.1/getCreditsLeft/wallet", "wallet is that registered on the key",
		is("getCreditsLeft", "apiKey.wallet", ownWallet),
	},
	{
		"4.1/getQueriesLeft/fields", "getQueriesLeft returns queriesLeft and the key",
		all(
			has("getQueriesLeft", "", "code message queriesLeft apiKey"),
			has("getQueriesLeft", "apiKey", "id key firstName lastName email wallet queriesLeft createdAt"),
		),
	},
	{"4.1/getQueriesLeft/number", "queriesLeft is what is left", is("getQueriesLeft", "queriesLeft", 5)},
	{
		"4.1/getTransactions/fields", "getTransactions returns transactions and the key's credits",
		all(has("getTransactions", "", "code message transactions apiKey"), has("getTransactions", "apiKey", "creditsLeft")),
	},
	{"4.1/getTransactions/creditsLeft", "apiKey.creditsLeft is what is left after the debit", func(w *witness) string {
		return is("getTransactions", "apiKey.creditsLeft", w.step("getTransactions").after.credits)(w)
	}},
	{
		"4.1/getTransactions/item", "each has the fields of a list",
		has(
			"getTransactions", "transactions.0",
			"txnid amount amountInToken token network status wallet hash blockchainLink isExpired expiresAt createdAt",
		),
	},
	{
		"4.1/getTransactions/own", "it lists the key's own payments only",
		is("list of a stranger", "transactions", []any{}),
	},
	{
		"4.1/getTxnDetails/fields", "getTxnDetails returns the transaction",
		all(
			has("completed", "", "code message transaction"),
			has(
				"completed", "transaction",
				"txnid amount amountInToken token network status wallet countdown hash blockchainLink isExpired expiresAt createdAt",
			),
		),
	},
	{"4.1/getTxnDetails/wallet", "wallet has the field address", has("completed", "transaction.wallet", "address")},
	{"4.1/getTransactionDetails/same", "getTransactionDetails returns the same as getTxnDetails", func(w *witness) string {
		return same("getTransactionDetails", "transaction", "completed", "transaction")(w)
	}},
	{"4.1/getTransactionDetails/owned", "only for a payment of the key", refuses("details as a stranger", 404)},
	{
		"4.1/checkAdminUntransferred/network", "it lists payments on the network",
		every("checkAdminUntransferred", "network", "POLYGON"),
	},
	{
		"4.1/checkAdminUntransferred/statuses", "that are started or completed",
		every("untransferred on Base", "status", "STARTED", "COMPLETED"),
	},
	{
		"4.1/manualMarkAsCompleted/fields", "it returns code, message and success",
		all(has("manualMarkAsCompleted", "", "code message success"), is("manualMarkAsCompleted", "success", true)),
	},
	{
		"4.1/revokeApiKey/fields", "revokeApiKey returns newApiKey and the key",
		all(
			has("revokeApiKey", "", "code message newApiKey apiKey"),
			has("revokeApiKey", "apiKey", "key wallet creditsLeft"),
		),
	},
	{"4.1/revokeApiKey/debit", "it debits 1 credit", is("revokeApiKey", "apiKey.creditsLeft", 999)},
	{
		"4.1/createCustodianAccount/fields", "it returns the custodian and the key",
		all(
			has("createCustodianAccount", "custodian.wallets", "bep20 polygon base solana"),
			has("createCustodianAccount", "apiKey", "key creditsLeft"),
			that("createCustodianAccount", "custodian.createdAt", moment),
			that("createCustodianAccount", "custodian.id", filled),
		),
	},
	{
		"4.1/createCustodianAccount/creditsLeft", "creditsLeft is that after the debit",
		is("createCustodianAccount", "apiKey.creditsLeft", 999),
	},
	{
		"4.1/updateCustodianDetails/fields", "it returns the custodian and the key",
		all(
			has("updateCustodianDetails", "", "code message custodian apiKey"),
			same("updateCustodianDetails", "custodian.id", "createCustodianAccount", "custodian.id"),
		),
	},

	{"4.1/rule 2/status PENDING", "status PENDING filters", every("status PENDING", "status", "PENDING")},
	{"4.1/rule 2/status STARTED", "status STARTED filters", every("status STARTED", "status", "STARTED")},
	{"4.1/rule 2/status COMPLETED", "status COMPLETED filters", every("status COMPLETED", "status", "COMPLETED")},
	{"4.1/rule 2/status CANCELLED", "status CANCELLED filters", every("status CANCELLED", "status", "CANCELLED")},
	{
		"4.1/rule 2/status EXPIRED", "status EXPIRED filters; the only one was completed by hand",
		is("status EXPIRED", "transactions", []any{}),
	},
	{"4.1/rule 2/network BEP20", "network BEP20 filters", every("network BEP20", "network", "BEP20")},
	{"4.1/rule 2/network POLYGON", "network POLYGON filters", every("network POLYGON", "network", "POLYGON")},
	{"4.1/rule 2/network BASE", "network BASE filters", every("network BASE", "network", "BASE")},
	{"4.1/rule 2/range 24h", "timeRange 24h is taken", alike("range 24h", "getTransactions")},
	{"4.1/rule 2/range 1week", "timeRange 1week is taken", alike("range 1week", "getTransactions")},
	{"4.1/rule 2/range 1month", "timeRange 1month is taken", alike("range 1month", "getTransactions")},
	{"4.1/rule 2/range wrong", "another text is refused and costs nothing", refuses("no such range", 400)},
	{"4.1/rule 2/asc", "sortOrder asc begins with the oldest", ordered("ascending", true)},
	{"4.1/rule 2/desc", "sortOrder desc begins with the newest", ordered("descending", false)},
	{"4.1/rule 2/default", "desc is the default", alike("getTransactions", "descending")},
	{"4.1/rule 2/order wrong", "another order is refused and costs nothing", refuses("no such order", 400)},
	{"4.1/rule 2/optional", "all filters are optional", is("getTransactions", "code", 200)},
	{
		"4.1/rechargeApiKey/fields", "rechargeApiKey returns newBalance and the key",
		all(
			has("rechargeApiKey", "", "code message newBalance apiKey"),
			has("rechargeApiKey", "apiKey", "key queriesLeft wallet"),
		),
	},
	{
		"4.1/rechargeApiKey/newBalance", "newBalance counts what was bought: 5 and 2",
		all(is("rechargeApiKey", "newBalance", 7), is("rechargeApiKey", "apiKey.queriesLeft", 7)),
	},
	{
		"4.1/rechargeApiKey/increases", "it increases the queries by the units, and takes no credit",
		debits("rechargeApiKey", 0, -2),
	},
	{"4.1/rule 3/price", "a unit costs 0.05 USDT on BEP20, out of the wallet", func(w *witness) string {
		if w.treasury != 10 {
			return fmt.Sprintf("two units brought the operator %d cents", w.treasury)
		}
		return ""
	}},
	{
		"4.1/rule 3/private key", "the private key must be the registered wallet's",
		refuses("recharge with another's key", 403),
	},
	{"4.1/rule 3/unit", "at least one unit is bought", refuses("recharge of nothing", 400)},
	{"4.1/rule 3/funds", "without enough USDT in the wallet nothing is bought", refuses("recharge of too much", 402)},
	{"4.1/rule 4/new key", "the replacement works", is("the new key", "code", 200)},
	{"4.1/rule 4/old key", "the old key is replaced", is("the old key", "code", 401)},
	{
		"4.1/rule 4/private key", "it takes the private key of the wallet registered on the key",
		refuses("revoke with another's key", 403),
	},
	{"4.1/rule 4/wallet", "the replacement has the same wallet", is("the new key", "apiKey.wallet", ownWallet)},
	{"4.1/rule 5", "a second custodian for a key is 409", refuses("second custodian", 409)},
	{"4.1/rule 6/name", "only what is given changes: the name", is("updateCustodianDetails", "custodian.name", "Second")},
	{
		"4.1/rule 6/wallets", "and not the wallets",
		same("updateCustodianDetails", "custodian.wallets", "createCustodianAccount", "custodian.wallets"),
	},
	{
		"4.1/rule 6/callback", "nor the callback",
		same("updateCustodianDetails", "custodian.callbackUrl", "createCustodianAccount", "custodian.callbackUrl"),
	},
	{
		"4.1/rule 6/one wallet", "one wallet changes alone",
		all(
			is("update one wallet", "custodian.wallets.base", settlementWallet),
			is("update one wallet", "custodian.wallets.bep20", settlementWallet),
		),
	},
	{"4.1/rule 7/unswept", "it lists what is completed and not swept", func(w *witness) string {
		return contains("checkAdminUntransferred", w.step("payment").text("transaction.txnid"))(w)
	}},
	{
		"4.1/others/StartPayment", "StartPayment returns the deposit address",
		that("StartPayment", "transaction.wallet.address", evm),
	},
	{
		"4.1/others/startBep20Payment", "startBep20Payment returns the deposit address",
		that("startBep20Payment", "transaction.wallet.address", evm),
	},
	{
		"4.1/others/startPolygonPayment", "startPolygonPayment returns the deposit address",
		that("startPolygonPayment", "transaction.wallet.address", evm),
	},
	{
		"4.1/others/startBasePayment", "startBasePayment returns the deposit address",
		that("startBasePayment", "transaction.wallet.address", evm),
	},
	{"4.1/others/cancelPayment", "cancelPayment takes a txnid", is("cancelPayment", "code", 200)},
	{
		"4.1/others/UserStartCreditTopup", "UserStartCreditTopup returns the deposit address",
		that("UserStartCreditTopup", "transaction.wallet.address", evm),
	},

	{"4.2/health", "GET /health answers", answers("health", 200)},
	{
		"4.2/create-payment", "POST /create-payment answers as payment does",
		all(answers("POST /create-payment", 200), has("POST /create-payment", "", "code message paymentLink transaction")),
	},
	{"4.2/create-payment/link", "its paymentLink carries transaction.txnid", func(w *witness) string {
		txnid := w.step("POST /create-payment").text("transaction.txnid")
		return that(
			"POST /create-payment", "paymentLink",
			func(v any) bool { s, _ := v.(string); return strings.HasSuffix(s, "/pay?txnid="+txnid) },
		)(
			w,
		)
	}},
	{
		"4.2/create-payment/amount", "amount is required",
		all(answers("create without amount", 400), refuses("create without amount", 400)),
	},
	{"4.2/create-payment/json", "its content type is application/json", answers("create as a form", 415)},
	{"4.2/pay/public", "POST /pay without a key starts by txnid alone", answers("POST /pay", 200)},
	{"4.2/pay/address", "it answers with the deposit address", that("POST /pay", "transaction.wallet.address", evm)},
	{
		"4.2/pay/again", "starting again gives the same address and costs nothing",
		all(
			same("pay again", "transaction.wallet.address", "POST /pay", "transaction.wallet.address"),
			debits("pay again", 0, 0),
		),
	},
	{"4.2/pay/elsewhere", "choosing another network costs nothing more", debits("start elsewhere", 0, 0)},
	{
		"4.2/pay/topup", "POST /pay with a session starts a credit top-up",
		all(
			answers("POST /pay for a top-up", 200),
			same("POST /pay for a top-up", "transaction.wallet.address", "UserStartCreditTopup", "transaction.wallet.address"),
		),
	},
	{
		"4.2/cancel-payment", "POST /cancel-payment answers as cancelPayment does",
		all(answers("POST /cancel-payment", 200), is("POST /cancel-payment", "transaction.status", "CANCELLED")),
	},
	{
		"4.2/orders", "GET /orders/:txnid answers as getTxnDetails does",
		all(answers("GET /orders completed", 200), likeDetails("GET /orders completed", "completed")),
	},
	{
		"4.2/txn", "GET /txn/:txnid is the same as /orders/:txnid",
		same("GET /txn", "transaction.txnid", "GET /orders", "transaction.txnid"),
	},
	{
		"4.2/orders/mirror", "its HTTP status is the code when that is not 200",
		all(answers("unknown order", 404), is("unknown order", "code", 404)),
	},
	{"4.2/txn/mirror", "so it is at /txn/:txnid", all(answers("unknown txn", 404), is("unknown txn", "code", 404))},
	{
		"4.2/User*/session", "dashboard operations need a session token",
		all(
			refuses("top-up without a session", 401), refuses("start top-up without a session", 401),
			is("UserMe without a session", "code", 401),
		),
	},

	{"5/1/body", "POST /create-payment takes the key in the body", is("POST /create-payment", "code", 200)},
	{"5/1/missing", "and without a key it is 401", answers("create without a key", 401)},
	{"5/2/bearer", "a Bearer key selects StartPayment", is("pay with Bearer", "transaction.status", "STARTED")},
	{"5/2/body", "a key in the body selects StartPayment", is("pay with body", "transaction.status", "STARTED")},
	{"5/2/owner", "which starts payments of the key only", refuses("pay as a stranger", 404)},
	{"5/2/bad", "and refuses a key that is none", refuses("pay with a bad key", 401)},
	{"5/3/x-api-key", "x-api-key is accepted", is("pay with x-api-key", "transaction.status", "STARTED")},
	{"5/3/api-key", "api-key is accepted", is("pay with api-key", "transaction.status", "STARTED")},
	{
		"5/4/read", "knowing the txnid is enough to read",
		all(is("GET /orders", "code", 200), is("GET /txn", "code", 200), is("pending", "code", 200)),
	},
	{"5/4/start", "to start", is("startBasePayment", "code", 200)},
	{"5/4/cancel", "and to cancel", all(is("cancelPayment", "code", 200), is("POST /cancel-payment", "code", 200))},
	{
		"5/5/login", "a session token comes from UserLogin",
		all(that("UserLogin", "token", filled), that("UserLogin", "expiresAt", moment)),
	},
	{
		"5/5/wrong", "for the right password only",
		all(refuses("UserLogin with a wrong password", 401), is("UserLogin with a wrong password", "token", nil)),
	},
	{"5/6/secrets", "private keys, API keys and secrets are never logged", func(w *witness) string {
		for _, canary := range []string{ownPrivateKey[2:], w.key, "callback-secret", w.step("revokeApiKey").text("newApiKey"), w.signing, "correct horse battery"} {
			if canary == "" || strings.Contains(w.log, canary) {
				return "the log holds " + canary
			}
		}
		if w.exit != 0 || len(w.log) < 100 {
			return fmt.Sprintf("the program ended with status %d and wrote %q", w.exit, w.log)
		}
		return ""
	}},
	{
		"5/9/price", "1 USDT buys 20 credits",
		all(is("UserCreateCreditTopup", "transaction.amount", 1), debits("the top-up", -20, 0)),
	},
	{"5/9/minimum", "a top-up is of 20 credits at least", refuses("top-up of 19", 400)},

	{"6/rule 2", "a webhook is JSON", func(w *witness) string {
		if got := w.step("webhook completed").header.Get("Content-Type"); !strings.HasPrefix(got, "application/json") {
			return "its content type is " + got
		}
		return ""
	}},
	{"6/rule 3/completed", "it fires when a payment completes", is("webhook completed", "status", "completed")},
	{"6/rule 3/expired", "it fires when a payment expires", is("webhook expired", "status", "expired")},
	{"6/rule 3/cancelled", "it fires when a payment is cancelled", is("webhook cancelled", "status", "cancelled")},
	{"6/body/txnid", "txnid is the payment's", same("webhook completed", "txnid", "payment", "transaction.txnid")},
	{"6/body/amount", "amount is the requested amount, a number", is("webhook completed", "amount", 12.5)},
	{"6/body/amountInToken", "amountInToken is a number", is("webhook completed", "amountInToken", 12.5)},
	{"6/body/network", "network is in lower case", is("webhook completed", "network", "polygon")},
	{
		"6/body/createdAt", "createdAt is the payment's, in ISO 8601",
		same("webhook completed", "createdAt", "payment", "transaction.createdAt"),
	},
	{"6/body/secret", "secret is the custodian's", is("webhook completed", "secret", "callback-secret")},
	{
		"6/body/privateKey", "privateKey is the same",
		same("webhook completed", "privateKey", "webhook completed", "secret"),
	},
	{"6/pull", "the same events can be asked for, without the secret", func(w *witness) string {
		raw := w.step("GET /events").raw
		for _, hook := range []string{"webhook completed", "webhook expired", "webhook cancelled"} {
			if !strings.Contains(raw, w.step(hook).text("eventId")) {
				return hook + " is not in " + raw
			}
		}
		if strings.Contains(raw, "callback-secret") {
			return "the secret is in " + raw
		}
		return ""
	}},

	{"7/200/payment", "payment says created successfully", is("payment", "message", "created successfully")},
	{
		"7/200/reads", "balance reads say OK",
		all(is("getCreditsLeft", "message", "OK"), is("getQueriesLeft", "message", "OK")),
	},
	{
		"7/400/cancel", "POST /cancel-payment without txnid is 400",
		all(answers("cancel nothing", 400), is("cancel nothing", "code", 400)),
	},
	{"7/404/read", "an unknown txnid is 404", is("unknown txnid", "code", 404)},
	{"7/404/cancel", "to cancel as well", answers("cancel unknown", 404)},
	{"7/409", "a custodian that exists is 409", refuses("second custodian", 409)},

	{
		"7/404/campaign", "an unknown campaignId is 404",
		all(
			answers("unknown campaign", 404), is("getDonate of nothing", "code", 404),
			is("getDonate of nothing", "campaign", nil),
		),
	},
	{
		"7/404/donation", "to give to as well",
		all(
			answers("give to an unknown campaign", 404), is("StartDonation to nothing", "code", 404),
			is("StartDonation to nothing", "transaction", nil),
		),
	},
	{"8/custodians", "a key has one custodian", refuses("second custodian", 409)},
	{"8/minimum", "the least top-up is 20 credits", refuses("top-up of 19", 400)},
	{"8/sortOrder", "getTransactions sorts descending unless asked otherwise", ordered("getTransactions", false)},
	{"9/paths", "paths carry no version", answers("POST /create-payment", 200)},
}

func filled(v any) bool { s, _ := v.(string); return s != "" }

func evm(v any) bool {
	s, _ := v.(string)
	return len(s) == 42 && strings.HasPrefix(s, "0x")
}

// every holds if a list is not empty and the field of each is one of the values.
func every(step, field string, values ...string) func(*witness) string {
	return that(step, "transactions", func(v any) bool {
		list, _ := v.([]any)
		for _, each := range list {
			x, _ := each.(map[string]any)
			text, _ := x[field].(string)
			if !slices.Contains(values, text) {
				return false
			}
		}
		return len(list) > 0
	})
}

func contains(step, txnid string) func(*witness) string {
	return that(step, "transactions", func(v any) bool {
		list, _ := v.([]any)
		return slices.ContainsFunc(list, func(x any) bool { m, _ := x.(map[string]any); return m["txnid"] == txnid })
	})
}

// alike holds if two lists have the same payments in the same order.
func alike(step, other string) func(*witness) string {
	return func(w *witness) string {
		a, b := txnids(w.step(step)), txnids(w.step(other))
		if len(a) == 0 || !slices.Equal(a, b) {
			return fmt.Sprintf("%s lists %v, %s %v", step, a, other, b)
		}
		return ""
	}
}

func ordered(step string, ascending bool) func(*witness) string {
	return func(w *witness) string {
		list, _ := w.step(step).field("transactions").([]any)
		var times []string
		for _, each := range list {
			x, _ := each.(map[string]any)
			at, _ := x["createdAt"].(string)
			times = append(times, at)
		}
		if !ascending {
			slices.Reverse(times)
		}
		if len(times) < 3 || !slices.IsSorted(times) {
			return fmt.Sprintf("%s is in the order of %v", step, times)
		}
		return ""
	}
}

func txnids(s said) []string {
	list, _ := s.field("transactions").([]any)
	var out []string
	for _, each := range list {
		x, _ := each.(map[string]any)
		id, _ := x["txnid"].(string)
		out = append(out, id)
	}
	return out
}

// likeDetails holds if a REST answer has what the GraphQL one says.
func likeDetails(rest, graphQL string) func(*witness) string {
	return func(w *witness) string {
		want, _ := w.step(graphQL).field("transaction").(map[string]any)
		for field := range want {
			if problem := func() string {
				if want[field] == nil {
					return is(rest, "transaction."+field, nil)(w)
				}
				return same(rest, "transaction."+field, graphQL, "transaction."+field)(w)
			}(); problem != "" {
				return problem
			}
		}
		return map[bool]string{true: "nothing to compare"}[len(want) == 0]
	}
}

// debitRows are the tables of sections 4.1, 5.8 and 8: what each operation
// takes when it succeeds.
func debitRows() []clause {
	var out []clause
	for step, takes := range map[string][2]int{
		"payment": {0, 0}, "POST /create-payment": {0, 0}, "getCreditsLeft": {0, 0}, "getQueriesLeft": {0, 0}, "completed": {0, 0},
		"getTransactions": {1, 0}, "getTransactionDetails": {1, 0}, "checkAdminUntransferred": {1, 0}, "createCustodianAccount": {1, 0},
		"updateCustodianDetails": {1, 0}, "manualMarkAsCompleted": {0, 1}, "StartPayment": {1, 0}, "startBep20Payment": {1, 0},
		"startPolygonPayment": {1, 0}, "startBasePayment": {1, 0}, "startSolPayment": {1, 0}, "POST /pay": {1, 0}, "pay with Bearer": {1, 0},
		"cancelPayment": {0, 0}, "POST /cancel-payment": {0, 0}, "GET /orders": {0, 0}, "GET /txn": {0, 0}, "GET /events": {0, 0},
		"UserStartCreditTopup": {0, 0},
	} {
		out = append(
			out,
			clause{
				"5/8/" + step, fmt.Sprintf("%s takes %d credits and %d queries", step, takes[0], takes[1]),
				debits(step, takes[0], takes[1]),
			},
		)
	}
	return out
}

// keyRows are section 5.7: without a good key 401, without credits 402.
func keyRows() []clause {
	var out []clause
	for _, name := range slices.Sorted(maps.Keys(charged("", ""))) {
		out = append(out,
			clause{"5/7/401/" + name, name + " with a bad key is 401", is("bad key "+name, "code", 401)},
			clause{"5/7/402/" + name, name + " with nothing left is 402 and takes nothing", refuses("poor "+name, 402)})
	}
	for _, name := range slices.Sorted(maps.Keys(free(""))) {
		out = append(out, clause{"5/7/401/" + name, name + " with a bad key is 401", is("bad key "+name, "code", 401)})
	}
	return append(
		out,
		clause{
			"5/7/402/createCustodianAccount", "createCustodianAccount without credits is 402",
			refuses("poor createCustodianAccount", 402),
		},
		clause{"5/7/payment", "payment needs no credits", is("payment of a poor key", "code", 200)},
	)
}

// envelopeRows are section 2.1: every result carries a numeric code and a text.
func envelopeRows(w *witness) []clause {
	var out []clause
	for _, step := range slices.Sorted(maps.Keys(w.heard)) {
		if strings.HasPrefix(step, "webhook ") || step == "health" || step == "the checkout" || step == "the top-up" {
			continue
		}
		out = append(out, clause{"2.1/" + step, "the answer carries code, a number, and message, a text", all(
			that(
				step, "code", func(v any) bool { n, ok := v.(float64); return ok && n >= 200 },
			),
			that(step, "message", filled),
		)})
	}
	return out
}
