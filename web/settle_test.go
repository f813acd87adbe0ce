package web

import (
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/settlement"
)

const settlePath = "/dashboard/settings/settlement"

// The page shows what waits and by when it is sent. The merchant lets it wait longer, or asks for it.
func TestDashboard_Schedule(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	s.get(settlePath).wants(t, 200, `data-testid="nothing-waits"`, "As soon as $1,000.00 waits", "or after 24 hours")
	p := b.deposit(b.start(b.newPayment(m), chain.Polygon), 25_000_000, true)
	s.get(settlePath).wants(t, 200, "Polygon", "$25", `data-testid="settle-now"`)

	key := m.key.PublicID
	refused := func(atOnce, hours, want string) {
		t.Helper()
		r := s.post(settlePath, "key", key, "atOnce", atOnce, "hours", hours)
		if r.status != 400 && r.status != 422 || !strings.Contains(r.body, want) {
			t.Errorf("%s and %s hours: %d, without %q", atOnce, hours, r.status, want)
		}
	}
	refused("999", "24", "must be from $1000.00 to $1000000.00")
	refused("1000", "23", "must be from 24 to 168")
	refused("1000", "169", "must be from 24 to 168")
	refused("much", "soon", "Enter a whole number of hours.")
	s.post(settlePath, "key", key, "atOnce", "2500", "hours", "48").leads(t, settlePath+"?key="+key)
	s.get(settlePath).wants(t, 200, "As soon as $2,500.00 waits", "or after 48 hours")

	s.post(settlePath+"/now", "key", key).leads(t, settlePath+"?key="+key)
	s.get(settlePath).wants(t, 200, `data-testid="asked"`)
	due, err := b.store.Settlement().DepositBalances(t.Context(), chain.Polygon,
		settlement.Query{Now: b.clock.Now(), Limit: 10})
	must(t, err)
	if len(due) != 1 || due[0].PaymentID != string(p.ID) || !due[0].Urgent || due[0].Wait != 48*time.Hour {
		t.Errorf("what is due is %+v", due)
	}
	if r := s.post(settlePath+"/now", "key", key); r.status != 409 || !strings.Contains(r.body, "less than an hour ago") {
		t.Errorf("asked again: %d", r.status)
	}
}

// Another merchant's key is unknown here.
func TestDashboard_ScheduleOfAnother(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	b.member("eve@shop.example")
	eve := b.surfer()
	eve.signIn("eve@shop.example")
	eve.get(settlePath+"?key="+m.key.PublicID).wants(t, 404)
	eve.post(settlePath, "key", m.key.PublicID, "atOnce", "2500", "hours", "48").wants(t, 404)
	eve.post(settlePath+"/now", "key", m.key.PublicID).wants(t, 404)
	schedule, err := b.store.Settlement().Schedule(t.Context(), m.key.ID)
	must(t, err)
	if schedule != (settlement.Schedule{}) {
		t.Errorf("another merchant made it %+v", schedule)
	}
}
