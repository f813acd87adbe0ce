package web

import (
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
