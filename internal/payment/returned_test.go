package payment_test

import (
	"slices"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// refunded is what refunds take of the asset, in its smallest unit: what has arrived, and what is open.
func refunded(asset chain.Asset, arrived, open string) []payment.Refunded {
	r := payment.Refunded{Network: asset.Network, Contract: asset.Contract}
	for text, units := range map[string]*money.Units{arrived: &r.Arrived, open: &r.Open} {
		if err := units.UnmarshalText([]byte(text)); err != nil {
			panic(err)
		}
	}
	return []payment.Refunded{r}
}

// TestReturned_CompletesNothing: who was paid 6 of 10 back, and sends 4 then, has not paid 10.
func TestReturned_CompletesNothing(t *testing.T) {
	t.Parallel()
	short := paid(t, "6000000").Payment
	ended := expired(t, short).Payment
	ended.Terms.LateFor = 48 * time.Hour
	for name, p := range map[string]payment.Payment{"Started": short, "Expired": ended} {
		p.Refunded = refunded(usdcPolygon, "6000000", "0")
		if name == "Started" && p.Missing() != 10*money.USD {
			t.Errorf("%s: %s is missing", name, p.Missing())
		}
		four := transfer(usdcPolygon, "4000000", 15, "b", "y")
		p = observe(t, p, view(chain.Polygon, 10, 20, 20, four), p.ExpiresAt).Payment
		if p.Status == payment.Completed || p.Standing() != payment.StandingShort || p.Left().Micros() != 4*money.USD {
			t.Errorf("%s: %s, %s with %s", name, p.Status, p.Standing(), p.Left().Micros())
		}
		six := transfer(usdcPolygon, "6000000", 25, "c", "z")
		p = observe(t, p, view(chain.Polygon, 21, 30, 30, six), p.ExpiresAt).Payment
		if p.Status != payment.Completed || p.Received().Micros() != 16*money.USD {
			t.Errorf("%s, all: %s with %s", name, p.Status, p.Received().Micros())
		}
	}
}

// TestReturned_Late: enough came late, and went back in part: what is left is too little.
func TestReturned_Late(t *testing.T) {
	t.Parallel()
	p := late(t, "10000000").Payment
	p.Refunded = refunded(usdcPolygon, "9000000", "0")
	if p.Standing() != payment.StandingShort || !slices.Contains(p.Attention(), payment.ReasonShort) {
		t.Errorf("%s, %v", p.Standing(), p.Attention())
	}
	p.Refunded = refunded(usdcPolygon, "10000000", "0")
	if p.Standing() != payment.StandingReturned || p.Acceptable() {
		t.Errorf("all is back: %s, acceptable %t", p.Standing(), p.Acceptable())
	}
}

// TestReturned_Accepted: what was paid back of money that did not count is not owed again when the rest is accepted.
func TestReturned_Accepted(t *testing.T) {
	t.Parallel()
	other := view(chain.Polygon, 1, 9, 9, transfer(bridged, "12000000", 9, "a", "x"))
	p := observe(t, started(t, "10"), other, t0).Payment
	p.Refunded = refunded(bridged, "2000000", "0")
	c, err := p.Accept(payment.Actor{Name: "ada@shop.example"}, t0)
	if err != nil {
		t.Fatal(err)
	}
	if p = c.Payment; p.Excess() != 0 || p.Standing() != payment.StandingPaid || p.Arrived().Micros() != 10*money.USD {
		t.Errorf("%s over, %s with %s", p.Excess(), p.Standing(), p.Arrived().Micros())
	}
}

// TestReturning_CompletesNothing: what a refund is to pay back pays for nothing, until the refund is cancelled.
func TestReturning_CompletesNothing(t *testing.T) {
	t.Parallel()
	short := paid(t, "6000000").Payment
	ended := expired(t, short).Payment
	ended.Terms.LateFor = 48 * time.Hour
	for name, p := range map[string]payment.Payment{"Started": short, "Expired": ended} {
		p.Refunded = refunded(usdcPolygon, "0", "6000000")
		if name == "Started" && p.Missing() != 10*money.USD {
			t.Errorf("%s: %s is missing", name, p.Missing())
		}
		status := p.Status
		four := transfer(usdcPolygon, "4000000", 15, "b", "y")
		if p = observe(t, p, view(chain.Polygon, 10, 20, 20, four), p.ExpiresAt).Payment; p.Status != status {
			t.Errorf("%s: %s with 6 of 10 on their way back", name, p.Status)
		}
		if c := p.WithRefundEvent(payment.EventRefundSent, t0, nil); c.Payment.Status != status {
			t.Errorf("%s, sent: %s", name, c.Payment.Status)
		}
		p.Refunded = nil
		c := p.WithRefundEvent(payment.EventRefundCancelled, t0, nil)
		last := c.Events[len(c.Events)-1].Type
		if c.Payment.Status != payment.Completed || last != payment.EventCompleted {
			t.Errorf("%s, cancelled: %s, %s", name, c.Payment.Status, last)
		}
	}
}

// TestRefunded_Switched: a payer who sent another token, which is paid back, and then chooses that token, has not paid
// with it.
func TestRefunded_Switched(t *testing.T) {
	t.Parallel()
	for name, taken := range map[string][]payment.Refunded{
		"Open": refunded(usdtPolygon, "0", "10000000"), "Arrived": refunded(usdtPolygon, "10000000", "0"),
	} {
		p := started(t, "10")
		p = observe(t, p, view(chain.Polygon, 1, 9, 9, transfer(usdtPolygon, "10000000", 9, "a", "x")), t0).Payment
		p.Refunded = taken
		route, _ := p.Route()
		c, err := p.Start(payment.Choice{Network: chain.Polygon, Token: money.USDT}, route, time.Hour, t0)
		if err != nil {
			t.Fatal(err)
		}
		if p = c.Payment; p.Status != payment.Started || p.Missing() != 10*money.USD || p.Received().IsZero() {
			t.Errorf("%s: %s with %s, %s missing", name, p.Status, p.Received().Micros(), p.Missing())
		}
	}
}

// TestRefunded_Vanished: a refund of money that the chain takes back takes nothing of what comes after it.
func TestRefunded_Vanished(t *testing.T) {
	t.Parallel()
	p := paid(t, "6000000").Payment
	p.Refunded = refunded(usdcPolygon, "0", "6000000")
	p.Deposits[0].State = payment.DepositVanished
	if p.Missing() != 10*money.USD {
		t.Errorf("%s of 10 is missing", p.Missing())
	}
	p.Deposits[0].State = payment.DepositFinal
	p.Refunded = refunded(usdcPolygon, "6000000", "0")
	if p.Missing() != 10*money.USD || p.Returned() != 6*money.USD {
		t.Errorf("it is back: %s of 10 is missing", p.Missing())
	}
}

// TestRefunded_NotAccepted: nobody asks for, or accepts, money that is on its way back.
func TestRefunded_NotAccepted(t *testing.T) {
	t.Parallel()
	p := late(t, "10000000").Payment
	p.Refunded = refunded(usdcPolygon, "0", "10000000")
	if _, err := p.Accept(payment.Actor{Name: "ada@shop.example"}, t0); err == nil || p.Acceptable() || p.Askable() {
		t.Errorf("accepted: %v, acceptable %t, askable %t", err, p.Acceptable(), p.Askable())
	}
	if !p.Refunding() || p.Arrived().Micros() != 10*money.USD {
		t.Errorf("refunding %t, %s has arrived", p.Refunding(), p.Arrived().Micros())
	}
}

// TestRefunded_RestFirst: of a payment that was accepted, what came since in the same token goes back first.
func TestRefunded_RestFirst(t *testing.T) {
	t.Parallel()
	p := observe(t, started(t, "10"), view(chain.Polygon, 1, 9, 9, transfer(bridged, "10000000", 9, "a", "x")), t0).Payment
	c, err := p.Accept(payment.Actor{Name: "ada@shop.example"}, t0)
	if err != nil {
		t.Fatal(err)
	}
	later := view(chain.Polygon, 10, 20, 20, transfer(bridged, "10000000", 15, "b", "y"))
	p = observe(t, c.Payment, later, t0.Add(time.Hour)).Payment
	p.Refunded = refunded(bridged, "10000000", "0")
	if p.Standing() != payment.StandingPaid || !p.Uncounted().IsZero() || p.Left().Micros() != 10*money.USD {
		t.Errorf("%s, %s uncounted, %s left", p.Standing(), p.Uncounted().Micros(), p.Left().Micros())
	}
}
