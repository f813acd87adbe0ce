package web

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
	"github.com/florinpay/florin/internal/testkit/browser"
)

// refundOf requests a refund of the payment.
func (b *bundle) refundOf(p payment.Payment, amount string) refund.Refund {
	b.t.Helper()
	r, err := b.refunds().Request(b.t.Context(), p.KeyID, string(p.ID), refund.Ask{Amount: amount}, audit.Act{})
	must(b.t, err)
	return r
}

// addressed gives the refund the payer's address.
func (b *bundle) addressed(r refund.Refund) refund.Refund {
	b.t.Helper()
	_, token, _ := strings.Cut(b.refunds().Link(r), "/refund/")
	r, err := b.refunds().GiveAddress(b.t.Context(), token, payerWallet)
	must(b.t, err)
	return r
}

// asked has the merchant's wallet asked for the refund.
func (b *bundle) asked(r refund.Refund) refund.Refund {
	b.t.Helper()
	r, err := b.refunds().Ask(b.t.Context(), r, audit.Act{})
	must(b.t, err)
	return r
}

// arrived pays the refund back, finally.
func (b *bundle) arrived(r refund.Refund) {
	b.t.Helper()
	r, err := b.refunds().Confirm(b.t.Context(), r, b.payBack(string(r.ID)).Tx, audit.Act{})
	must(b.t, err)
	if r.Status != refund.Final {
		b.t.Fatalf("the refund is %s", r.Status)
	}
}

// cancelled ends the refund.
func (b *bundle) cancelled(r refund.Refund) refund.Refund {
	b.t.Helper()
	r, err := b.refunds().Cancel(b.t.Context(), r, audit.Act{})
	must(b.t, err)
	return r
}

// soon waits until the open page says the texts, and returns all that it says.
func soon(ctx context.Context, t *testing.T, texts ...string) string {
	t.Helper()
	var seen string
	for range 80 {
		seen = strings.ReplaceAll(inSight(ctx, t), "\u00a0", " ")
		if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(seen, text) }) {
			return seen
		}
		browser.Run(ctx, t, chromedp.Sleep(250*time.Millisecond))
	}
	t.Fatalf("the page does not say %q:\n%s", texts, seen)
	return ""
}

// TestPageSame_Refund: the page of a paid payment says at its top what of it goes back, live and loaded again, and so
// does that of its merchant.
func TestPageSame_Refund(t *testing.T) {
	t.Parallel()
	b, origin := serveDashboard(t)
	m := b.shop(b.member(ownerEmail))
	s := b.surfer()
	s.signIn(ownerEmail)
	p := b.start(b.newPayment(m), chain.Polygon)
	p = b.deposit(p, p.Amount, true)
	ctx, owner := browser.New(t, browser.Phone), browser.New(t, browser.Desktop)
	enterDashboard(owner, t, origin, ownerEmail)
	browser.Run(ctx, t, chromedp.Navigate(origin+"/pay?txnid="+string(p.ID)+"&lang=en"))
	browser.Run(owner, t, chromedp.Navigate(origin+"/dashboard/payments/"+string(p.ID)))
	var r refund.Refund
	for _, x := range []struct {
		name            string
		change          func()
		payer, merchant string
		card            string // of the refund
	}{
		{
			"Asked", func() { r = b.refundOf(p, "20") }, "wants to send 20.00 USDC back",
			"$20.00 is to be sent back, once", "Waits for the payer's address",
		},
		{
			"Ready", func() { r = b.addressed(r) },
			"will send 20.00 USDC back to the address", "$20.00 is to be sent back: send it below", "Ready to be sent",
		},
		{
			"Sent", func() { r = b.asked(r) }, "20.00 USDC is on its way back", "$20.00 is on its way back",
			"Your wallet was asked to send the refund",
		},
		{
			"Part", func() { b.arrived(r) }, "20.00 USDC of it was sent back",
			"Paid: $49.90 in USDC on Polygon. $20.00 of it was sent back", "Arrived",
		},
		{
			"RestAsked", func() { r = b.refundOf(p, "") }, "wants to send 29.90 USDC back",
			"$20.00 of it was sent back. $29.90 is to be sent back, once", "Waits for the payer's address",
		},
		{
			"Cancelled", func() { r = b.cancelled(r) }, "20.00 USDC of it was sent back.\nWhen",
			"$20.00 of it was sent back.", "Cancelled",
		},
		{
			"All", func() { b.arrived(b.asked(b.addressed(b.refundOf(p, "")))) },
			"Sent back\nAll of it was sent back: 49.90 USDC", "All of it was sent back: $49.90.", "Arrived",
		},
	} {
		t.Run(x.name, func(t *testing.T) {
			x.change()
			live, ownerLive := soon(ctx, t, x.payer), soon(owner, t, x.merchant, x.card)
			browser.Run(ctx, t, chromedp.Reload())
			browser.Run(owner, t, chromedp.Reload())
			if again := soon(ctx, t, x.payer); again != live {
				t.Errorf("live:\n%s\n\nloaded again:\n%s", live, again)
			}
			if again := soon(owner, t, x.merchant, x.card); again != ownerLive {
				t.Errorf("the merchant's page, live:\n%s\n\nloaded again:\n%s", ownerLive, again)
			}
			if paid := strings.Contains(live, "Nordlicht has received your payment"); paid == (x.name == "All") {
				t.Errorf("the page says that it is paid: %t\n%s", paid, live)
			}
			s.get("/dashboard/payments/"+string(p.ID)).wants(t, 200, x.merchant)
			part := strings.Contains(s.get("/dashboard/payments").body, `data-status="PART_RETURNED">Partly refunded<`)
			if want := x.name == "Part" || x.name == "RestAsked" || x.name == "Cancelled"; part != want {
				t.Errorf("the list says that it was partly refunded: %t", part)
			}
		})
	}
	s.get("/dashboard/payments").wants(t, 200, `data-status="RETURNED">Refunded<`, "Refunded:", "49.90 USDC")
	page := s.get("/dashboard/payments/" + string(p.ID)).body
	if strings.Contains(page, "Paid: $") || !strings.Contains(page, `data-status="RETURNED"`) {
		t.Error("the merchant's page says that a payment is paid of which nothing is left")
	}
	b.run(t, []scenario{{
		name: "receipt", method: "GET", path: "/pay/" + string(p.ID) + "/receipt?lang=en", status: 200,
		want: []string{"Sent back", "49.90\u00a0USDC</bdi>"},
	}})
}

