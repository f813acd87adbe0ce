package web

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
)

// A refusal with 409 or 422 has a word for programs, over REST and GraphQL; nothing else has.
func TestReasons(t *testing.T) {
	t.Parallel()
	checkReasons(t, newBundle(t))
}

func checkReasons(t *testing.T, b *bundle) {
	t.Helper()
	m, bare := b.newMerchant(50), b.newKey(5, 5)
	ended := string(b.expire(b.newPayment(m)).ID)
	paid := string(b.deposit(b.start(b.newPayment(m), chain.Polygon), 49_900_000, true).ID)
	touched := string(b.deposit(b.start(b.newPayment(m), chain.Polygon), 5*money.USD, false).ID)
	open := string(b.newPayment(m).ID)
	closed, large := merchant.NetworkInput{Network: chain.BEP20}, merchant.NetworkInput{Network: chain.Base}
	off, most := false, 10*money.USD
	closed.Enabled, large.MaxAmount = &off, &most
	limit(t, b, m, closed, large)
	walletless := b.newMerchant(5)
	_, err := b.accounts.UpdateCustodian(
		t.Context(), walletless.key, custodianOf(map[chain.Network]string{chain.Base: ""}), audit.Act{},
	)
	must(t, err)
	unsettled := string(b.newPayment(walletless).ID)
	pay := func(txnid, network, token string) string {
		return `{"txnid":"` + txnid + `","network":"` + network + `","token":"` + token + `"}`
	}
	cancel := func(txnid string) string { return `{"txnid":"` + txnid + `"}` }
	for name, x := range map[string]struct {
		path, body string
		header     []string
		status     int
		reason     string
	}{
		"NoCustodian":     {"/create-payment", `{"amount":1}`, []string{"api-key", bare.text}, 409, "no_custodian"},
		"StartEnded":      {"/pay", pay(ended, "BASE", "USDC"), nil, 409, "payment_ended"},
		"CancelEnded":     {"/cancel-payment", cancel(ended), nil, 409, "payment_ended"},
		"CancelPaid":      {"/cancel-payment", cancel(paid), nil, 409, "payment_ended"},
		"CancelWithMoney": {"/cancel-payment", cancel(touched), nil, 409, "money_received"},
		"NoWallet":        {"/pay", pay(unsettled, "BASE", "USDC"), nil, 422, "no_settlement_wallet"},
		"NetworkOff":      {"/pay", pay(open, "BEP20", "USDC"), nil, 422, "network_not_offered"},
		"AmountTooLarge":  {"/pay", pay(open, "BASE", "USDC"), nil, 422, "amount_not_offered"},
		"Success":         {"/pay", pay(open, "POLYGON", "USDC"), nil, 200, ""},
		"Invalid":         {"/pay", pay(open, "MOON", "USDC"), nil, 400, ""},
		"Unknown":         {"/cancel-payment", cancel(unknownTxn), nil, 404, ""},
	} {
		r := b.ask("POST", x.path, x.body, x.header...)
		var got string
		if strings.Contains(r.body, `"reason"`) { // null is no reason
			got = r.text(t, "reason")
		}
		if r.status != x.status || got != x.reason {
			t.Errorf("%s: %d %q, want %d %q: %s", name, r.status, got, x.status, x.reason, r.body)
		}
	}
	for path, r := range map[string]reply{
		"/events": b.ask("GET", "/events", "", "api-key", m.text),
		"find":    b.ask("POST", "/txn/"+open+"/find", `{"hash":"`+string(testHash(1))+`"}`),
	} {
		if r.status != 200 || strings.Contains(r.body, `"reason"`) {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	r := b.graphQL(`mutation { manualMarkAsCompleted(apiKey: "`+m.text+`", txnid: "`+paid+`") { code reason } }`, "")
	if r.text(t, "data.manualMarkAsCompleted.reason") != "payment_completed" {
		t.Errorf("over GraphQL: %s", r.body)
	}
	once := []string{"api-key", m.text, "Idempotency-Key", "reason-1"}
	b.ask("POST", "/create-payment", `{"amount":1}`, once...)
	if r := b.ask("POST", "/create-payment", `{"amount":2}`, once...); r.status != 422 ||
		r.text(t, "reason") != "idempotency_mismatch" {
		t.Errorf("another body under the same key: %s", r.body)
	}
	refused := []string{"api-key", bare.text, "Idempotency-Key", "reason-2"}
	first := b.ask("POST", "/create-payment", `{"amount":1}`, refused...)
	again := b.ask("POST", "/create-payment", `{"amount":1}`, refused...)
	if first.body != again.body || !strings.Contains(again.body, "no_custodian") {
		t.Errorf("a refusal that is replayed: %s, at first %s", again.body, first.body)
	}
}

func limit(t *testing.T, b *bundle, m seller, networks ...merchant.NetworkInput) {
	t.Helper()
	_, err := b.accounts.UpdateCustodian(t.Context(), m.key, merchant.CustodianInput{Networks: networks}, audit.Act{})
	must(t, err)
}
