package payment_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// paid returns a payment of 10 that received the units of USDC in block 9.
func paid(t *testing.T, units string) payment.Change {
	t.Helper()
	return observe(t, started(t, "10"), view(chain.Polygon, 1, 9, 9, transfer(usdcPolygon, units, 9, "a", "x")), t0)
}

// expired returns the change in which a payment with what came before expires.
func expired(t *testing.T, p payment.Payment) payment.Change {
	t.Helper()
	c, err := p.Expire(payment.Coverage{chain.Polygon: p.ExpiresAt}, p.ExpiresAt)
	if err != nil || c.Payment.Status != payment.Expired {
		t.Fatalf("not expired: %s, %v", c.Payment.Status, err)
	}
	return c
}

// late returns the change in which the units arrive after the end.
func late(t *testing.T, units string) payment.Change {
	t.Helper()
	return observe(t, expired(t, started(t, "10")).Payment,
		view(chain.Polygon, 5000, 5009, 5009, transfer(usdcPolygon, units, 5009, "a", "x")), t0.Add(3*time.Hour))
}

// TestStanding: whatever comes, a payment says where it stands, and raises each reason why it needs its merchant once.
func TestStanding(t *testing.T) {
	t.Parallel()
	soft := view(chain.Polygon, 1, 9, 3, transfer(usdcPolygon, "10000000", 9, "a", "x"))
	for name, tt := range map[string]struct {
		c       payment.Change
		want    payment.Standing
		reasons []payment.Reason
	}{
		"NotStarted": {payment.Change{Payment: pending(t, "10")}, payment.StandingNotStarted, nil},
		"Waiting":    {payment.Change{Payment: started(t, "10")}, payment.StandingWaiting, nil},
		"Seen":       {observe(t, started(t, "10"), soft, t0), payment.StandingSeen, nil},
		"ShortSoFar": {paid(t, "4000000"), payment.StandingShort, nil},
		"EndedShort": {
			expired(t, paid(t, "4000000").Payment), payment.StandingShort, []payment.Reason{payment.ReasonShort},
		},
		"Paid":        {paid(t, "10000000"), payment.StandingPaid, nil},
		"SpeckOver":   {paid(t, "10009999"), payment.StandingPaid, nil},
		"Over":        {paid(t, "10010000"), payment.StandingOver, []payment.Reason{payment.ReasonOver}},
		"Expired":     {expired(t, started(t, "10")), payment.StandingExpired, nil},
		"Late":        {late(t, "10000000"), payment.StandingLate, []payment.Reason{payment.ReasonLate}},
		"LateAndLess": {late(t, "1000000"), payment.StandingShort, []payment.Reason{payment.ReasonShort}},
		"OtherAsset": {
			observe(t, started(t, "10"), view(chain.Polygon, 1, 9, 9, transfer(bridged, "10000000", 9, "a", "x")), t0),
			payment.StandingWaiting,
			[]payment.Reason{payment.ReasonOtherAsset},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := tt.c.Payment
			if p.Standing() != tt.want || !slices.Equal(p.Attention(), tt.reasons) {
				t.Fatalf("stands at %s with %v, want %s with %v", p.Standing(), p.Attention(), tt.want, tt.reasons)
			}
			for _, r := range tt.reasons {
				event := payment.EventType("payment." + strings.ToLower(string(r)))
				if !slices.Contains(types(tt.c), event) || !event.InFeed() || event.Public() {
					t.Errorf("events %v, want %s in the feed and not sent", types(tt.c), event)
				}
			}
			if len(tt.reasons) == 0 {
				return
			}
			done, err := p.Resolve(payment.Actor{Name: "ada@shop.example", Reason: "sent back"}, t0)
			if err != nil || len(done.Payment.Attention()) != 0 || done.Payment.Status != p.Status {
				t.Fatalf("resolved: %v left, %s, %v", done.Payment.Attention(), done.Payment.Status, err)
			}
			if again, err := done.Payment.Resolve(payment.Actor{}, t0); err == nil {
				t.Errorf("resolved twice: %v", types(again))
			}
		})
	}
}

// TestStanding_Again: what was settled comes back when more money does.
func TestStanding_Again(t *testing.T) {
	t.Parallel()
	over := paid(t, "12000000").Payment
	c, err := over.Resolve(payment.Actor{Name: "ada@shop.example"}, t0)
	if err != nil {
		t.Fatal(err)
	}
	same := observe(t, c.Payment, view(chain.Polygon, 1, 9, 9, transfer(usdcPolygon, "12000000", 9, "a", "x")), t0)
	if len(same.Payment.Attention()) != 0 || !same.None() {
		t.Errorf("reading the same again raises %v", same.Payment.Attention())
	}
	more := observe(t, c.Payment, view(chain.Polygon, 10, 12, 12, transfer(usdcPolygon, "5000000", 12, "a", "y")), t0)
	if !slices.Equal(more.Payment.Attention(), []payment.Reason{payment.ReasonOver}) ||
		!slices.Contains(types(more), payment.EventOver) {
		t.Errorf("more money raises %v with %v", more.Payment.Attention(), types(more))
	}
	accepted, err := late(t, "10000000").Payment.Accept(payment.Actor{Name: "ada@shop.example"}, t0)
	if err != nil || len(accepted.Payment.Attention()) != 0 || accepted.Payment.Standing() != payment.StandingPaid {
		t.Errorf("accepted: %v, stands at %s, %v", accepted.Payment.Attention(), accepted.Payment.Standing(), err)
	}
}

// TestStanding_AlertedOnceFinal: money that was seen before it is final raises its alert when it is.
func TestStanding_AlertedOnceFinal(t *testing.T) {
	t.Parallel()
	ended := expired(t, started(t, "10")).Payment
	for name, tt := range map[string]struct {
		p     payment.Payment
		asset chain.Asset
		units string
		event payment.EventType
	}{
		"Late":       {ended, usdcPolygon, "10000000", payment.EventLate},
		"Short":      {ended, usdcPolygon, "4000000", payment.EventShort},
		"Over":       {started(t, "10"), usdcPolygon, "12000000", payment.EventOver},
		"OtherAsset": {started(t, "10"), bridged, "10000000", payment.EventOtherAsset},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			came := transfer(tt.asset, tt.units, 5009, "a", "x")
			seen := observe(t, tt.p, view(chain.Polygon, 5000, 5009, 5000, came), t0.Add(3*time.Hour))
			if slices.Contains(types(seen), tt.event) {
				t.Errorf("events %v before the money is final", types(seen))
			}
			final := observe(t, seen.Payment, view(chain.Polygon, 5000, 5010, 5010, came), t0.Add(4*time.Hour))
			if !slices.Contains(types(final), tt.event) {
				t.Errorf("events %v, want %s", types(final), tt.event)
			}
		})
	}
}

// TestStanding_AlertedByChoice: money that counts, and is too much, because the payer then chooses its token raises its
// alert too.
func TestStanding_AlertedByChoice(t *testing.T) {
	t.Parallel()
	p := observe(t, started(t, "10"), view(chain.Polygon, 1, 9, 9, transfer(usdtPolygon, "12000000", 9, "a", "x")), t0).Payment
	c, err := p.Start(
		payment.Choice{Network: chain.Polygon, Token: money.USDT}, routeOn(chain.Polygon), ttl, t0.Add(2*time.Minute),
	)
	if err != nil || c.Payment.Standing() != payment.StandingOver || !slices.Contains(types(c), payment.EventOver) {
		t.Errorf("stands at %s with events %v, %v", c.Payment.Standing(), types(c), err)
	}
}
