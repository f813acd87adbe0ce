package web

import (
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
