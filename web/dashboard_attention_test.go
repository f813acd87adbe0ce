package web

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/webhook"
)

// What a person must settle is counted on every page and listed once, with the act
// that settles it; the feed of events has it too.
func TestDashboard_Attention(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	s.get("/dashboard/attention").wants(t, 200, "No payment needs you")
	late := b.expire(b.start(b.newPaymentOf(m, "30"), chain.Polygon))
	b.deposit(late, 30*money.USD, true)
	over := b.start(b.newPaymentOf(m, "10"), chain.Polygon)
	b.deposit(over, 12*money.USD, true)
	overPage := "/dashboard/payments/" + string(over.ID)
	t.Run("Listed", func(t *testing.T) {
		s.get("/dashboard").wants(t, 200, `data-testid="needs">`, "2 payments need your attention")
		s.get("/dashboard/attention").wants(t, 200,
			"needs-"+string(late.ID), "$30.00 arrived after the payment expired", "Accept $30.00",
			"needs-"+string(over.ID), "$2.00 more than the $10.00 you asked for")
		s.get("/dashboard/payments?status=ATTENTION").wants(t, 200, "row-"+string(late.ID), "row-"+string(over.ID))
		s.get(overPage).wants(t, 200, "Send it back", "Keep it, or mark as settled", "0x", `<a href="#refunds"`)
	})
	t.Run("Settled", func(t *testing.T) {
		s.post("/dashboard/payments/"+string(late.ID)+"/accept").leads(t, "/dashboard/payments/"+string(late.ID))
		s.post(overPage+"/resolve", "note", "sent back\u202e").wants(t, 400, "visible")
		s.post(overPage+"/resolve", "note", "sent $2 back by hand").leads(t, "/dashboard/attention")
		s.post(overPage+"/resolve").wants(t, 409, "Nothing about this payment needs attention")
		s.get("/dashboard/attention").wants(t, 200, "No payment needs you")
		s.get(overPage).wants(t, 200, "Marked as settled", "sent $2 back by hand")
	})
	events, _, err := b.store.PublicEvents(t.Context(), m.key.ID, "", payment.MaxPage)
	must(t, err)
	var got []string
	for _, e := range events {
		got = append(got, string(e.Type))
	}
	for _, want := range []string{"payment.late", "payment.over"} {
		if n := strings.Count(" "+strings.Join(got, " ")+" ", " "+want+" "); n != 1 {
			t.Errorf("the feed has %d of %s: %v", n, want, got)
		}
	}
}

// A customer who asks stands before what nobody waits for, and who has the least time left stands first.
func TestDashboard_AttentionAsked(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	asks := func() payment.Payment {
		p := b.start(b.newPaymentOf(m, "30"), chain.Polygon)
		p = b.deposit(p, 20*money.USD, true)
		b.ask("POST", "/pay/"+string(p.ID)+"/ask", "", asForm...)
		return p
	}
	soon := asks()
	b.clock.advance(time.Minute)
	later := asks()
	over := b.start(b.newPaymentOf(m, "10"), chain.Polygon)
	b.deposit(over, 12*money.USD, true)
	page := s.get("/dashboard/attention").body
	at := func(p payment.Payment) int { return strings.Index(page, "needs-"+string(p.ID)) }
	if at(soon) < 0 || at(soon) > at(later) || at(later) > at(over) {
		t.Errorf("asked with little time at %d, asked at %d, another at %d", at(soon), at(later), at(over))
	}
	if n := strings.Count(page, "Time left: "); n != 2 {
		t.Errorf("the time left stands %d times: %s", n, plainText(page))
	}
}

