package web

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// A link keeps its address when its text and amount change: a printed sign goes on working. What payers read needs a
// password, and payments made before stay as they were.
func TestDashboard_LinkEdit(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	draft := campaign.LinkDraft{Slug: "bag", Description: "One bag", Amount: "12.5"}
	_, err := b.campaigns.CreateLink(t.Context(), m.key.ID, draft, audit.Act{})
	must(t, err)
	before := b.postForm("/link/bag", nil)
	s := b.surfer()
	s.signIn(ownerEmail)
	page := "/dashboard/links/bag"
	edit := func(text, amount, password string) reply {
		return s.post(page+"/edit", "description", text, "amount", amount, "password", password)
	}
	edit("Two bags", "20", "wrong password").wants(t, 403, "The password is wrong.")
	edit("One bag", "-1", "").wants(t, 400, `value="-1"`)
	edit("Two bags", "20", testPassword).leads(t, page)
	s.get(page).wants(t, 200, "Two bags", "$20.00", "0 payments, $0.00")
	if got := b.mailed(1)[0]; !strings.Contains(got, "Two bags") {
		t.Errorf("the owners are mailed %q", got)
	}
	b.ask("GET", "/link/bag", "").wants(t, 200, "Two bags", "20.00")
	for location, want := range map[string]money.Micros{
		before.header.Get("Location"): 12_500_000, b.postForm("/link/bag", nil).header.Get("Location"): 20 * money.USD,
	} {
		_, id, _ := strings.Cut(location, "txnid=")
		p, err := b.payments.Get(t.Context(), id[:26])
		must(t, err)
		if p.Amount != want {
			t.Errorf("a payment asks for %s, want %s", p.Amount, want)
		}
		b.deposit(b.start(p, chain.Polygon), want, true)
	}
	s.get(page).wants(t, 200, "2 payments, $32.50")
	s.get("/dashboard/links").wants(t, 200, "$32.50")
	s.get(page+"/sign").wants(t, 200, "Two bags", "$20.00", "/link/bag", `data-testid="print"`)
	b.shop(b.member("other@shop.example"))
	x := b.surfer()
	x.signIn("other@shop.example")
	x.post(page+"/edit", "description", "Mine", "password", testPassword).wants(t, 404)
	x.get(page+"/sign").wants(t, 404)
}
