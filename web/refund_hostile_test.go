package web

import (
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
)

// TestRefund_Nonsense: bodies that are none, and amounts that cannot be, are refused in the words of the field.
func TestRefund_Nonsense(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	p := b.paidIn(m, 10*money.USD)
	for name, c := range map[string]struct {
		body   string
		status int
	}{
		"List":           {`[]`, 400},
		"NoTxnid":        {`{}`, 400},
		"UnknownTxnid":   {`{"txnid":"01KAX00000000000000000000Z"}`, 404},
		"Negative":       {`{"txnid":"` + string(p.ID) + `","amount":-1}`, 400},
		"Zero":           {`{"txnid":"` + string(p.ID) + `","amount":0}`, 400},
		"SevenPlaces":    {`{"txnid":"` + string(p.ID) + `","amount":0.0000001}`, 400},
		"Object":         {`{"txnid":"` + string(p.ID) + `","amount":{}}`, 400},
		"Huge":           {`{"txnid":"` + string(p.ID) + `","amount":1e30}`, 400},
		"ALittleTooMuch": {`{"txnid":"` + string(p.ID) + `","amount":10.000001}`, 409},
		"AnotherNetwork": {`{"txnid":"` + string(p.ID) + `","network":"BASE"}`, 409},
		"NoNetwork":      {`{"txnid":"` + string(p.ID) + `","network":"MARS"}`, 400},
		"AnotherToken":   {`{"txnid":"` + string(p.ID) + `","token":"USDT"}`, 409},
		"LongReason":     {`{"txnid":"` + string(p.ID) + `","reason":"` + strings.Repeat("x", 501) + `"}`, 400},
	} {
		if r := b.ask("POST", "/refunds", c.body, "x-api-key", m.text); r.status != c.status {
			t.Errorf("%s: %d %s, want %d", name, r.status, r.body, c.status)
		}
	}
	if list, err := b.store.RefundsOf(t.Context(), p.ID); err != nil || len(list) != 0 {
		t.Errorf("%d refunds, %v", len(list), err)
	}
}

// TestRefund_AtOnce: however many ask at the same time, no more is paid back than came.
func TestRefund_AtOnce(t *testing.T) { onEach(t, checkRefundsAtOnce) }

func checkRefundsAtOnce(t *testing.T, b *bundle) {
	m := b.newMerchant(5)
	p := b.paidIn(m, 10*money.USD)
	done := make(chan int)
	for range 12 {
		go func() {
			done <- b.ask("POST", "/refunds", `{"txnid":"`+string(p.ID)+`","amount":3}`, "x-api-key", m.text).status
		}()
	}
	made := map[int]int{}
	for range 12 {
		made[<-done]++
	}
	if made[200] != 3 || made[409] != 9 {
		t.Errorf("answers %v", made)
	}
	if id, _ := b.requestRefund(m, p, ""); id == "" {
		t.Error("the rest cannot be paid back")
	}
}

// TestRefund_CancelAfterSent: what was named as sent is not cancelled.
func TestRefund_CancelAfterSent(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	id, token := b.requestRefund(m, b.paidIn(m, 10*money.USD), "")
	_, err := b.refunds().GiveAddress(t.Context(), token, payerWallet)
	must(t, err)
	b.payBack(id)
	found := b.networks.found[chain.Polygon]
	found.Final = false
	b.networks.found[chain.Polygon] = found
	sent := b.ask("POST", "/refunds/"+id+"/hash", `{"hash":"`+string(found.Transfers[0].Tx)+`"}`, "x-api-key", m.text)
	if sent.status != 200 || !strings.Contains(sent.body, `"SENT"`) {
		t.Errorf("not final: %d %s", sent.status, sent.body)
	}
	if r := b.ask("POST", "/refunds/"+id+"/cancel", `{}`, "x-api-key", m.text); r.status != 409 {
		t.Errorf("cancelled: %d %s", r.status, r.body)
	}
}

// TestRefundPage_Forms: the address must be one of a wallet, in a form that cannot be mistaken.
func TestRefundPage_Forms(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	p := b.paidIn(m, 10*money.USD)
	_, token := b.requestRefund(m, p, "")
	for name, address := range map[string]string{
		"ICAP": "XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS", "ENS": "vitalik.eth", "Short": payerWallet[:41],
		"Long": payerWallet + "0", "Spaces": payerWallet[:20] + " " + payerWallet[20:],
		"Link": "ethereum:" + payerWallet + "@1", "WrongChecksum": strings.Replace(payerWallet, "E", "e", 1),
		"Precompile": "0x0000000000000000000000000000000000000001",
		"Settlement": string(p.Routes[0].Address.Address), "Script": "<script>alert(1)</script>",
	} {
		if r := b.giveTo(token, address); r.status != 400 || strings.Contains(r.body, "<script>alert") {
			t.Errorf("%s: %d %s", name, r.status, r.start())
		}
	}
}

// TestRefundPage_Exchange: who pays from an exchange is nowhere offered the address that the money came from.
func TestRefundPage_Exchange(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	p := b.paidIn(m, 10*money.USD)
	id, token := b.requestRefund(m, p, "")
	from := string(p.Deposits[0].Transfer.From)
	b.run(t, []scenario{{
		name: "page", method: "GET", path: "/refund/" + token + "?lang=en", status: 200, not: []string{from, from[:10]},
	}})
	r, err := b.store.Refund(t.Context(), refund.ID(id))
	must(t, err)
	if r.Address.Address != "" || r.Status != refund.Requested {
		t.Errorf("%+v", r)
	}
}

// TestRefund_OtherAmount: another amount than the refund's stands on the payment's page, and does not count.
func TestRefund_OtherAmount(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	p := b.deposit(b.start(b.newPaymentOf(m, "10"), chain.Polygon), 10*money.USD, true)
	r, err := b.refunds().Request(t.Context(), m.key.ID, string(p.ID), refund.Ask{Amount: "2"}, audit.Act{})
	must(t, err)
	_, err = b.refunds().GiveAddress(t.Context(), b.refunds().Link(r)[len(testBaseURL+"/refund/"):], payerWallet)
	must(t, err)
	other := chain.Transfer{
		Key: chain.Key{Network: chain.Polygon, Tx: testHash(9_001)}, Asset: r.Asset, To: payerWallet,
		Units: money.UnitsFromUint64(1_990_000),
		Block: chain.Head{Number: 9, Hash: "b", Time: b.clock.Now().Add(time.Second)},
	}
	_, err = b.store.UpdateRefunds(t.Context(), p.ID, func(a refund.Account) (refund.Change, error) {
		return a.Note(r.ID, other, b.clock.Now())
	})
	must(t, err)
	s.get("/dashboard/payments/"+string(p.ID)).wants(t, 200, `data-testid="other-amount"`, "1.99 USDC",
		string(other.Tx), "Another amount came", `data-status="ADDRESS_GIVEN"`)
	if h, _, err := b.refunds().Holdings(t.Context(), p); err != nil || h[0].Left.Format(6) != "8" {
		t.Errorf("left %+v, %v", h, err)
	}
	if types, _ := b.feedOf(m); strings.Contains(strings.Join(types, " "), string(payment.EventRefundOther)) {
		t.Errorf("the feed has %v", types)
	}
}