// What is like another is settled with it in three clicks: all ticked, opened, settled. What needs a look is not
// touched, and what a shop keeps anyway is not asked about.
func TestDashboard_AttentionBulk(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	start := func() payment.Payment { return b.start(b.newPaymentOf(m, "10"), chain.Polygon) }
	ids, over := url.Values{}, []payment.Payment{}
	for range 10 {
		p := start()
		b.deposit(p, 12*money.USD, true)
		over, ids["txnid"] = append(over, p), append(ids["txnid"], string(p.ID))
	}
	late, short := b.expire(start()), start()
	b.deposit(late, 10*money.USD, true)
	b.deposit(short, 4*money.USD, true)
	b.expire(short)
	stranger := b.shop(b.member("other@shop.example"))
	theirs := b.start(b.newPaymentOf(stranger, "10"), chain.Polygon)
	b.deposit(theirs, 12*money.USD, true)
	ids["txnid"] = append(ids["txnid"], string(late.ID), string(short.ID), string(theirs.ID), "nonsense")
	page := s.get("/dashboard/attention")
	if page.wants(t, 200, "Tick all"); strings.Count(page.body, `form="bulk"`) != 11 {
		t.Errorf("%d payments can be ticked, want 11", strings.Count(page.body, `form="bulk"`))
	}
	s.do("POST", "/dashboard/attention", ids).leads(t, "/dashboard/attention")
	left := s.get("/dashboard/attention")
	left.wants(t, 200, "Accepted: 1 payment. Kept what came beyond: 10 payments.", "needs-"+string(short.ID))
	for _, p := range append(over, late) {
		if strings.Contains(left.body, "needs-"+string(p.ID)) {
			t.Errorf("%s still needs its merchant", p.ID)
		}
	}
	for p, want := range map[payment.ID]int{theirs.ID: 1, short.ID: 1, late.ID: 0} {
		got, err := b.payments.Get(t.Context(), string(p))
		must(t, err)
		if n := len(got.Attention()); n != want {
			t.Errorf("%s has %d reasons for attention, want %d", p, n, want)
		}
	}
	keep := func(most string) reply {
		return s.post("/dashboard/settings/payouts/options", "key", m.key.PublicID, "short", "0", "late", "0",
			"POLYGON.enabled", "yes", "POLYGON.USDC", "yes", "over", most, "password", testPassword)
	}
	keep("100.01").wants(t, 400, "Enter an amount from 0 to 100.")
	keep("2").leads(t, "/dashboard/settings/payouts?key="+m.key.PublicID)
	kept, asked := start(), start()
	b.deposit(kept, 12*money.USD, true)
	b.deposit(asked, 12_010_000, true)
	left = s.get("/dashboard/attention")
	if left.wants(t, 200, "needs-"+string(asked.ID)); strings.Contains(left.body, "needs-"+string(kept.ID)) {
		t.Error("the shop is asked about two dollars that it keeps")
	}
}

// A customer who asks stands first however many newer payments need the merchant.
func TestDashboard_AttentionAskedLongAgo(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	_, err := b.accounts.Grant(t.Context(), m.key, merchant.Grant{Credits: report.MaxPage}, audit.Act{Who: "operator"})
	must(t, err)
	asked := b.deposit(b.start(b.newPaymentOf(m, "30"), chain.Polygon), 20*money.USD, true)
	b.ask("POST", "/pay/"+string(asked.ID)+"/ask", "", asForm...)
	for range report.MaxPage {
		b.deposit(b.start(b.newPaymentOf(m, "10"), chain.Polygon), 12*money.USD, true)
	}
	page := s.get("/dashboard/attention").body
	if first := strings.Index(page, `data-testid="needs-`); first < 0 ||
		!strings.HasPrefix(page[first:], `data-testid="needs-`+string(asked.ID)) {
		t.Errorf("the one who asks does not stand first: %s", plainText(page)[:400])
	}
	if n := strings.Count(page, `data-testid="needs-`); n != 25 {
		t.Errorf("%d payments are listed", n)
	}
}

// Each kind of payment that needs its merchant is in the inbox once, with a sentence
// that says what happened and the act that settles it.
func TestDashboard_AttentionKinds(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	start := func() payment.Payment { return b.start(b.newPaymentOf(m, "30"), chain.Polygon) }
	short := start()
	b.deposit(short, 20*money.USD, true)
	b.expire(short)
	over := start()
	b.deposit(over, 32*money.USD, true)
	late := b.expire(start())
	b.deposit(late, 30*money.USD, true)
	other := start()
	b.bridge(other, 30_000_000)
	reorged := start()
	b.reorg(reorged)
	for _, x := range []struct {
		kind      string
		p         payment.Payment
		says, act string
	}{
		{"short", short, "$20.00 of $30.00 arrived before the payment expired. Accept it", "Accept $20.00"},
		{"over", over, "$2.00 more than the $30.00 you asked for", "Send it back"},
		{"late", late, "$30.00 arrived after the payment expired. Accept it", "Accept $30.00"},
		{"other token", other, "USDC.e on Polygon arrived, which was not asked for", "Accept 30.00 USDC.e"},
		{"reorged", reorged, "The network took money of this payment back", "See details"},
	} {
		item := needs(s.get("/dashboard/attention").body, x.p)
		for _, want := range []string{x.says, x.act} {
			if !strings.Contains(item, want) {
				t.Errorf("%s: the inbox lacks %q: %s", x.kind, want, item)
			}
		}
	}
	if page := s.get("/dashboard/payments/" + string(reorged.ID)).body; strings.Contains(page, "/receipt") {
		t.Error("a receipt is offered for money that is not there")
	}
	s.get("/dashboard").wants(t, 200, `data-testid="needs">5<`, "5 payments need your attention")
}

