package web

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
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

// TestPayLink_Choose: a link with a fixed amount goes straight to choosing, and opening it makes no payment.
func TestPayLink_Choose(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(20)
	l, err := b.campaigns.CreateLink(t.Context(), m.key.ID, campaign.LinkDraft{Slug: "a-bag", Amount: "12.5"},
		audit.Act{})
	must(t, err)
	path := "/link/" + l.Slug
	b.ask("GET", path, "").wants(t, 200, `data-testid="choose"`, `data-testid="pay-POLYGON-USDC"`, "12.50")
	made, err := b.payments.List(t.Context(), payment.Filter{KeyID: m.key.ID})
	must(t, err)
	if len(made) != 0 {
		t.Fatalf("opening the link made %d payments", len(made))
	}
	t.Run("Started", func(t *testing.T) {
		got := b.postForm(path+"?lang=de", url.Values{"network": {"POLYGON"}, "token": {"USDC"}, "via": {"wallet"}})
		to := got.header.Get("Location")
		if got.status != 303 || !strings.Contains(to, "lang=de") || !strings.HasSuffix(to, "&via=wallet") {
			t.Fatalf("%d to %q", got.status, to)
		}
		p, err := b.payments.Get(t.Context(), strings.TrimPrefix(to, "/pay?txnid=")[:26])
		must(t, err)
		if want := (payment.Choice{Network: chain.Polygon, Token: money.USDC}); p.Status != payment.Started ||
			p.LinkID != l.Number || p.Choice != want {
			t.Errorf("%s in %v of link %d", p.Status, p.Choice, p.LinkID)
		}
	})
	t.Run("Refused", func(t *testing.T) {
		b.postForm(path, url.Values{"network": {"TRON"}, "token": {"USDC"}}).wants(t, 400, `data-testid="way-problem"`)
		b.postForm(path, url.Values{"network": {"SOL"}, "token": {"USDC"}}).wants(t, 422, `data-testid="problem"`)
	})
}

// TestStartAgain: a payment of a link that ended without money leads to a new one; one of the API leads to the shop,
// which alone knows its order.
func TestStartAgain(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(20)
	l, err := b.campaigns.CreateLink(t.Context(), m.key.ID, campaign.LinkDraft{Slug: "a-bag", Amount: "12.5"},
		audit.Act{})
	must(t, err)
	ofLink, err := b.campaigns.UseLink(t.Context(), l, "")
	must(t, err)
	ofShop := b.newPayment(m)
	const again = `href="/link/a-bag`
	page := func(p payment.Payment) string { return "/pay?txnid=" + string(p.ID) }
	if r := b.ask("GET", page(ofLink), ""); strings.Contains(r.body, `data-testid="again"`) {
		t.Error("an open payment offers to start again")
	}
	b.clock.advance(100 * time.Hour)
	b.ask("GET", page(ofLink), "").wants(t, 200, `data-testid="again"`, again)
	if r := b.ask("GET", page(ofShop), ""); strings.Contains(r.body, `data-testid="again"`) {
		t.Error("a payment of the API offers to start again")
	}
}

// tappedAtOnce fails unless an order goes on as one payment, however many start it again at once.
func tappedAtOnce(
	t *testing.T, taps payment.Payment, again func(payment.Payment) reply, next func(payment.Payment) payment.Payment,
) {
	t.Helper()
	var all sync.WaitGroup
	places := make([]string, 8)
	for i := range places {
		all.Go(func() { r := again(taps); places[i] = strconv.Itoa(r.status) + " " + r.header.Get("Location") })
	}
	all.Wait()
	first := "303 /pay?txnid=" + string(next(taps).ID)
	if slices.ContainsFunc(places, func(place string) bool { return place != first }) {
		t.Errorf("tapped at once, it goes on as %q", places)
	}
}

