package payment_test

import (
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// TestPayment_Unlisted: a token that is none of the network's is recorded and worth nothing, whatever its amount: it is
// no reason to look at the payment, cannot be accepted, and adds nothing to a payment that is completed by hand.
func TestPayment_Unlisted(t *testing.T) {
	t.Parallel()
	const mint chain.Address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	scam := chain.Asset{Network: chain.Polygon, Contract: mint, Symbol: string(mint), Decimals: 6}
	p := observe(t, started(t, "10"), view(chain.Polygon, 1, 9, 9,
		transfer(scam, "1000000000000", 3, "a", "x"), transfer(usdcPolygon, "4000000", 4, "a", "y")), t0).Payment
	if len(p.Deposits) != 2 || p.Received().Micros() != 4_000_000 || !p.Uncounted().IsZero() || len(p.Attention()) > 0 {
		t.Fatalf("received %v, uncounted %v, attention %v of %+v",
			p.Received(), p.Uncounted(), p.Attention(), p.Deposits)
	}
	c, err := p.MarkCompleted(payment.Actor{Name: "owner"}, t0)
	if err != nil || c.Payment.Received().Micros() != 4_000_000 || c.Payment.Standing() != payment.StandingPaid {
		t.Errorf("by hand it has received %v, %v", c.Payment.Received(), err)
	}
	only := observe(t, started(t, "10"), view(chain.Polygon, 1, 9, 9, transfer(scam, "50000000", 3, "a", "x")), t0).Payment
	if only.Acceptable() {
		t.Error("it can be accepted as the whole")
	}
}
