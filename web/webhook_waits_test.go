package web

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
)

// What is due while there is no callback address waits for the next one: needs attention says so, and a person may stop
// it.
func TestDashboard_WebhooksWait(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	address := func(url string) {
		in := merchant.CustodianInput{CallbackURL: &url}
		_, _, err := b.accounts.ArrangeCustodian(t.Context(), m.key, in, audit.Act{})
		must(t, err)
	}
	cancel := func() payment.Payment {
		p, err := b.payments.Cancel(t.Context(), string(b.newPayment(m).ID), audit.Act{})
		must(t, err)
		return p
	}
	s := b.surfer()
	s.signIn(ownerEmail)
	const waits = "wait for a callback address"
	if r := s.get("/dashboard/attention"); strings.Contains(r.body, waits) {
		t.Error("nothing waits")
	}
	address("")
	cancel()
	cancel()
	s.get("/dashboard/attention").wants(t, 200, "2 webhooks of", waits, "Do not send them")
	s.get("/dashboard/webhooks").wants(t, 200, "until there is a callback address")
	s.post("/dashboard/webhooks/stop", "key", m.key.PublicID).leads(t, "/dashboard/webhooks?key="+m.key.PublicID)
	if r := s.get("/dashboard/attention"); strings.Contains(r.body, waits) {
		t.Error("what was stopped still waits")
	}
	cancel()
	if r := s.get("/dashboard/attention"); strings.Contains(r.body, waits) {
		t.Error("a merchant who has no address and stopped what waited is asked for one")
	}
}
