package main_test

import "strings"

// restRows are the clauses of section 4.2 of the contract: the REST helpers.
var restRows = []clause{
	{"4.2/health", "GET /health answers", answers("health", 200)},
	{
		"4.2/create-payment", "POST /create-payment answers as payment does",
		all(
			answers("POST /create-payment", 200),
			has("POST /create-payment", "", "code message paymentLink transaction"),
		),
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
			same(
				"POST /pay for a top-up", "transaction.wallet.address", "UserStartCreditTopup",
				"transaction.wallet.address",
			),
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
}
