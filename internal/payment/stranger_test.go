package payment_test

import (
	"slices"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// strangers are payments of 10 USD that anyone could open, one of each kind.
func strangers(t *testing.T) map[string]payment.Payment {
	t.Helper()
	donation, link := pending(t, "10"), pending(t, "10")
	donation.Kind, donation.CampaignID = payment.KindDonation, 5
	link.LinkID = 6
	return map[string]payment.Payment{"Donation": donation, "Link": link}
}

// A start by a stranger holds a credit, which is spent if the payment completes and
// given back however it ends otherwise.
func TestStart_ByStranger(t *testing.T) {
	t.Parallel()
	for kind, p := range strangers(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			choice := payment.Choice{Network: chain.Polygon, Token: money.USDC}
			c, err := p.Start(choice, routeOn(chain.Polygon), 30*time.Minute, t0)
			if err != nil {
				t.Fatal(err)
			}
			hold := ledger.Hold(p.KeyID, "start:"+string(p.ID), t0)
			if !slices.Equal(c.Entries, []ledger.Entry{hold}) || !c.Payment.Held {
				t.Fatalf("the start posts %+v (held: %t), want %+v", c.Entries, c.Payment.Held, hold)
			}
			started := c.Payment
			end := started.ExpiresAt
			full := payment.Coverage{chain.Polygon: end}
			short := observe(
				t, started, view(chain.Polygon, 1, 10, 10, transfer(usdcPolygon, "1", 9, "a", "x")), t0,
			).Payment
			ref := "end:" + string(p.ID)
			release := func(at time.Time) ledger.Entry { return ledger.Release(p.KeyID, ref, at) }
			settle := func(at time.Time) ledger.Entry { return ledger.Settle(p.KeyID, ref, at) }
			for name, test := range map[string]struct {
				act  func() (payment.Change, error)
				want ledger.Entry
			}{
				"Expired":   {func() (payment.Change, error) { return started.Expire(full, end) }, release(end)},
				"Cancelled": {func() (payment.Change, error) { return started.Cancel(end) }, release(end)},
				"Short": {func() (payment.Change, error) {
					return short.Expire(payment.Coverage{chain.Polygon: short.ExpiresAt}, short.ExpiresAt)
				}, release(short.ExpiresAt)},
				"Paid": {func() (payment.Change, error) {
					return started.Observe(
						view(chain.Polygon, 1, 10, 10, transfer(usdcPolygon, "10000000", 9, "a", "x")), end,
					)
				}, settle(end)},
				"Accepted": {func() (payment.Change, error) {
					return short.Accept(payment.Actor{Name: "ada"}, end)
				}, settle(end)},
			} {
				c, err := test.act()
				if err != nil || !c.Payment.Status.Final() || c.Payment.Held ||
					!slices.Equal(c.Entries, []ledger.Entry{test.want}) {
					t.Errorf("%s: %s with %+v (held: %t), %v; want %+v", name, c.Payment.Status, c.Entries, c.Payment.Held, err, test.want)
				}
			}
		})
	}
}

// Money that its owner accepts after the credit was given back costs the credit again.
func TestAccept_ByStranger(t *testing.T) {
	t.Parallel()
	for kind, p := range strangers(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			p = mustStart(t, p, chain.Polygon, money.USDC, t0)
			p = observe(t, p, view(chain.Polygon, 1, 10, 10, transfer(usdcPolygon, "1", 9, "a", "x")), t0).Payment
			end := p.ExpiresAt
			c, err := p.Expire(payment.Coverage{chain.Polygon: end}, end)
			if err != nil || c.Payment.Status != payment.Expired {
				t.Fatalf("%s, %v", c.Payment.Status, err)
			}
			c, err = c.Payment.Accept(payment.Actor{Name: "ada"}, end)
			want := ledger.Spend(p.KeyID, ledger.Credit, ledger.ReasonStart, "accept:"+string(p.ID), end)
			if err != nil || !slices.Equal(c.Entries, []ledger.Entry{want}) {
				t.Errorf("accepting posts %+v, %v; want %+v", c.Entries, err, want)
			}
		})
	}
}

// The merchant's own payments spend their credit at the start and keep it spent.
func TestStart_ByMerchant(t *testing.T) {
	t.Parallel()
	p := started(t, "10")
	if p.Held || p.ByStranger() {
		t.Error("a merchant's payment counts as a stranger's")
	}
	if c, err := p.Cancel(t0); err != nil || len(c.Entries) != 0 {
		t.Errorf("cancelling posts %+v, %v; want nothing", c.Entries, err)
	}
}
