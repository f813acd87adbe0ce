package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views/checkout"
)

// TestLivePage_Reversed: an open page that says "Paid" stays up to date until the network has finalized the money,
// and is notified when a reorg takes it back. There is no receipt then.
func TestLivePage_Reversed(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	srv := httptest.NewServer(b.server.Handler())
	defer srv.Close()
	p := b.start(b.newPayment(b.newMerchant(5)), chain.Polygon)
	live := b.openLive(srv, p, b.tag(p))
	p = b.deposit(p, p.Amount, false)
	live.step()
	block := p.Deposits[0].Transfer.Block
	p = b.view(p, payment.View{
		From: block.Number, To: block.Number, Final: block, Transfers: []chain.Transfer{p.Deposits[0].Transfer},
	})
	if p.Status != payment.Completed {
		t.Fatalf("the payment is %s", p.Status)
	}
	if paid := live.step(); !strings.Contains(paid, `data-testid="paid"`) {
		t.Fatalf("the page is sent %s", paid)
	}
	b.view(p, payment.View{From: block.Number, To: block.Number, Final: block})
	if reversed := live.step(); !strings.Contains(reversed, `data-testid="reversed"`) {
		t.Errorf("after the reorg the page is sent %s", reversed)
	}
	if a := b.ask(http.MethodGet, checkout.ActPath(string(p.ID), "receipt", ""), ""); a.status != http.StatusSeeOther {
		t.Errorf("the receipt answers %d", a.status)
	}
}

// step is the next step that the page is sent; empty when the stream has ended.
func (e events) step() string {
	for {
		name, data, ok := e.next()
		if name == "stage" || !ok {
			return data
		}
	}
}

// view applies what a range of blocks holds for a payment.
func (b *bundle) view(p payment.Payment, v payment.View) payment.Payment {
	b.t.Helper()
	v.Network = p.Choice.Network
	p, err := b.store.UpdatePayment(b.t.Context(), p.ID, func(p payment.Payment) (payment.Change, error) {
		return p.Observe(v, b.clock.Now())
	})
	must(b.t, err)
	return p
}
