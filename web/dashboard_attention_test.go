package web

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// What a person must settle is counted on every page and listed once, with the act
// that settles it; the feed of events has it too.
func TestDashboard_Attention(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	s := b.surfer()
	s.signIn(ownerEmail)
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
		s.get(overPage).wants(t, 200, "Send it back", "Settled in another way", "0x")
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
