package main_test

import "fmt"

// graphQLRows are the clauses of section 4.1 of the contract: the operations.
var graphQLRows = []clause{
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
		all(
			has("getTransactions", "", "code message transactions apiKey"),
			has("getTransactions", "apiKey", "creditsLeft"),
		),
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
	{
		"4.1/revokeApiKey/key", "newApiKey stands in apiKey.key, too",
		same("revokeApiKey", "newApiKey", "revokeApiKey", "apiKey.key"),
	},
	{
		"5/3/graphql", "the key of a header is accepted over GraphQL, too",
		all(is("key in a header", "code", 200), func(w *witness) string {
			return is("key in a header", "apiKey.key", w.key)(w)
		}),
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
	{
		"4.1/rule 6/name", "only what is given changes: the name",
		is("updateCustodianDetails", "custodian.name", "Second"),
	},
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
}
