package main_test

import (
	"fmt"

	"github.com/gagliardetto/solana-go"
)

// moreRows are the clauses about campaigns, SOL, second factors, omitted fields, and repeated requests.
var moreRows = []clause{
	{
		"1/networks/SOL", "SOL is offered",
		all(is("startSolPayment", "code", 200), is("startSolPayment", "transaction.network", "SOL")),
	},
	{
		"1/5/unset",
		"without a callback URL nothing is sent, and the payment is made all the same",
		all(is("cancelled unheard", "transaction.status", "CANCELLED"), func(w *witness) string {
			if n := len(w.about(w.step("payment of a silent key").text("transaction.txnid"))); n != 0 {
				return fmt.Sprintf("%d webhooks came", n)
			}
			return ""
		}),
	},
	{
		"2.2/network/payment", "payment does not return the network",
		has("payment", "transaction", "txnid amount status createdAt expiresAt"),
	},
	{
		"2.2/hash/unpaid", "hash and blockchainLink are null while nothing has come",
		all(is("started", "transaction.hash", nil), is("started", "transaction.blockchainLink", nil)),
	},
	{
		"2.2/wallet/SOL", "on SOL wallet.address is a Solana address",
		that("startSolPayment", "transaction.wallet.address", base58),
	},
	{
		"2.2/hash/SOL", "on SOL hash is the signature, and blockchainLink leads to it",
		all(
			that(
				"completed on SOL", "transaction.hash",
				func(v any) bool { s, _ := v.(string); _, err := solana.SignatureFromBase58(s); return err == nil },
			),
			that("completed on SOL", "transaction.blockchainLink", filled),
		),
	},
	{
		"2.4/solana", "the custodian holds a settlement address for SOL too",
		is("payment of a silent key's custodian", "custodian.wallets.solana", solanaWallet),
	},
	{
		"2.5/campaignId", "a campaign is identified by its campaignId",
		is("getDonate", "campaign.campaignId", campaignSlug),
	},
	{
		"2.5/details", "and has public details",
		all(
			is("getDonate", "campaign.title", "A new roaster"), is("getDonate", "campaign.goalAmount", 1000),
			is("getDonate", "campaign.status", "ACTIVE"),
			is("getDonate", "campaign.owner.name", "Corner Coffee"),
		),
	},
	{
		"3/detect/SOL", "final money on SOL completes a payment",
		is("completed on SOL", "transaction.status", "COMPLETED"),
	},
	{
		"4.1/others/startSolPayment", "startSolPayment returns the deposit address",
		that("startSolPayment", "transaction.wallet.address", base58),
	},
	{
		"4.1/others/getDonate", "getDonate reads a campaign, without a key",
		all(is("getDonate", "code", 200), debits("getDonate", 0, 0)),
	},
	{
		"4.1/others/StartDonation", "StartDonation returns the deposit address",
		all(
			that("StartDonation", "transaction.wallet.address", evm),
			is("StartDonation", "transaction.status", "STARTED"),
		),
	},
	{
		"4.1/others/UserCreateCreditTopup", "UserCreateCreditTopup returns a payment and its link",
		all(
			that("UserCreateCreditTopup", "transaction.txnid", filled),
			that("UserCreateCreditTopup", "paymentLink", filled),
		),
	},
	{"4.1/rule 2/network SOL", "network SOL filters", every("network SOL", "network", "SOL")},
	{
		"4.2/donate", "GET /donate/:campaignId answers as getDonate does",
		all(
			answers("GET /donate", 200), same("GET /donate", "campaign.title", "getDonate", "campaign.title"),
			same("GET /donate", "campaign.createdAt", "getDonate", "campaign.createdAt"),
		),
	},
	{
		"4.2/donate/pay", "POST /donate/:campaignId/pay answers as StartDonation does",
		all(
			answers("POST /donate/pay", 200), is("POST /donate/pay", "transaction.amount", 7.5),
			that("POST /donate/pay", "transaction.wallet.address", evm),
			that("POST /donate/pay", "paymentLink", filled),
		),
	},
	{"4.2/donate/pay/amount", "which needs an amount", all(answers("give nothing", 400), refuses("give nothing", 400))},
	{
		"4.2/donate/raised", "what was given is counted and shown",
		all(
			is("getDonate afterwards", "campaign.raisedAmount", 5),
			is("getDonate afterwards", "campaign.donorsCount", 1),
			is("getDonate afterwards", "campaign.donations.0.network", "POLYGON"),
			is("GET /donate afterwards", "campaign.raisedAmount", 5),
		),
	},
	{
		"4.2/idempotency/create", "a create that is repeated under its Idempotency-Key makes one payment",
		all(same("create twice", "transaction.txnid", "create once", "transaction.txnid"), replayed("create twice")),
	},
	{
		"4.2/idempotency/other", "and another body under the same key is refused",
		all(answers("create otherwise", 422), refuses("create otherwise", 422)),
	},
	{
		"4.1/rule 4/again", "a replacement that is repeated to the letter is answered again, though the old key has failed",
		all(
			same("revoke again", "newApiKey", "revoke once", "newApiKey"),
			same("revoke again", "apiKey.creditsLeft", "revoke once", "apiKey.creditsLeft"),
			replayed("revoke again"),
		),
	},
	{
		"4.1/rule 4/not again", "and is 401 for any other key",
		all(is("revoke without its key", "code", 401), is("revoke without its key", "newApiKey", nil)),
	},
	{
		"5/5/second factor", "with a second factor signing in takes its code as well",
		all(
			refuses("UserLogin without a code", 401), is("UserLogin without a code", "token", nil),
			refuses("UserLogin with a wrong code", 401), is("UserLogin with a code", "code", 200),
			that("UserLogin with a code", "token", filled),
		),
	},
	{
		"5/5/second factor/once", "and takes each code once",
		all(refuses("UserLogin with a used code", 401), is("UserLogin with a used code", "token", nil)),
	},
	{
		"5/5/session", "the token is the session, until it is ended",
		all(
			is("UserMe by code", "user.email", "totp@example.com"), is("UserLogout", "code", 200),
			is("UserMe signed out", "code", 401),
		),
	},
	{
		"5/5/sign up", "UserSignUp gives a token as well",
		all(is("UserSignUp", "code", 200), that("UserSignUp", "token", filled)),
	},
	{"6/body/network/sol", "network is sol for SOL", is("webhook on SOL", "network", "sol")},
	{"6/rule 1", "a webhook is sent only where a callback URL is set", func(w *witness) string {
		if w.step("webhook of a donation").status == 0 ||
			len(w.about(w.step("payment of a silent key").text("transaction.txnid"))) != 0 {
			return "a key with a callback got no webhook, or one without got one"
		}
		return ""
	}},
	{
		"6/donation", "a donation is reported as a payment is",
		all(is("webhook of a donation", "status", "completed"), is("webhook of a donation", "amount", 5)),
	},
	{
		"6/body/secret/unset",
		"secret and privateKey are left out where no secret is set",
		all(is("webhook without a secret", "status", "cancelled"), func(w *witness) string {
			body := w.step("webhook without a secret").body
			_, secret := body["secret"]
			_, legacy := body["privateKey"]
			return map[bool]string{true: "one of them is in " + w.step("webhook without a secret").raw}[secret ||
				legacy]
		}),
	},
	{
		"6/body/network/unstarted", "network is empty where none was chosen",
		is("webhook without a secret", "network", ""),
	},
	{"4.1/POST", "GraphQL is asked by POST", answers("GET /graphql", 405)},
	{
		"4.2/POST", "and so are the writes over REST",
		all(answers("GET /create-payment", 405), answers("GET /cancel-payment", 405)),
	},
	{"9/no version", "there is no address with a version in it", answers("a version in the path", 404)},
	{
		"8/start/donation", "a donation that is started takes 1 credit, as a payment does",
		all(debits("StartDonation", 1, 0), debits("POST /donate/pay", 1, 0)),
	},
}
