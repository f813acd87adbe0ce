package web

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
)

func (r reply) wantsNot(t *testing.T, status int, texts ...string) {
	t.Helper()
	r.wants(t, status)
	for _, text := range texts {
		if strings.Contains(r.body, text) {
			t.Errorf("it has %s: %s", text, r.start())
		}
	}
}

// TestPaidTwice: an order that is paid twice needs its merchant, is in the feed, and on the pages of both payments; the
// page of a third asks first. A merchant whose references repeat switches that off.
func TestPaidTwice(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	order := func() payment.Payment {
		details := payment.Details{Reference: "order-7", CancelURL: "https://shop.example/cart"}
		p, err := b.payments.Create(
			t.Context(), payment.CreateInput{KeyID: m.key.ID, Amount: "30", Details: details}, audit.Act{},
		)
		must(t, err)
		return p
	}
	first, second, third := b.start(order(), chain.Polygon), b.start(order(), chain.Base), order()
	page := "/pay?txnid=" + string(third.ID)
	const asks, warns, ways = `data-testid="ask-twice"`, `data-testid="twice"`, `data-testid="choose"`
	b.ask("GET", page, "").wantsNot(t, 200, asks, warns)
	first = b.deposit(first, first.Amount, true)
	b.ask("GET", page, "").wants(t, 200, asks, `view=again`, "https://shop.example/cart")
	b.ask("GET", page, "").wantsNot(t, 200, ways)
	b.ask("GET", page+"&view=again", "").wants(t, 200, warns, ways)
	b.ask("GET", page+"&lang=de", "").wants(t, 200, "Diese Bestellung ist schon bezahlt")
	address := string(second.Routes[0].Address.Address)
	b.ask("GET", "/pay?txnid="+string(second.ID), "").wants(t, 200, warns, address)
	s.get("/dashboard/attention").wants(t, 200, "No payment needs you")

	second = b.deposit(second, second.Amount, true)
	const before = "reference order-7 was paid before"
	if n := needs(s.get("/dashboard/attention").body, second); !strings.Contains(n, before) {
		t.Errorf("needs attention says %q", n)
	}
	types, data := b.feedOf(m)
	if i := slices.Index(types, "payment.duplicate"); i < 0 || !strings.Contains(data, `"duplicateOf":"`+string(first.ID)) {
		t.Errorf("the feed has %v: %s", types, data)
	}
	for _, x := range []struct{ of, names payment.Payment }{{first, second}, {second, first}} {
		s.get("/dashboard/payments/"+string(x.of.ID)).wants(t, 200, fmt.Sprintf("/dashboard/payments/%s", x.names.ID))
	}
	s.post("/dashboard/payments/"+string(second.ID)+"/resolve", "note", "sent back").leads(t, "/dashboard/attention")

	_, _, err := b.accounts.ArrangeCustodian(
		t.Context(), m.key, merchant.CustodianInput{Repeats: new(true)}, audit.Act{},
	)
	must(t, err)
	s.get("/dashboard/settings/payouts").wants(t, 200, `name="repeats" value="yes" checked`)
	b.ask("GET", page, "").wantsNot(t, 200, asks, warns)
	b.deposit(b.start(third, chain.Polygon), third.Amount, true)
	s.get("/dashboard/attention").wants(t, 200, "No payment needs you")
}