// TestRefund_Shown: what goes back of a payment that is not simply paid.
func TestRefund_Shown(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	part := func(p payment.Payment) payment.Payment { return b.deposit(p, 3*money.USD, true) }
	over := func(p payment.Payment) payment.Payment { return b.deposit(p, 12*money.USD, true) }
	for name, c := range map[string]struct {
		came            func(payment.Payment) payment.Payment
		back            string
		payer, merchant string
		not             string // on either page
		needs           string // what the page of what needs the merchant says of it; empty: it is not there
	}{
		"OverTheRest": {over, "2", "2.00\u00a0USDC of it was sent back", "Paid: $12.00 in USDC", "more than", ""},
		"OverAPart": {
			over, "1.50", "You sent 0.50\u00a0USDC more than", "Paid, with $0.50 more than the $10.00", "All of it",
			"Paid, with $0.50 more than the $10.00 you asked for. Send the rest back, or keep it if your customer agrees. " +
				"$1.50 of it was sent back.",
		},
		"Late": {
			func(p payment.Payment) payment.Payment { return b.deposit(b.expire(p), 10*money.USD, true) }, "",
			"All of it was sent back: 10.00", "All of it was sent back: $10.00", `data-testid="ask"`, "",
		},
		"Short": {
			func(p payment.Payment) payment.Payment { return b.expire(part(p)) }, "",
			"All of it was sent back: 3.00", "All of it was sent back: $3.00", `data-testid="accept"`, "",
		},
		"ShortAPart": {
			func(p payment.Payment) payment.Payment { return b.expire(part(p)) }, "1",
			"1.00\u00a0USDC of it was sent back", "$1.00 of it was sent back", "All of it",
			"$1.00 of it was sent back",
		},
	} {
		p := c.came(b.start(b.newPaymentOf(m, "10"), chain.Polygon))
		b.arrived(b.asked(b.addressed(b.refundOf(p, c.back))))
		payer := b.ask("GET", "/pay?txnid="+string(p.ID)+"&lang=en", "").body
		merchant := s.get("/dashboard/payments/" + string(p.ID)).body
		if !strings.Contains(payer, c.payer) || strings.Contains(payer, c.not) {
			t.Errorf("%s: the payer reads %s", name, plainText(payer))
		}
		inbox := strings.Join(strings.Fields(tags.ReplaceAllString(s.get("/dashboard/attention").body, " ")), " ")
		if said := strings.Contains(inbox, c.needs); !said || c.needs == "" && strings.Contains(inbox, c.merchant) {
			t.Errorf("%s: what needs the merchant: %s", name, inbox)
		}
		if !strings.Contains(merchant, c.merchant) || strings.Contains(merchant, c.not) {
			t.Errorf("%s: the merchant reads %s", name, plainText(merchant))
		}
	}
}

// TestDonation_Thanks: who opens a donation by its number is thanked, as on the page of its campaign.
func TestDonation_Thanks(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	c := b.newCampaign(b.newMerchant(50))
	p := b.gift(c, `{"amount":5,"network":"POLYGON","token":"USDC"}`)
	b.deposit(p, p.Amount, true)
	b.run(t, []scenario{{
		name: "paid", method: "GET", path: "/pay?txnid=" + string(p.ID) + "&lang=en", status: 200,
		want: []string{"Thank you</h2>", "/donate/" + c.Slug}, not: []string{"Paid</h2>"},
	}})
}
