package web

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// bridge sends units of the bridged USDC.e to the payment's address on Polygon.
func (b *bundle) bridge(p payment.Payment, units uint64) payment.Payment {
	b.t.Helper()
	twin := chain.Asset{Network: chain.Polygon, Contract: "0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174", Symbol: "USDC.e", Decimals: 6}
	route, _ := p.Route()
	number := 100 + b.seen.Add(1)
	return b.observe(p, chain.Transfer{
		Key: chain.Key{Network: chain.Polygon, Tx: testHash(number)}, Asset: twin, From: merchantWallet,
		To: route.Address.Address, Units: money.UnitsFromUint64(units),
		Block: chain.Head{Number: number, Hash: string(testHash(number)), Time: b.clock.Now()}, Source: "test",
	}, true)
}

// feedOf are the events that GET /events has of the key, as JSON.
func (b *bundle) feedOf(m seller) (types []string, data string) {
	b.t.Helper()
	events, _, err := b.store.PublicEvents(b.t.Context(), m.key.ID, "", payment.MaxPage)
	must(b.t, err)
	var all strings.Builder
	for _, e := range events {
		types = append(types, string(e.Type))
		all.Write(e.Data)
	}
	return types, all.String()
}

// TestAsk: a payer who cannot send the rest asks the shop to accept what came, with one tap and without scripts.
func TestAsk(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	p := b.start(b.newPayment(m), chain.Polygon)
	page, ask := "/pay?txnid="+string(p.ID), "/pay/"+string(p.ID)+"/ask"
	b.run(t, []scenario{
		{name: "nothing to accept", method: "GET", path: page, status: 200, not: []string{`data-testid="ask"`}},
		{name: "asked for nothing", method: "POST", path: ask, header: asForm, status: 409, want: []string{"<html"}},
		{
			name: "unknown payment", method: "POST", path: "/pay/" + unknownTxn + "/ask", header: asForm, status: 404,
			want: []string{"<html"},
		},
		{
			name: "from another site", method: "POST", path: ask, status: 403,
			header: []string{"Sec-Fetch-Site", "cross-site"},
		},
	})
	p = b.deposit(p, p.Amount-370_000, true)
	b.ask("GET", page, "").wants(t, 200, `data-testid="ask"`, `action="/pay/`+string(p.ID)+`/ask?lang=en"`)
	b.ask("POST", ask+"?lang=de", "via=wallet", asForm...).leads(t, "/pay?txnid="+string(p.ID)+"&lang=de&via=wallet")
	asked := b.ask("GET", page, "")
	asked.wants(t, 200, `data-testid="asked"`, "We have passed your request to Nordlicht")
	if strings.Contains(asked.body, `data-testid="ask"`) {
		t.Error("the page offers to ask twice")
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { b.ask("POST", ask, "", asForm...) })
	}
	all.Wait()
	if types, data := b.feedOf(m); fmt.Sprint(types) != "[payment.short]" ||
		!strings.Contains(data, `"acceptRequested":true`) || !strings.Contains(data, `"status":"started"`) {
		t.Errorf("the feed has %v: %s", types, data)
	}
	t.Run("Paid", func(t *testing.T) {
		done := b.deposit(p, 370_000, true)
		b.ask("POST", ask, "", asForm...).leads(t, page)
		b.ask("GET", page, "").wants(t, 200, `data-testid="paid"`)
		if _, data := b.feedOf(m); done.Status != payment.Completed || strings.Count(data, "acceptRequested") != 1 {
			t.Errorf("%s; the feed has %s", done.Status, data)
		}
	})
}

// TestAsk_TooOften: one address asks only so often.
func TestAsk_TooOften(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	p := b.start(b.newPayment(b.newMerchant(5)), chain.Polygon)
	p = b.deposit(p, 20*money.USD, true)
	var last reply
	for range 40 {
		last = b.ask(
			"POST", "/pay/"+string(p.ID)+"/ask", "", append([]string{"X-Forwarded-For", "203.0.113.7"}, asForm...)...,
		)
	}
	last.wants(t, 429, `data-testid="problem"`, `data-testid="asked"`)
}

// TestAsk_Live: other tabs of the payer follow: the one that asks changes the page in all of them.
func TestAsk_Live(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	srv := httptest.NewServer(b.server.Handler())
	defer srv.Close()
	p := b.start(b.newPayment(b.newMerchant(5)), chain.Polygon)
	p = b.deposit(p, 20*money.USD, true)
	tab := b.openLive(srv, p, "x")
	if _, data, _ := tab.next(); !strings.Contains(data, `data-testid="ask"`) {
		t.Fatalf("the tab shows %s", data)
	}
	b.ask("POST", "/pay/"+string(p.ID)+"/ask", "", asForm...)
	if name, data, _ := tab.next(); name != "stage" || !strings.Contains(data, `data-testid="asked"`) {
		t.Errorf("after another tab asked: %s %s", name, data)
	}
	b.deposit(p, p.Amount, true)
	if part := tab.step(); !strings.Contains(part, `data-testid="paid"`) {
		t.Errorf("after the rest came: %s", part)
	}
}

// TestAsk_OtherToken: money in a token that does not count is named, and one that the shop accepts completes the
// payment: the page says Paid, the receipt has its transaction.
func TestAsk_OtherToken(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	p := b.start(b.newPaymentOf(m, "49.90"), chain.Polygon)
	for range 5 {
		b.bridge(p, 9_999) // a speck is not worth a word
	}
	page := "/pay?txnid=" + string(p.ID)
	if r := b.ask("GET", page, ""); strings.Contains(r.body, `data-testid="other-token"`) {
		t.Error("the page names specks")
	}
	p = b.bridge(p, 49_900_000)
	b.ask("GET", page, "").wants(t, 200, `data-testid="other-token"`, "USDC.e arrived on Polygon", `data-testid="ask"`, `data-testid="send"`)
	b.ask("POST", "/pay/"+string(p.ID)+"/ask", "", asForm...).leads(t, page)
	own := "/dashboard/payments/" + string(p.ID)
	s.get("/dashboard/attention").wants(
		t, 200, "49.949995 USDC.e on Polygon",
		"Your customer asks you to accept it.", "Accept 49.949995 USDC.e on Polygon",
	)
	s.get(own).wants(t, 200, "The customer asked you to accept what arrived", `data-testid="accept"`)
	s.post(own+"/accept", "password", testPassword).leads(t, own)
	b.ask("GET", page, "").wants(t, 200, `data-testid="paid"`, string(p.Deposits[len(p.Deposits)-1].Transfer.Tx))
	b.ask("GET", "/pay/"+string(p.ID)+"/receipt", "").wants(t, 200, string(p.Deposits[len(p.Deposits)-1].Transfer.Tx))
	done, err := b.payments.Get(t.Context(), string(p.ID))
	must(t, err)
	if done.Status != payment.Completed || !done.ByHand || done.Received().Micros() < p.Amount {
		t.Errorf("%s, by hand %v, %s received", done.Status, done.ByHand, done.Received().Micros())
	}
	s.get("/dashboard/attention").wants(t, 200, "No payment needs you")
}
