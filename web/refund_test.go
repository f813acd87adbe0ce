package web

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
	"github.com/florinpay/florin/internal/wallet"
)

const payerWallet = "0x52908400098527886E0F7030069857D2E4169EE7"

// refunds is the service of refunds, whose addresses are all wallets.
func (b *bundle) refunds() *refund.Service {
	return refund.New(refund.Deps{
		Store: b.store, Payments: b.payments, Readers: b.networks.readers(),
		SignerOf: wallet.SignerOf,
		Links: refund.Links{
			Keys: func() [][]byte { return b.sealer.DeriveAll("refund link v1") }, CheckoutURL: testBaseURL,
		},
		Now: b.clock.Now, NewID: func(t time.Time) refund.ID { return refund.ID(testID(t)) },
	})
}

// paidIn is a payment of 10 USDC on Polygon, for which so much came.
func (b *bundle) paidIn(m seller, came money.Micros) payment.Payment {
	b.t.Helper()
	return b.deposit(b.start(b.newPaymentOf(m, "10"), chain.Polygon), came, true)
}

// requestRefund makes a refund and returns its id and the token of its link.
func (b *bundle) requestRefund(m seller, p payment.Payment, more string) (id, token string) {
	b.t.Helper()
	r := b.ask("POST", "/refunds", `{"txnid":"`+string(p.ID)+`"`+more+`}`, "x-api-key", m.text)
	if r.status != 200 {
		b.t.Fatalf("refund: %d %s", r.status, r.body)
	}
	return r.text(b.t, "refund.id"), strings.TrimPrefix(r.text(b.t, "refund.addressLink"), testBaseURL+"/refund/")
}

// payBack is the final transfer of a refund.
func (b *bundle) payBack(id string) chain.Transfer {
	b.t.Helper()
	r, err := b.store.Refund(b.t.Context(), refund.ID(id))
	must(b.t, err)
	at := chain.Head{Number: b.seen.Add(1) + 2_000, Hash: "0xb", Time: b.clock.Now()}
	t := chain.Transfer{
		Key: chain.Key{Network: r.Asset.Network, Tx: testHash(at.Number)}, Asset: r.Asset, To: r.Address.Address,
		Units: r.Units, Block: at,
	}
	b.networks.found[r.Asset.Network] = chain.Found{
		Exists: true, Final: true, Block: at, Transfers: []chain.Transfer{t},
	}
	return t
}

func TestRefund_REST(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	p := b.paidIn(m, 12*money.USD)
	before := b.balance(m)
	id, token := b.requestRefund(m, p, `,"amount":2.50,"reason":"too much"`)
	key := []string{"x-api-key", m.text}
	b.run(t, []scenario{
		{
			name: "read", method: "GET", path: "/refunds/" + id, header: key, status: 200,
			want: []string{
				`"amount":2.5,`, `"token":"USDC"`, `"network":"POLYGON"`, `"REQUESTED"`, `"too much"`, `"address":null`,
			},
		},
		{
			name: "list", method: "GET", path: "/refunds?txnid=" + string(p.ID), header: key, status: 200,
			want: []string{id},
		},
		{
			name: "too much", method: "POST", path: "/refunds", body: `{"txnid":"` + string(p.ID) + `","amount":9.51}`,
			header: key, status: 409, want: []string{"refund_too_much", "at most 9.50 USDC"},
		},
		{
			name: "no address yet", method: "POST", path: "/refunds/" + id + "/hash", header: key,
			body: `{"hash":"` + string(testHash(1)) + `"}`, status: 409, want: []string{"no_refund_address"},
		},
	})
	_, err := b.refunds().GiveAddress(t.Context(), token, payerWallet)
	must(t, err)
	transfer := b.payBack(id)
	b.run(t, []scenario{
		{
			name: "no hash", method: "POST", path: "/refunds/" + id + "/hash", header: key, body: `{"hash":"x"}`, status: 400,
		},
		{
			name: "final", method: "POST", path: "/refunds/" + id + "/hash", header: key,
			body: `{"hash":"` + string(transfer.Tx) + `"}`, status: 200,
			want: []string{`"FINAL"`, payerWallet, "polygonscan.com/tx/" + string(transfer.Tx), `"finalAt":"2`},
		},
		{
			name: "cancelled too late", method: "POST", path: "/refunds/" + id + "/cancel", header: key, body: `{}`,
			status: 409, want: []string{"refund_ended"},
		},
	})
	if types, data := b.feedOf(m); strings.Join(types[len(types)-4:], " ") !=
		"refund.requested refund.address_given refund.sent refund.final" || !strings.Contains(data, `"refund":{"id":"`+id) {
		t.Errorf("feed %v, last %s", types, data)
	}
	if after := b.balance(m); after != before {
		t.Errorf("refunds cost %d credits", before-after)
	}
	name := cmp.Or(m.key.Label, m.key.PublicID)
	b.recorded(m, "named the transaction of a refund: "+string(p.ID)+"|"+name+": "+string(transfer.Tx),
		"asked for a refund: "+string(p.ID)+"|"+name)
}

