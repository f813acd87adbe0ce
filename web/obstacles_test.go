package web

import (
	"html"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// limit changes what the merchant takes on a network; max 0 is no limit.
func (b *bundle) limit(m seller, n chain.Network, enabled bool, least, most money.Micros) {
	b.t.Helper()
	options := merchant.NetworkInput{Network: n, Enabled: &enabled, MinAmount: &least, MaxAmount: &most}
	in := merchant.CustodianInput{Networks: []merchant.NetworkInput{options}}
	_, _, err := b.accounts.ArrangeCustodian(b.t.Context(), m.key, in, audit.Act{})
	must(b.t, err)
}

// What the shop's own limits and switches exclude on every network is refused at creation, with the bounds; what one
// network takes is created.
func TestCreate_AmountNotOffered(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(30)
	create := func(amount string) reply {
		t.Helper()
		return b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":`+amount+`,"reference":"`+amount+`"}`, "Idempotency-Key", amount)
	}
	refused := func(amount string, bounds ...string) {
		t.Helper()
		for name, got := range map[string]reply{
			"REST": create(amount), "GraphQL": b.graphQL(`mutation { payment(apiKey: "`+m.text+`", amount: `+amount+`) { code message reason } }`, ""),
		} {
			if !strings.Contains(got.body, `"code":422`) || !strings.Contains(got.body, `"reason":"amount_not_offered"`) {
				t.Errorf("%s, %s: %s", name, amount, got.body)
			}
			for _, x := range bounds {
				if !strings.Contains(got.body, x) {
					t.Errorf("%s, %s: the answer does not say %q: %s", name, amount, x, got.body)
				}
			}
		}
		link := campaign.LinkDraft{Slug: "too-much", Amount: amount}
		_, err := b.campaigns.CreateLink(t.Context(), m.key.ID, link, audit.Act{})
		if f := fault.Of(err); f == nil || f.Field != "amount" {
			t.Errorf("a link of %s that nobody could pay was made", amount)
		}
	}
	b.limit(m, chain.BEP20, true, 10*money.USD, 12*money.USD)
	b.limit(m, chain.Polygon, true, 20*money.USD, 0)
	if got := create("5"); got.status != 200 { // BASE has no limits
		t.Errorf("%d %s", got.status, got.body)
	}
	b.limit(m, chain.Base, true, 0, 15*money.USD)
	refused("15.50", "BEP20 takes 10 to 12", "POLYGON takes at least 20", "BASE takes at most 15")
}

func TestCreate_Bounds(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(30)
	for amount, ok := range map[string]bool{"9.99": false, "10": true, "100": true, "100.01": false} {
		for _, n := range []chain.Network{chain.BEP20, chain.Polygon, chain.Base} {
			b.limit(m, n, true, 10*money.USD, 100*money.USD)
		}
		got := b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":`+amount+`}`)
		if (got.status == 200) != ok || !ok && got.text(t, "reason") != "amount_not_offered" {
			t.Errorf("%s: %d %s", amount, got.status, got.body)
		}
	}
	for _, n := range []chain.Network{chain.BEP20, chain.Polygon, chain.Base} {
		b.limit(m, n, false, 0, 0)
	}
	off := b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":50}`, "Idempotency-Key", "order")
	if off.status != 422 || off.text(t, "reason") != "amount_not_offered" ||
		!strings.Contains(off.body, "switched off") {
		t.Errorf("all networks off: %d %s", off.status, off.body)
	}
	b.limit(m, chain.Base, true, 0, 0)
	if on := b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":50}`, "Idempotency-Key", "order"); on.status != 200 {
		t.Errorf("the refusal outlives its cause: %d %s", on.status, on.body)
	}
}

// What lacks wallets or credits is created, as the contract says: the answer warns, and the page says why and leads
// back to the shop.
func TestCreate_Obstacles(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	bare, poor, both := b.newKey(5, 0), b.newMerchant(0), b.newKey(1, 0)
	must(t, b.makeCustodian(bare, nil))
	must(t, b.makeCustodian(both, nil))
	const noWallet, noCredits = "wallets: the custodian has no settlement wallet", "apiKey: the key has no credits left"
	for name, x := range map[string]struct {
		m    seller
		want []string
	}{
		"no wallets": {bare, []string{noWallet}}, "no credits": {poor, []string{noCredits}},
		"neither": {both, []string{noWallet, noCredits}},
	} {
		got := b.ask("POST", "/create-payment", `{"apiKey":"`+x.m.text+`","amount":5,"cancelUrl":"https://shop.example/cart?id=7"}`)
		said := got.warned(t, "warnings")
		for _, want := range x.want {
			if got.status != 200 || !strings.Contains(said, want) || strings.Count(said, "\n") != len(x.want)-1 {
				t.Errorf("%s: %d, warned of %q", name, got.status, said)
			}
		}
		byGraphQL := b.graphQL(`mutation { payment(apiKey: "`+x.m.text+`", amount: 5) { code warnings { field reason } } }`, "")
		if byGraphQL.warned(t, "data.payment.warnings") != said {
			t.Errorf("%s over GraphQL: %s", name, byGraphQL.body)
		}
		shown := b.ask("GET", "/pay?txnid="+got.text(t, "transaction.txnid"), "", "Accept", "text/html")
		page := html.UnescapeString(shown.body)
		if !strings.Contains(page, `data-testid="blocked"`) || strings.Contains(page, `data-testid="choose"`) ||
			!strings.Contains(page, "cannot accept payments at the moment") ||
			strings.Contains(page, "in a few minutes") ||
			!strings.Contains(page, "https://shop.example/cart?id=7&status=pending&txnid=") {
			t.Errorf("%s: the page does not say why, or leads nowhere: %s", name, page)
		}
	}
	ready := b.newMerchant(5)
	got := b.ask("POST", "/create-payment", `{"apiKey":"`+ready.text+`","amount":5}`)
	page := b.ask("GET", "/pay?txnid="+got.text(t, "transaction.txnid"), "", "Accept", "text/html")
	if strings.Contains(got.body, "warnings") || !strings.Contains(page.body, `data-testid="choose"`) {
		t.Errorf("a payment that can be paid: %s", got.body)
	}
	b.networks.fallBehind(chain.Base)
	if again := b.ask("POST", "/create-payment", `{"apiKey":"`+ready.text+`","amount":5}`); strings.Contains(again.body, "warnings") {
		t.Errorf("a network that is behind for the moment is an obstacle: %s", again.body)
	}
	topUp := payment.Payment{KeyID: ready.key.ID, Kind: payment.KindTopUp, Status: payment.Pending}
	blocked, err := b.payments.Blocked(t.Context(), topUp)
	if blocked || err != nil {
		t.Errorf("a top-up is blocked: %v", err)
	}
}

// Needs attention counts a key whose payments nobody can pay, and says why.
func TestDashboard_Obstacles(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	for _, n := range []chain.Network{chain.BEP20, chain.Polygon, chain.Base} {
		b.limit(m, n, false, 0, 0)
	}
	s.get("/dashboard/attention").wants(t, 200, "offers none of its networks, so your customers cannot pay")
	must(t, func() error {
		_, _, err := b.accounts.ArrangeCustodian(t.Context(), m.key, merchant.CustodianInput{
			Wallets: map[chain.Network]string{chain.BEP20: "", chain.Polygon: "", chain.Base: ""},
		}, audit.Act{})
		return err
	}())
	s.get("/dashboard/attention").wants(t, 200, "has no wallets, so your customers cannot pay")
	s.post("/dashboard/create", "key", m.key.PublicID, "amount", "5").wants(t, 422, "problem-amount")
}
