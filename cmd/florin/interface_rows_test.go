package main_test

import (
	"fmt"
	"slices"
	"strings"
)

// stateRows are the clauses of sections 1 to 3 of the contract: payments, resources and states.
var stateRows = []clause{
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
	{
		"1/4/started", "a started payment can be cancelled",
		is("POST /cancel-payment", "transaction.status", "CANCELLED"),
	},
	{"1/networks/BEP20", "BEP20 is offered", is("startBep20Payment", "transaction.network", "BEP20")},
	{"1/networks/POLYGON", "POLYGON is offered", is("startPolygonPayment", "transaction.network", "POLYGON")},
	{"1/networks/BASE", "BASE is offered", is("startBasePayment", "transaction.network", "BASE")},
	{"1/tokens/USDT", "payments are made in USDT", is("startBep20Payment", "transaction.token", "USDT")},
	{"1/tokens/USDC", "payments are made in USDC", is("startPolygonPayment", "transaction.token", "USDC")},
	{"1/credits/create", "creating debits nothing", debits("payment", 0, 0)},
	{"1/credits/start", "starting debits 1 credit from the owner's key", debits("POST /pay", 1, 0)},
	{
		"1/credits/topup", "credits are bought with UserCreateCreditTopup and UserStartCreditTopup",
		all(
			is("UserCreateCreditTopup", "code", 200), is("UserStartCreditTopup", "code", 200),
			debits("the top-up", -20, 0),
		),
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
		all(
			is("payment", "transaction.status", "PENDING"), is("POST /create-payment", "transaction.status", "PENDING"),
		),
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
	{"3/cancel/webhook", "cancelling sends a webhook with status cancelled", is("webhook cancelled", "status", "cancelled")},
	{"3/detect", "money that is final completes it", is("completed", "transaction.status", "COMPLETED")},
	{"3/expire", "an unpaid payment expires", is("expired", "transaction.status", "EXPIRED")},
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
	{"3/mark/webhook", "it sends a webhook with status completed", is("webhook marked", "status", "completed")},
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

// likeDetails holds if a REST answer agrees with the GraphQL one.
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
