package settlement_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
)

func TestStore_DepositBalances(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(100, 0)
		w.NewCustodian(k, "")
		w.NewStarted(k)                                       // has nothing
		p := w.paidIn(k, 11, 3_000_000, 4_000_000, 5_000_000) // the last is not final
		small := w.paidIn(k, 11, 10_000)                      // comes after what is larger
		due := w.due()
		if len(due) != 2 {
			t.Fatalf("%d balances are due, want 2: %+v", len(due), due)
		}
		r := p.Routes[0]
		storetest.Same(t, "a balance", due[0], settlement.DepositBalance{
			PaymentID: string(p.ID), Scheme: chain.SchemeTxnID, Address: r.Address, Settlement: r.Settlement,
			Asset: p.Deposits[0].Transfer.Asset,
			Due:   money.UnitsFromUint64(7_000_000), FirstBlock: 10, Oldest: p.Deposits[0].FinalAt,
		})
		storetest.Same(t, "the second balance", due[1].PaymentID, string(small.ID))
		other, err := w.DepositBalances(t.Context(), chain.Base, everything)
		w.Must(err)
		storetest.Same(t, "balances of another network", len(other), 0)
		// What is worth sweeping comes first, the oldest of it before the rest.
		for name, c := range map[string]struct {
			q     settlement.Query
			first payment.ID
		}{
			"BySize":  {settlement.Query{Aged: storetest.Start.Add(-time.Hour), Least: 10 * money.USD}, p.ID},
			"WorthIt": {settlement.Query{Aged: storetest.Start.Add(-time.Hour), Least: money.USD}, p.ID},
			"Aged":    {settlement.Query{Aged: storetest.Start.Add(time.Hour), Least: 10 * money.USD}, p.ID},
			"AgedAndDust": {
				settlement.Query{Aged: storetest.Start.Add(time.Hour), Least: 10 * money.USD, Dust: money.USD}, p.ID,
			},
			"OnlyOneIs": {
				settlement.Query{Aged: storetest.Start.Add(-time.Hour), Least: 7 * money.USD, Dust: 8 * money.USD},
				p.ID,
			},
		} {
			c.q.Now, c.q.Limit = everything.Now, 1
			first, err := w.DepositBalances(t.Context(), chain.Polygon, c.q)
			w.Must(err)
			if len(first) != 1 || first[0].PaymentID != string(c.first) {
				t.Errorf("%s: first comes %+v, want %s", name, first, c.first)
			}
		}
	})
}

// Specks on one address, worth a sweep together but more than are read at once,
// take no other's place.
func TestStore_DepositBalancesSpecks(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(100, 0)
		w.NewCustodian(k, "")
		w.paidIn(k, 20, 20_000, 20_000, 20_000, 20_000)
		good := w.NewStarted(k)
		w.Update(good.ID, func(p payment.Payment) (payment.Change, error) {
			return p.Observe(payment.View{
				Network: chain.Polygon, From: 1, To: 1000, Final: chain.Head{
					Number: 20,
				}, Finalized: chain.Head{Number: 20},
				Transfers: []chain.Transfer{storetest.Transfer(p, "0xgood", 5_000_000, 15)},
			}, storetest.Start.Add(time.Hour))
		})
		policy := settlement.DefaultPolicy()
		now := storetest.Start.Add(2 * policy.Age)
		due, err := w.DepositBalances(t.Context(), chain.Polygon, settlement.Query{
			Now: now, Aged: now.Add(-policy.Age), Least: policy.Least, Dust: 70_000, Limit: 3,
		})
		w.Must(err)
		policy.Dust = 70_000
		if plan := settlement.Plan(due, policy, now); len(plan) != 1 || plan[0].PaymentID != string(good.ID) {
			t.Errorf("of %+v the next sweep takes %+v", due, plan)
		}
	})
}
