package main_test

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/common"
)

// without calls the operations that cost credits with a key that has none left.
func (w *witness) without() {
	poor := w.newKey("--credits", "1", "--queries", "0")
	w.gql(
		"the last credit", poor, "mutation",
		fmt.Sprintf(`createCustodianAccount(input: {apiKey: %q, wallets: {base: %q}})`, poor, settlementWallet),
		custodianFields,
	)
	txnid := w.gql("payment of a poor key", poor, "mutation", fmt.Sprintf(`payment(apiKey: %q, amount: 1, expiresInMinutes: 60)`, poor), created).
		text("transaction.txnid")
	for name, x := range charged(poor, txnid) {
		w.gql("poor "+name, poor, x.kind, x.call, "code message")
	}
	broke := w.newKey("--credits", "0")
	w.gql(
		"poor createCustodianAccount", broke, "mutation",
		fmt.Sprintf(`createCustodianAccount(input: {apiKey: %q})`, broke), custodianFields,
	)
	bad := w.key[:len(w.key)-1] + map[bool]string{true: "1", false: "0"}[strings.HasSuffix(w.key, "0")]
	for name, x := range charged(bad, txnid) {
		w.gql("bad key "+name, "", x.kind, x.call, "code message")
	}
	for name, x := range free(bad) {
		w.gql("bad key "+name, "", x.kind, x.call, "code message")
	}
}

type call struct{ kind, call string }

// charged lists the operations that cost a key credits or queries, with valid arguments.
func charged(key, txnid string) map[string]call {
	return map[string]call{
		"StartPayment": {
			"mutation",
			fmt.Sprintf(`StartPayment(apiKey: %q, txnid: %q, network: BASE, token: USDC)`, key, txnid),
		},
		"getTransactions":         {"query", fmt.Sprintf(`getTransactions(apiKey: %q)`, key)},
		"getTransactionDetails":   {"query", fmt.Sprintf(`getTransactionDetails(apiKey: %q, txnid: %q)`, key, txnid)},
		"checkAdminUntransferred": {"query", fmt.Sprintf(`checkAdminUntransferred(apiKey: %q, network: BASE)`, key)},
		"manualMarkAsCompleted":   {"mutation", fmt.Sprintf(`manualMarkAsCompleted(apiKey: %q, txnid: %q)`, key, txnid)},
		"revokeApiKey":            {"mutation", fmt.Sprintf(`revokeApiKey(apiKey: %q, privateKey: %q)`, key, ownPrivateKey)},
		"updateCustodianDetails":  {"mutation", fmt.Sprintf(`updateCustodianDetails(input: {apiKey: %q, name: "x"})`, key)},
	}
}

// free lists the operations that cost nothing, or cost nothing when they find nothing.
func free(key string) map[string]call {
	return map[string]call{
		"rechargeApiKey": {
			"mutation", fmt.Sprintf(`rechargeApiKey(apiKey: %q, privateKey: %q, unit: 1)`, key, ownPrivateKey),
		},
		"payment":                {"mutation", fmt.Sprintf(`payment(apiKey: %q, amount: 1)`, key)},
		"getCreditsLeft":         {"query", fmt.Sprintf(`getCreditsLeft(apiKey: %q)`, key)},
		"getQueriesLeft":         {"query", fmt.Sprintf(`getQueriesLeft(apiKey: %q)`, key)},
		"createCustodianAccount": {"mutation", fmt.Sprintf(`createCustodianAccount(input: {apiKey: %q})`, key)},
	}
}