// TestStartAgain_Order: where the shop allows it, an order that expired without money goes on as one new payment of the
// same reference, whoever asks and how often; both addresses are read, and no other payment starts again.
func TestStartAgain_Order(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(20)
	order := func(reference string) payment.Payment {
		details := payment.Details{
			Reference: reference, Description: "Tea", SuccessURL: "https://shop.example/thanks",
			Metadata: map[string]string{"a": "b"},
		}
		in := payment.CreateInput{KeyID: m.key.ID, Amount: "49.90", Details: details}
		p, err := b.payments.Create(t.Context(), in, audit.Act{})
		must(t, err)
		return b.start(p, chain.Polygon)
	}
	again := func(p payment.Payment) reply { return b.postForm("/pay/"+string(p.ID)+"/again", nil) }
	next := func(p payment.Payment) payment.Payment {
		t.Helper()
		got := again(p)
		to := got.header.Get("Location")
		if got.status != 303 || !strings.HasPrefix(to, "/pay?txnid=") {
			t.Fatalf("%d to %q", got.status, to)
		}
		x, err := b.payments.Get(t.Context(), strings.TrimPrefix(to, "/pay?txnid="))
		must(t, err)
		return x
	}
	old, nameless, open := b.expire(order("A-1")), b.expire(order("")), order("A-2")
	again(old).wants(t, 409)
	allowed := merchant.CustodianInput{Restarts: new(true)}
	_, _, err := b.accounts.ArrangeCustodian(t.Context(), m.key, allowed, audit.Act{})
	must(t, err)
	b.ask("GET", "/pay?txnid="+string(old.ID), "").wants(t, 200, `data-testid="again"`, "/pay/"+string(old.ID)+"/again")
	again(nameless).wants(t, 409)
	again(open).wants(t, 409)
	fresh := next(old)
	if fresh.ID == old.ID || fresh.Status != payment.Pending || fresh.Amount != old.Amount ||
		fresh.Reference != "A-1" || fresh.SuccessURL != old.SuccessURL || fresh.Metadata["a"] != "b" {
		t.Errorf("the order goes on as %+v", fresh)
	}
	tappedAtOnce(t, b.expire(order("A-3")), again, next)
	if same := next(old); same.ID != fresh.ID {
		t.Errorf("asked twice, it goes on as %s and %s", fresh.ID, same.ID)
	}
	third := next(b.expire(b.start(fresh, chain.Polygon)))
	if from := next(old); third.ID == fresh.ID || from.ID != third.ID {
		t.Errorf("the third is %s, from the first %s", third.ID, from.ID)
	}
	b.deposit(b.start(third, chain.Base), third.Amount, true)
	if paid := next(old); paid.ID != third.ID || paid.Status != payment.Completed {
		t.Errorf("the paid order goes on as %s, %s", paid.ID, paid.Status)
	}
	late := b.deposit(old, old.Amount, true)
	if late.Received().IsZero() {
		t.Error("money to the first address is not seen")
	}
	again(old).wants(t, 409)
}

// TestStartAgain_Donation: a donation that ended without money leads to its campaign, also on a page of its own.
func TestStartAgain_Donation(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	c := b.newCampaign(b.newMerchant(20))
	p := b.expire(b.gift(c, giftOfFive))
	b.ask("GET", "/pay?txnid="+string(p.ID), "").wants(t, 200, `data-testid="again"`, `href="/donate/`+c.Slug)
}

// TestStartAgain_OtherToken: who has sent money that does not count is not led to pay once more.
func TestStartAgain_OtherToken(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(20)
	l, err := b.campaigns.CreateLink(t.Context(), m.key.ID, campaign.LinkDraft{Slug: "a-bag", Amount: "12.5"},
		audit.Act{})
	must(t, err)
	p, err := b.campaigns.UseLink(t.Context(), l, "")
	must(t, err)
	p = b.expire(b.bridge(b.start(p, chain.Polygon), 12_500_000))
	if r := b.ask("GET", "/pay?txnid="+string(p.ID), ""); strings.Contains(r.body, `data-testid="again"`) ||
		!strings.Contains(r.body, `data-testid="ask"`) {
		t.Error("a payer whose money arrived is led to pay once more")
	}
}

// TestGiftLive: the progress of a campaign follows the donation that is paid on its page, up to its end.
func TestGiftLive(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	srv := httptest.NewServer(b.server.Handler())
	defer srv.Close()
	c := b.newCampaign(b.newMerchant(20))
	p := b.donationAt(c, b.postForm("/donate/"+c.Slug+"/pay",
		url.Values{"suggested": {"other"}, "amount": {"7.50"}, "network": {"POLYGON"}, "token": {"USDC"}}), "")
	live := b.openLive(srv, p, "x", c.Slug)
	if name, _, _ := live.next(); name == "" {
		t.Fatal("the stream ends at once")
	}
	b.deposit(p, p.Amount, true)
	raised := ""
	for {
		name, data, ok := live.next()
		if !ok {
			break
		}
		if name == "raised" {
			raised = data
		}
	}
	if !strings.Contains(raised, "7.50") {
		t.Errorf("the page shows %q at the end", raised)
	}
}
