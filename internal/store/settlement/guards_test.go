package settlement_test

import (
	"errors"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
)

// A sweep is recorded, and the chain is said to show more of it, among that money of an address that it did not take
// along: nothing of that is added.
func TestStore_RecordSweep_MoreThanItTook(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(100, 0)
		w.paidIn(k, 12, 3_000_000)
		due := w.due()
		q := w.paidIn(k, 12, 5_000_000)
		w.Must(w.RecordSweep(t.Context(), found("0x1", due...), storetest.Start))
		more := found("0x1", append(due, w.due()...)...)
		more.Moved = append(more.Moved, chain.Moved{Address: "0xother", Units: money.UnitsFromUint64(1)})
		if err := w.RecordSweep(t.Context(), more, storetest.Start); err == nil {
			t.Error("money was added that the sweep did not take along")
		}
		storetest.Same(t, "swept", swept(w.Stored(q.ID)), []bool{false})
	})
}

// Specks come in the block of a sweep, after it, and are folded into what it took along: that is not covered any more,
// and keeps the money that was recorded after it from nothing.
func TestStore_FoldedCoversLast(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		p := w.NewStarted(w.NewKey(5, 0))
		take := func(decide func(payment.Payment) (payment.Change, error)) {
			t.Helper()
			w.Update(p.ID, decide)
		}
		take(specks(p, 1, payment.FoldFrom+16, 5_000))
		take(storetest.Observe(10, storetest.Transfer(p, "0xmoney", 3*money.USD, 10)))
		s := w.planned(w.due()...)
		take(specks(p, 25, 100, 5_000))
		w.Must(w.EndSweep(t.Context(), confirmed(s, 25), storetest.Start.Add(time.Minute)))
		for _, d := range w.Stored(p.ID).Deposits {
			if d.Swept == d.Folded() {
				t.Errorf("%s of %d transfers is swept: %t", d.Transfer.Tx, d.Count, d.Swept)
			}
		}
	})
}

// A folded deposit holds blocks before and after a sweep. Whenever a sweep is planned, it is asked for what was swept
// before it was final, and as long as there is nothing, nothing is written.
func TestStore_SettleCovered_WritesNothing(t *testing.T) {
	url := storetest.SQLite(t)
	w := &world{storetest.New(t, storetest.Open(t, url), url)}
	p := w.NewStarted(w.NewKey(5, 0))
	for _, block := range []uint64{1, 20} {
		w.Update(p.ID, specks(p, block, payment.FoldFrom, 5_000))
	}
	s := w.planned(w.due()...)
	w.Update(p.ID, specks(p, 30, 10, 5_000))
	w.Must(w.EndSweep(t.Context(), confirmed(s, 25), storetest.Start))
	if n := w.Count("SELECT count(*) FROM deposit_balances WHERE ahead"); n != 1 {
		t.Fatal("nothing was moved ahead of what is marked; the test shows nothing")
	}
	_, err := w.SQL().Exec(`CREATE TRIGGER written BEFORE UPDATE ON deposit_balances
		BEGIN SELECT RAISE(ABORT, 'written'); END`)
	w.Must(err)
	w.Must(w.SettleCovered(t.Context(), chain.Polygon, storetest.Start))
}

// A payer is shown an address on Polygon, then another on BNB Smart Chain, because the merchant has another wallet
// there, and pays to the first on the second network. Nothing lies on the address that was shown there, so no sweep
// takes it along: it would cost gas and move nothing.
func TestStore_DueAtItsAddress(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		p := w.NewStarted(w.NewKey(5, 0))
		shown := storetest.RouteOf(chain.BEP20, p.Number+1000)
		p = w.Update(p.ID, func(p payment.Payment) (payment.Change, error) {
			choice := payment.Choice{Network: chain.BEP20, Token: money.USDC}
			return p.Start(choice, shown, 30*time.Minute, storetest.Start)
		})
		profile := chain.Profiles()[0]
		asset, _ := profile.Asset(money.USDC)
		paid := storetest.Transfer(p, "0xthere", 3*money.USD, 10)
		paid.Network, paid.Asset, paid.Units = chain.BEP20, asset, (3 * money.USD).Units(asset.Decimals)
		paid.To = p.Routes[0].Address.Address
		head := chain.Head{Number: 20}
		p = w.Update(p.ID, func(p payment.Payment) (payment.Change, error) {
			return p.Observe(payment.View{
				Network: chain.BEP20, From: 1, To: 20, Final: head, Finalized: head, Transfers: []chain.Transfer{paid},
			}, storetest.Start.Add(time.Minute))
		})
		if len(p.Deposits) != 1 || p.Deposits[0].State != payment.DepositFinal {
			t.Fatalf("the money is not recorded: %+v", p.Deposits)
		}
		due, err := w.DepositBalances(t.Context(), chain.BEP20, everything)
		w.Must(err)
		if len(due) > 0 {
			t.Errorf("due at an address that was not paid: %+v", due)
		}
		route := p.Routes[1]
		planned := settlement.Sweep{
			ID: "01KAJ0000000000000000000S9", Network: chain.BEP20, State: settlement.Planned,
			CreatedAt: storetest.Start,
			Items: []chain.SweepItem{{
				PaymentID: string(p.ID), Scheme: route.Scheme, Address: route.Address, Settlement: route.Settlement,
				Asset: asset, Expected: paid.Units,
			}},
		}
		if err := w.PlanSweep(t.Context(), planned); !errors.Is(err, settlement.ErrBusy) {
			t.Errorf("a sweep of an address that was not paid was planned: %v", err)
		}
	})
}
