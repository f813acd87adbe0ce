package main_test

import (
	"fmt"
	"strings"
)

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
		)(w)
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
		"4.2/orders/list", "GET /orders lists as getTransactions does, for the same credit",
		all(
			answers("GET /orders of the key", 200), debits("GET /orders of the key", 1, 0),
			alike("GET /orders of the key", "getTransactions"),
		),
	},
	{
		"4.2/orders/filters", "its filters are those of getTransactions, networks in any case",
		all(
			alike("GET /orders on polygon", "network POLYGON"), every("GET /orders on polygon", "network", "POLYGON"),
			alike("GET /orders completed ones", "status COMPLETED"),
		),
	},
	{"4.2/orders/reference", "reference finds the payments of one order", func(w *witness) string {
		got, want := txnids(w.step("GET /orders by reference")), w.step("payment").text("transaction.txnid")
		if len(got) != 1 || got[0] != want {
			return fmt.Sprintf("reference order-7 finds %v, not %s", got, want)
		}
		return ""
	}},
	{
		"4.2/orders/key", "the list needs a key, in a header",
		all(refuses("GET /orders without a key", 401), answers("GET /orders without a key", 401)),
	},
	{
		"4.2/pay/network", "networks are read in any case",
		all(answers("pay on base", 200), is("pay on base", "transaction.network", "BASE")),
	},
	{
		"4.2/currency", "a price in another currency than USD is refused",
		all(answers("create in EUR", 400), refuses("create in EUR", 400)),
	},
	{
		"4.2/successUrl", "a return address whose port does not exist is refused",
		all(answers("create with port 99999", 400), refuses("create with port 99999", 400)),
	},
	{
		"4.2/reason", "409 and 422 carry a reason",
		all(
			is("cancel again", "reason", "payment_ended"), is("start expired", "reason", "payment_ended"),
			has("GET /orders", "", "code message transaction"),
		),
	},
	{"4.2/origin", "pages of other sites may read what a txnid shows, and nothing that needs a key", func(w *witness) string {
		const allow = "Access-Control-Allow-Origin"
		for _, step := range []string{"GET /orders", "GET /txn", "unknown order", "GET /donate", "unknown campaign"} {
			if h := w.step(step).header; h.Get(allow) != "*" || h.Get("Access-Control-Allow-Credentials") != "" {
				return step + " does not allow every origin"
			}
		}
		for _, step := range []string{"GET /orders of the key", "GET /events"} {
			if w.step(step).header.Get(allow) != "" {
				return step + " allows every origin"
			}
		}
		return ""
	}},
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