// topUp buys credits as a signed-in merchant.
func (w *witness) topUp() {
	token := w.gql("UserSignUp", "", "mutation", `UserSignUp(email: "topup@example.com", password: "correct horse battery")`, "code message token").
		text("token")
	w.gql(
		"UserLogin", "", "mutation", `UserLogin(email: "topup@example.com", password: "correct horse battery")`,
		"code message token expiresAt user { id email }",
	)
	w.gql(
		"UserLogin with a wrong password", "", "mutation",
		`UserLogin(email: "topup@example.com", password: "wrong horse battery")`, "code message token",
	)
	session := []string{"Authorization", "Bearer " + token}
	key := w.gql(
		"UserCreateApiKey",
		"",
		"mutation",
		`UserCreateApiKey(label: "shop")`,
		"code message apiKey { id key creditsLeft }",
		session...)
	id, text := key.text("apiKey.id"), key.text("apiKey.key")
	topUp := func(name string, credits int, header ...string) said {
		return w.gql(name, text, "mutation", fmt.Sprintf(`UserCreateCreditTopup(apiKeyId: %q, credits: %d)`, id, credits),
			"code message paymentLink transaction { txnid amount status }", header...)
	}
	topUp("top-up without a session", 20)
	topUp("top-up of 19", 19, session...)
	w.gql("UserMe without a session", "", "query", "UserMe", "code message")
	txnid := topUp("UserCreateCreditTopup", 20, session...).text("transaction.txnid")
	start := fmt.Sprintf(`UserStartCreditTopup(txnid: %q, network: POLYGON, token: USDC)`, txnid)
	w.gql("start top-up without a session", text, "mutation", start, "code message")
	address := w.gql("UserStartCreditTopup", text, "mutation", start, "code message transaction { status wallet { address } }", session...).
		text("transaction.wallet.address")
	w.rest("POST /pay for a top-up", text, "POST", "/pay", startBody(txnid, "POLYGON", "USDC"), session...)
	before := w.left(text)
	w.chains[1].pay(w.t, w.chains[1].Tokens().USDC, address, 100)
	w.await(w.t, txnid, "COMPLETED")
	w.remember("the top-up", said{body: map[string]any{"code": 200.0}, before: before, after: w.left(text)})
}

// recharge buys queries with the wallet registered on a key.
func (w *witness) recharge() {
	bsc, wallet := w.chains[0], common.HexToAddress(ownWallet)
	if _, err := bsc.FundNative(w.t.Context(), wallet, big.NewInt(1e18)); err != nil {
		w.t.Fatal(err)
	}
	paid := bsc.pay(w.t, bsc.Tokens().USDT, ownWallet, 100)
	if _, err := bsc.WaitReceipt(w.t.Context(), common.HexToHash(paid)); err != nil {
		w.t.Fatal(err)
	}
	key := w.newKey()
	buy := func(name, privateKey string, unit int) {
		w.gql(
			name, key, "mutation",
			fmt.Sprintf(`rechargeApiKey(apiKey: %q, privateKey: %q, unit: %d)`, key, privateKey, unit),
			"code message newBalance apiKey { key queriesLeft wallet }",
		)
	}
	buy("recharge with another's key", "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d", 1)
	buy("recharge of nothing", ownPrivateKey, 0)
	buy("recharge of too much", ownPrivateKey, 1_000)
	buy("rechargeApiKey", ownPrivateKey, 2)
	w.treasury = bsc.balance(w.t, bsc.Tokens().USDT, treasuryWallet)
}

// ending replaces a key.
func (w *witness) ending() {
	old := w.newKey()
	call := func(privateKey string) string {
		return fmt.Sprintf(`revokeApiKey(apiKey: %q, privateKey: %q)`, old, privateKey)
	}
	w.gql(
		"revoke with another's key", old, "mutation",
		call("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"), revokeFields,
	)
	s := w.gql("revokeApiKey", "", "mutation", call(ownPrivateKey), revokeFields)
	w.gql("the old key", "", "query", fmt.Sprintf(`getCreditsLeft(apiKey: %q)`, old), creditFields)
	w.gql("the new key", "", "query", fmt.Sprintf(`getCreditsLeft(apiKey: %q)`, s.text("newApiKey")), creditFields)
}