// recorded checks the newest entries of the merchant's audit log, each of which is an act with the key.
func (b *bundle) recorded(m seller, want ...string) {
	b.t.Helper()
	entries, err := b.store.Merchant().AuditLog(b.t.Context(), m.key.UserID, m.key.UserID, 0, len(want))
	must(b.t, err)
	var got []string
	for _, e := range entries {
		got = append(got, strings.TrimPrefix(e.Actor+" ", "API key ")+string(e.Action)+": "+
			inEnglish(e.Subject+"|"+e.Detail))
	}
	if !slices.Equal(got, want) {
		b.t.Errorf("the audit log says %q, want %q", got, want)
	}
}

// TestRefund_WrongTransaction: a hash that pays something else is refused, and changes nothing.
func TestRefund_WrongTransaction(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	id, token := b.requestRefund(m, b.paidIn(m, 10*money.USD), "")
	_, err := b.refunds().GiveAddress(t.Context(), token, payerWallet)
	must(t, err)
	for name, change := range map[string]func(*chain.Found){
		"AnotherAmount":  func(f *chain.Found) { f.Transfers[0].Units = money.UnitsFromUint64(1) },
		"AnotherAddress": func(f *chain.Found) { f.Transfers[0].To = merchantWallet },
		"BeforeTheAsk":   func(f *chain.Found) { f.Transfers[0].Block.Time = b.clock.Now().Add(-time.Hour) },
		"Failed":         func(f *chain.Found) { f.Failed = true },
	} {
		transfer := b.payBack(id)
		found := b.networks.found[chain.Polygon]
		change(&found)
		b.networks.found[chain.Polygon] = found
		r := b.ask("POST", "/refunds/"+id+"/hash", `{"hash":"`+string(transfer.Tx)+`"}`, "x-api-key", m.text)
		if r.status != 409 || !strings.Contains(r.body, "not_the_refund") {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
	if r, err := b.store.Refund(t.Context(), refund.ID(id)); err != nil || r.Status != refund.AddressGiven {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestRefund_AnotherMerchant: a refund is its merchant's alone, and needs the permission.
func TestRefund_AnotherMerchant(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m, other := b.newMerchant(5), b.newMerchant(5)
	p := b.paidIn(m, 10*money.USD)
	id, _ := b.requestRefund(m, p, "")
	theirs, none := []string{"x-api-key", other.text}, []string(nil)
	ask := `{"txnid":"` + string(p.ID) + `"}`
	hash := `{"hash":"` + string(testHash(1)) + `"}`
	b.run(t, []scenario{
		{name: "request", method: "POST", path: "/refunds", body: ask, header: theirs, status: 404},
		{name: "read", method: "GET", path: "/refunds/" + id, header: theirs, status: 404},
		{name: "list", method: "GET", path: "/refunds?txnid=" + string(p.ID), header: theirs, status: 404},
		{name: "confirm", method: "POST", path: "/refunds/" + id + "/hash", body: hash, header: theirs, status: 404},
		{name: "cancel", method: "POST", path: "/refunds/" + id + "/cancel", body: `{}`, header: theirs, status: 404},
		{name: "request by the txnid alone", method: "POST", path: "/refunds", body: ask, header: none, status: 401},
		{name: "read by the txnid alone", method: "GET", path: "/refunds?txnid=" + string(p.ID), status: 401},
		{name: "read by the id alone", method: "GET", path: "/refunds/" + id, status: 401},
	})
}

func TestRefund_GraphQL(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	p := b.paidIn(m, 10*money.USD)
	const fields = `{ code message reason refund { id amount status } }`
	made := b.graphQL(`mutation { refund(apiKey: "`+m.text+`", txnid: "`+string(p.ID)+`", amount: 4) `+fields+` }`, "")
	if made.text(t, "data.refund.code") != "200" || made.text(t, "data.refund.refund.amount") != "4" {
		t.Fatal(made.body)
	}
	id := made.text(t, "data.refund.refund.id")
	list := b.graphQL(`{ refunds(apiKey: "`+m.text+`", txnid: "`+string(p.ID)+`") { code refunds { id status } } }`, "")
	if !strings.Contains(list.body, id) {
		t.Error(list.body)
	}
	early := b.graphQL(`mutation { confirmRefund(apiKey: "`+m.text+`", id: "`+id+`", hash: "`+string(testHash(1))+`") `+
		fields+` }`, "")
	if early.text(t, "data.confirmRefund.code") != "409" {
		t.Error(early.body)
	}
	gone := b.graphQL(`mutation { cancelRefund(apiKey: "`+m.text+`", id: "`+id+`") `+fields+` }`, "")
	if gone.text(t, "data.cancelRefund.refund.status") != "CANCELLED" {
		t.Error(gone.body)
	}
	b.recorded(m, "cancelled a refund: "+string(p.ID)+"|"+cmp.Or(m.key.Label, m.key.PublicID))
}

// TestRefund_Again: a request that is repeated with its Idempotency-Key makes one refund.
func TestRefund_Again(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	p := b.paidIn(m, 10*money.USD)
	body := `{"txnid":"` + string(p.ID) + `","amount":1}`
	first := b.ask("POST", "/refunds", body, "x-api-key", m.text, "Idempotency-Key", "one")
	again := b.ask("POST", "/refunds", body, "x-api-key", m.text, "Idempotency-Key", "one")
	if first.status != 200 || again.body != first.body {
		t.Errorf("%s, then %s", first.body, again.body)
	}
	if list, err := b.store.RefundsOf(t.Context(), p.ID); err != nil || len(list) != 1 {
		t.Errorf("%d refunds, %v", len(list), err)
	}
}

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
