package payment_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// ask returns the change in which the payer asks the merchant to accept what came.
func ask(t *testing.T, p payment.Payment) payment.Change {
	t.Helper()
	c, err := p.Ask(t0)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// otherMoney returns a payment of 10 in USDC to whose address the units of a bridged token came.
func otherMoney(t *testing.T, units string) payment.Payment {
	t.Helper()
	return observe(t, started(t, "10"), view(chain.Polygon, 1, 9, 9, transfer(bridged, units, 9, "a", "o")), t0).Payment
}

// TestAsk: the merchant is alerted once, at once, of a payer who asks for what came to be accepted.
func TestAsk(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		p      payment.Payment
		reason payment.Reason
		event  payment.EventType
	}{
		"Short":      {paid(t, "9630000").Payment, payment.ReasonShort, payment.EventShort},
		"EndedShort": {expired(t, paid(t, "9630000").Payment).Payment, payment.ReasonShort, payment.EventShort},
		"Late":       {late(t, "10000000").Payment, payment.ReasonLate, payment.EventLate},
		"OtherAsset": {otherMoney(t, "10000000"), payment.ReasonOtherAsset, payment.EventOtherAsset},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := ask(t, tt.p)
			if !slices.Equal(types(c), []payment.EventType{payment.EventAsked, tt.event}) || len(c.Entries) != 0 {
				t.Fatalf("%v with entries %v", types(c), c.Entries)
			}
			if data := string(c.Events[1].Data); !strings.Contains(data, `"acceptRequested":true`) {
				t.Errorf("the alert says %s", data)
			}
			if p := c.Payment; p.Status != tt.p.Status || !p.HasAsked() ||
				!slices.Equal(p.Attention(), []payment.Reason{tt.reason}) {
				t.Errorf("%s needs %v, asked %v", p.Status, p.Attention(), p.HasAsked())
			}
			if again := ask(t, c.Payment); !again.None() {
				t.Errorf("asked twice: %v", types(again))
			}
			done, err := c.Payment.Resolve(payment.Actor{Name: "ada@shop.example"}, t0)
			if err != nil || len(done.Payment.Attention()) != 0 {
				t.Fatalf("resolved: %v, %v", done.Payment.Attention(), err)
			}
			if again := ask(t, done.Payment); !again.None() {
				t.Errorf("asked again after it was settled: %v", types(again))
			}
		})
	}
}

// TestAsk_Refused: there must be money to accept, worth a merchant's attention.
func TestAsk_Refused(t *testing.T) {
	t.Parallel()
	topUp := mustStart(t, payment.New(payment.Request{
		ID: "01KAJ0000000000000000000AB", KeyID: 7, Kind: payment.KindTopUp,
		Amount: 10 * money.USD, ValidFor: time.Hour,
	}, t0).Payment, chain.Polygon, money.USDC, t0)
	soft := view(chain.Polygon, 1, 9, 3, transfer(usdcPolygon, "9000000", 9, "a", "x"))
	for name, tt := range map[string]struct {
		p    payment.Payment
		want error
	}{
		"Nothing":    {started(t, "10"), payment.ErrNoMoney},
		"NotStarted": {pending(t, "10"), payment.ErrNoMoney},
		"NotFinal":   {observe(t, started(t, "10"), soft, t0).Payment, payment.ErrNoMoney},
		"Speck":      {paid(t, "9999").Payment, payment.ErrNoMoney},
		"OtherSpeck": {otherMoney(t, "9999"), payment.ErrNoMoney},
		"Paid":       {paid(t, "10000000").Payment, payment.ErrCompleted},
		"TopUp":      {topUp, payment.ErrNotByHand},
	} {
		if c, err := tt.p.Ask(t0); !errors.Is(err, tt.want) || !c.None() {
			t.Errorf("%s: %v with %v, want %v and no change", name, err, types(c), tt.want)
		}
	}
}

// TestAsk_Expires: the end of a payment that is still short alerts once more, since its money no longer adds up.
func TestAsk_Expires(t *testing.T) {
	t.Parallel()
	c := expired(t, ask(t, paid(t, "9630000").Payment).Payment)
	if want := []payment.EventType{payment.EventExpired, payment.EventShort}; !slices.Equal(types(c), want) {
		t.Errorf("%v, want %v", types(c), want)
	}
	for _, e := range c.Events {
		if has := strings.Contains(string(e.Data), "acceptRequested"); has != (e.Type == payment.EventShort) {
			t.Errorf("%s says %s", e.Type, e.Data)
		}
	}
}

