package web

import (
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
)

// The history of a payment shows when its settlement was planned, sent and final,
// in which transaction and for how much gas. It also shows money at its address on
// another network, and says whom to ask: a merchant's page has no command line.
func TestDashboard_Settlement(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	// Another wallet on Base: what comes there to a Polygon address does not count.
	_, _, err := b.accounts.ArrangeCustodian(t.Context(), m.key, merchant.CustodianInput{
		Wallets: map[chain.Network]string{"BASE": "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"},
	}, audit.Act{})
	must(t, err)
	p := b.start(b.newPayment(m), chain.Polygon)
	p = b.deposit(p, p.Amount, true)
	s := b.surfer()
	s.signIn(ownerEmail)
	shows := func(r reply, has []string, lacks ...string) {
		t.Helper()
		r.wants(t, 200, has...)
		for _, text := range lacks {
			if strings.Contains(r.body, text) {
				t.Errorf("the page says %q already, or still", text)
			}
		}
	}
	page := "/dashboard/payments/" + string(p.ID)
	shows(s.get(page), []string{}, "Settlement planned", "florin sweep")

	ctx, now := t.Context(), b.clock.Now()
	due, err := b.store.Settlement().DepositBalances(ctx, chain.Polygon, settlement.Query{Now: now, Limit: 10})
	must(t, err)
	if len(due) != 1 {
		t.Fatalf("%d deposit balances are due, want 1", len(due))
	}
	w := settlement.Sweep{
		ID: settlement.ID(testID(now)), Network: chain.Polygon, State: settlement.Planned,
		CreatedAt: now, Items: []chain.SweepItem{{
			PaymentID: due[0].PaymentID, Scheme: due[0].Scheme,
			Address: due[0].Address, Settlement: due[0].Settlement,
			Asset: due[0].Asset, Expected: due[0].Due,
		}},
	}
	must(t, b.store.Settlement().PlanSweep(ctx, w))
	shows(s.get(page), []string{"Settlement planned"}, "On the way to your wallet")
	attempt := chain.Attempt{N: 1, Tx: testHash(900), Raw: []byte{1}, MadeAt: now}
	must(t, b.store.Settlement().AddAttempt(ctx, w.ID, attempt))
	must(t, b.store.Settlement().MarkSent(ctx, w.ID, 1, now.Add(time.Second)))
	shows(s.get(page), []string{"Settlement planned", "On the way to your wallet"}, "Arrived at your wallet")
	w.State, w.Tx, w.EndedAt, w.Paid = settlement.Confirmed, attempt.Tx, now.Add(2*time.Second),
		money.UnitsFromUint64(1_230_000_000_000_000)
	w.Block = chain.Head{Number: 901, Hash: string(testHash(901)), Time: now}
	w.Moved = []chain.Moved{{Address: due[0].Address.Address, Contract: due[0].Asset.Contract, Units: due[0].Due}}
	must(t, b.store.Settlement().EndSweep(ctx, w, now))
	shows(s.get(page), []string{
		"Settlement planned", "Arrived at your wallet", string(attempt.Tx),
		"gas 0.00123 POL, paid by the operator",
	}, "On the way to your wallet", "florin sweep")
	t.Run("Export", func(t *testing.T) {
		month := now.Format("2006-01")
		shows(s.get("/dashboard/payments.csv?paid="+month), []string{
			"settlementTx,settledAt,gas", string(attempt.Tx) + "," + now.Add(2*time.Second).Format(payment.TimeFormat) + ",0.00123",
		})
		if got := s.get("/dashboard/payments.csv?paid=" + now.AddDate(0, -1, 0).Format("2006-01")); got.status != 200 ||
			strings.Contains(got.body, string(p.ID)) {
			t.Errorf("the month before has the payment: %d %s", got.status, got.body)
		}
		shows(s.get("/dashboard/payments/exports"), []string{"This month so far", `href="/dashboard/payments.csv?paid=` + month + `"`})
	})

	t.Run("AnotherNetwork", func(t *testing.T) {
		route, _ := p.Route()
		asset, _ := profileOf(chain.Base).Asset(money.USDC)
		p = b.observe(p, chain.Transfer{
			Key: chain.Key{Network: chain.Base, Tx: testHash(902)}, Asset: asset, From: merchantWallet,
			To:    route.Address.Address,
			Units: (3 * money.USD).Units(asset.Decimals),
			Block: chain.Head{Number: 902, Hash: string(testHash(902)), Time: now}, Source: "test",
		}, true)
		r := s.get(page)
		r.wants(t, 200, "3.00 USDC came to this address on Base", "Ask the operator of this server")
		if strings.Contains(r.body, "florin sweep") {
			t.Error("a merchant reads a command line")
		}
	})
}
