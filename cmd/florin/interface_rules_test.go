package main_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ruleRows are the clauses of sections 5 to 9 of the contract: authentication, events, errors, limits and versions.
var ruleRows = []clause{
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
		for _, canary := range []string{
			ownPrivateKey[2:], w.key, "callback-secret", w.step("revokeApiKey").text("newApiKey"), w.signing,
			"correct horse battery",
		} {
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

// debitRows are the tables of sections 4.1, 5.8 and 8: the price of each operation that succeeds.
func debitRows() []clause {
	var out []clause
	for step, takes := range map[string][2]int{
		"payment": {0, 0}, "POST /create-payment": {0, 0}, "getCreditsLeft": {0, 0}, "getQueriesLeft": {0, 0},
		"completed":       {0, 0},
		"getTransactions": {1, 0}, "getTransactionDetails": {1, 0}, "checkAdminUntransferred": {1, 0},
		"createCustodianAccount": {1, 0},
		"updateCustodianDetails": {1, 0}, "manualMarkAsCompleted": {0, 1}, "StartPayment": {1, 0},
		"startBep20Payment":   {1, 0},
		"startPolygonPayment": {1, 0}, "startBasePayment": {1, 0}, "startSolPayment": {1, 0}, "POST /pay": {1, 0},
		"pay with Bearer": {1, 0},
		"cancelPayment":   {0, 0}, "POST /cancel-payment": {0, 0}, "GET /orders": {0, 0}, "GET /txn": {0, 0},
		"GET /events":          {0, 0},
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

// keyRows are section 5.7: 401 without a valid key, 402 without credits.
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
			that(step, "code", func(v any) bool { n, ok := v.(float64); return ok && n >= 200 }),
			that(step, "message", filled),
		)})
	}
	return out
}
