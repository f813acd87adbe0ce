package web

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// Each kind of payment that needs its merchant is in the inbox once, with a sentence
// that says what happened and the act that settles it.
func TestDashboard_AttentionKinds(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	s := b.surfer()
	s.signIn(ownerEmail)
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
	s.get("/dashboard").wants(t, 200, `data-testid="needs">5<`, "5 payments need your attention")
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