// TestAsk_ThenPaid: the rest that comes after all completes the payment, and nothing needs the merchant any more.
func TestAsk_ThenPaid(t *testing.T) {
	t.Parallel()
	p := ask(t, paid(t, "9630000").Payment).Payment
	c := observe(t, p, view(chain.Polygon, 10, 12, 12, transfer(usdcPolygon, "370000", 12, "a", "y")), t0)
	if c.Payment.Status != payment.Completed || c.Payment.ByHand || len(c.Payment.Attention()) != 0 {
		t.Errorf("%s, by hand %v, needs %v", c.Payment.Status, c.Payment.ByHand, c.Payment.Attention())
	}
}

// TestAccept_OtherAsset: what the owner accepts counts from then on, whatever it is, and the alarm is raised if the
// chain takes it back.
func TestAccept_OtherAsset(t *testing.T) {
	t.Parallel()
	soft := view(chain.Polygon, 1, 9, 9, transfer(bridged, "10000000", 9, "a", "o"))
	soft.Finalized.Number = 2
	p := observe(t, started(t, "10"), soft, t0).Payment
	if !p.Acceptable() || !p.Received().IsZero() || p.Arrived().Micros() != 10*money.USD {
		t.Fatalf("acceptable %v, %s received, %s arrived", p.Acceptable(), p.Received().Micros(), p.Arrived().Micros())
	}
	c, err := p.Accept(payment.Actor{Name: "ada@shop.example"}, t0.Add(time.Minute))
	if err != nil || len(c.Entries) != 0 ||
		!slices.Equal(types(c), []payment.EventType{payment.EventAccepted, payment.EventCompleted}) {
		t.Fatalf("%v with entries %v, %v", types(c), c.Entries, err)
	}
	done := c.Payment
	if !done.ByHand || done.Hash != "o" || done.Received().Micros() != 10*money.USD || done.Acceptable() ||
		len(done.Attention()) != 0 || done.Standing() != payment.StandingPaid || !done.Uncounted().IsZero() ||
		done.Choice != p.Choice {
		t.Errorf("accepted: %+v, needs %v", done, done.Attention())
	}
	if body := string(c.Events[1].Data); !strings.Contains(body, `"receivedAmount":10`) ||
		!strings.Contains(body, `"hash":"o"`) {
		t.Errorf("the webhook says %s", body)
	}
	t.Run("Vanished", func(t *testing.T) {
		t.Parallel()
		if gone := observe(t, done, view(chain.Polygon, 3, 12, 12), t0.Add(time.Hour)); !gone.Payment.Reorged {
			t.Error("money that was accepted vanished, without an alarm")
		}
	})
	t.Run("More", func(t *testing.T) {
		t.Parallel()
		more := observe(
			t, done, view(chain.Polygon, 10, 12, 12, transfer(bridged, "3000000", 12, "a", "p")), t0.Add(time.Hour),
		)
		if more.Payment.Received().Micros() != 10*money.USD || !slices.Contains(types(more), payment.EventOtherAsset) {
			t.Errorf("later money of the same kind counts: %s, %v", more.Payment.Received().Micros(), types(more))
		}
	})
}

// TestAccept_OtherAssetEnded: money that does not count is accepted after the end, too, with the listed token and the
// network it came in.
func TestAccept_OtherAssetEnded(t *testing.T) {
	t.Parallel()
	p := expired(t, started(t, "10")).Payment
	p.Routes[0].Tokens = []money.Token{money.USDC} // the merchant takes no USDT there
	p = observe(
		t, p, view(chain.Polygon, 5000, 5009, 5009, transfer(usdtPolygon, "10000000", 5009, "a", "o")),
		t0.Add(3*time.Hour),
	).Payment
	if p.Status != payment.Expired || !p.Received().IsZero() {
		t.Fatalf("%s with %s", p.Status, p.Received().Micros())
	}
	c, err := p.Accept(payment.Actor{Name: "ada@shop.example"}, t0.Add(4*time.Hour))
	want := payment.Choice{Network: chain.Polygon, Token: money.USDT}
	if err != nil || c.Payment.Choice != want || c.Payment.Received().Micros() != 10*money.USD {
		t.Errorf("paid by %v with %s, %v", c.Payment.Choice, c.Payment.Received().Micros(), err)
	}
}