// A webhook that fails and a wallet that is missing are counted and listed too, each with the one act that settles it.
func TestDashboard_AttentionAlerts(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	owner := b.member(ownerEmail)
	m := b.shop(owner)
	s := b.surfer()
	s.signIn(ownerEmail)
	const page = "/dashboard/attention"
	counts := func(want string, says ...string) {
		t.Helper()
		s.get("/dashboard").wants(t, 200, append(says, `data-testid="needs">`+want+`<`)...)
		s.get(page).wants(t, 200, append(says, `data-testid="needs">`+want+`<`)...)
	}
	t.Run("Webhooks", func(t *testing.T) {
		for _, state := range []webhook.State{webhook.Failed, webhook.Waiting} {
			_, err := b.payments.Cancel(t.Context(), string(b.newPaymentOf(m, "3").ID), audit.Act{})
			must(t, err)
			b.refuseWebhooks(state)
		}
		b.clock.advance(30 * time.Minute) // a first failure may pass by itself
		b.refuseWebhooks(webhook.Waiting)
		counts("1", "1 failed so far and will be tried again, 1 failed for good", "Send them again")
		viewer, _ := b.colleague(owner, "viewer@shop.example", merchant.RoleViewer)
		r := viewer.get(page)
		if r.wants(t, 200, "See the answers"); strings.Contains(r.body, "Send them again") {
			t.Errorf("a viewer is offered: %s", plainText(r.body))
		}
		s.press(page, "again-"+m.key.PublicID).leads(t, page)
		s.get(page).wants(t, 200, "2 failed webhooks are being sent again.")
		list, err := b.store.Reports().Deliveries(t.Context(), report.DeliveryQuery{KeyID: m.key.ID, Limit: 9})
		must(t, err)
		for _, x := range list {
			if x.State != webhook.Waiting || x.DueAt.After(b.clock.Now()) {
				t.Errorf("after it was sent again: %+v", x)
			}
		}
		b.clock.advance(25 * time.Hour)
	})
	t.Run("Wallet", func(t *testing.T) {
		change := func(in merchant.CustodianInput) {
			t.Helper()
			_, _, err := b.accounts.ArrangeCustodian(t.Context(), m.key, in, audit.Act{})
			must(t, err)
		}
		change(merchant.CustodianInput{Wallets: map[chain.Network]string{chain.Base: ""}})
		counts("1", "has no wallet on Base, so your customers cannot pay there", "Add the wallet",
			`href="/dashboard/settings/payouts?key=`+m.key.PublicID)
		off := []merchant.NetworkInput{{Network: chain.Base, Enabled: new(false)}}
		change(merchant.CustodianInput{Networks: off})
		if r := s.get(page); strings.Contains(r.body, "no wallet") || strings.Contains(r.body, `data-testid="needs"`) {
			t.Errorf("a network that is not wanted needs the merchant: %s", plainText(r.body))
		}
	})
}

// press sends the form of a button with the values on the page.
func (s *surfer) press(page, form string) reply {
	s.b.t.Helper()
	_, text, _ := strings.Cut(s.get(page).body, `<form id="`+form+`"`)
	text, _, _ = strings.Cut(text, "</form>")
	action := regexp.MustCompile(`action="([^"]*)"`).FindStringSubmatch(text)
	if action == nil {
		s.b.t.Fatalf("%s has no form %s", page, form)
	}
	var values []string
	for _, in := range regexp.MustCompile(`name="([^"]*)" value="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		values = append(values, in[1:]...)
	}
	return s.post(action[1], values...)
}

// needs is the visible text of the payment in the inbox.
func needs(page string, p payment.Payment) string {
	_, item, _ := strings.Cut(page, `data-testid="needs-`+string(p.ID)+`"`)
	item, _, _ = strings.Cut(item, "</li>")
	return plainText("<li" + item)
}

// reorg completes the payment with money that is not finalized, and takes the money
// back, as a reorganisation of the network does.
func (b *bundle) reorg(p payment.Payment) {
	b.t.Helper()
	p = b.deposit(p, p.Amount, false)
	at := p.Deposits[0].Transfer.Block
	seen := payment.View{
		Network: p.Choice.Network, From: at.Number, To: at.Number, Final: at,
		Transfers: []chain.Transfer{p.Deposits[0].Transfer},
	}
	gone := payment.View{Network: p.Choice.Network, From: at.Number, To: at.Number}
	for _, v := range []payment.View{seen, gone} {
		_, err := b.store.UpdatePayment(b.t.Context(), p.ID, func(p payment.Payment) (payment.Change, error) {
			return p.Observe(v, b.clock.Now())
		})
		must(b.t, err)
	}
}
