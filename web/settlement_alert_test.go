package web

import (
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// Money that has not reached the merchant's wallet for longer than a sweep takes is in
// the inbox, on the overview and in the count of the navigation, with the payment it
// belongs to; another merchant's is not.
func TestDashboard_SettlementStuck(t *testing.T) {
	t.Parallel()
	b := newDashboard(t, func(d *Deps, _ *Options) { d.Dashboard.Dust = money.USD / 2 })
	m := b.shop(b.member(ownerEmail))
	s, other := b.surfer(), b.surfer()
	b.shop(b.member("eve@shop.example"))
	s.signIn(ownerEmail)
	other.signIn("eve@shop.example")
	paid := b.start(b.newPayment(m), chain.Polygon)
	paid = b.deposit(paid, paid.Amount, true)
	second := b.start(b.newPayment(m), chain.Polygon)
	b.deposit(second, second.Amount, true)
	dust := b.start(b.newPaymentOf(m, "0.10"), chain.Base)
	b.deposit(dust, dust.Amount, true)
	const stuck = "has not reached your wallet"
	for _, page := range []string{"/dashboard", "/dashboard/attention"} {
		if r := s.get(page); strings.Contains(r.body, stuck) {
			t.Errorf("%s says too soon: %s", page, plainText(r.body))
		}
	}
	b.clock.advance(37 * time.Hour)
	for _, page := range []string{"/dashboard", "/dashboard/attention"} {
		r := s.get(page)
		r.wants(t, 200, "Money of 2 payments on Polygon "+stuck, `href="/dashboard/payments/`+string(paid.ID)+`"`,
			`data-testid="needs">1<`)
		if strings.Contains(r.body, "on Base "+stuck) {
			t.Errorf("%s: dust is said to be stuck", page)
		}
		if r := other.get(page); strings.Contains(r.body, stuck) {
			t.Errorf("%s: another merchant reads it", page)
		}
	}
}
