package settlement_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
)

// everything asks for all balances.
var everything = settlement.Query{
	Now: storetest.Start.Add(time.Hour), Aged: storetest.Start.Add(-time.Hour), Limit: 1000,
}

func newSweepID() settlement.ID { return settlement.ID(storetest.NewID()) }

// paidIn makes a started payment and takes in transfers of these amounts, one
// a block from the first block on, final up to the block given.
func (w *world) paidIn(k merchant.Key, final uint64, amounts ...money.Micros) payment.Payment {
	w.T.Helper()
	return w.takeIn(w.NewStarted(k), 10, final, amounts...)
}

func (w *world) takeIn(p payment.Payment, block, final uint64, amounts ...money.Micros) payment.Payment {
	w.T.Helper()
	var all []chain.Transfer
	for _, d := range p.Deposits {
		all = append(all, d.Transfer)
	}
	for i, a := range amounts {
		t := storetest.Transfer(p, fmt.Sprintf("0x%d-%d", p.Number, len(p.Deposits)+i), a, block+uint64(i))
		all = append(all, t)
	}
	w.Update(p.ID, storetest.Observe(final, all...))
	return w.Stored(p.ID)
}

func (w *world) due() []settlement.DepositBalance {
	w.T.Helper()
	due, err := w.DepositBalances(w.T.Context(), chain.Polygon, everything)
	w.Must(err)
	return due
}

// planned plans a sweep of the balances.
func (w *world) planned(due ...settlement.DepositBalance) settlement.Sweep {
	w.T.Helper()
	s := sweepOf(due...)
	w.Must(w.PlanSweep(w.T.Context(), s))
	return s
}

func sweepOf(due ...settlement.DepositBalance) settlement.Sweep {
	s := settlement.Sweep{
		ID: newSweepID(), Network: chain.Polygon, State: settlement.Planned, CreatedAt: storetest.Start,
	}
	for _, p := range due {
		s.Items = append(s.Items, chain.SweepItem{
			PaymentID: p.PaymentID, Scheme: chain.SchemeTxnID, Address: p.Address,
			Settlement: p.Settlement, Asset: p.Asset,
			Expected: p.Due,
		})
	}
	return s
}

// confirmed returns how the sweep ended when it moved all it expected in the
// block.
func confirmed(s settlement.Sweep, block uint64) settlement.Sweep {
	s.State, s.Tx, s.EndedAt = settlement.Confirmed, chain.TxHash("0xabc"+s.ID), storetest.Start.Add(time.Minute)
	s.Block, s.Paid = chain.Head{Number: block, Hash: "0xb", Time: storetest.Start}, money.UnitsFromUint64(21_000)
	for _, i := range s.Items {
		s.Moved = append(
			s.Moved, chain.Moved{Address: i.Address.Address, Contract: i.Asset.Contract, Units: i.Expected},
		)
	}
	return s
}

func attempt(n int) chain.Attempt {
	return chain.Attempt{
		N: n, Tx: chain.TxHash(string(storetest.NewID())), Raw: []byte{2, 0, 255}, Nonce: 7,
		Until: 9, MadeAt: storetest.Start,
		Fee: chain.Fee{
			Gas: 100_000, Price: money.UnitsFromUint64(5), Tip: money.UnitsFromUint64(1),
			Ceiling: money.UnitsFromUint64(500_000),
		},
	}
}

func swept(p payment.Payment) []bool {
	var all []bool
	for _, d := range p.Deposits {
		all = append(all, d.Swept)
	}
	return all
}

func TestStore_SweepWholeLife(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(100, 0)
		a, b := w.paidIn(k, 11, 3_000_000, 4_000_000), w.paidIn(k, 11, 5_000_000)
		s := w.planned(w.due()...)
		storetest.Same(t, "balances due while they are claimed", len(w.due()), 0)
		storetest.WantError(
			t, "a second sweep of an address", w.PlanSweep(t.Context(), settlement.Sweep{
				ID: newSweepID(), Network: chain.Polygon, State: settlement.Planned, CreatedAt: storetest.Start,
				Items: s.Items[:1],
			}), settlement.ErrBusy,
		)

		one := attempt(1)
		w.Must(w.AddAttempt(t.Context(), s.ID, one))
		storetest.WantError(
			t, "the same attempt by another instance", w.AddAttempt(t.Context(), s.ID, attempt(1)), settlement.ErrBusy,
		)
		storetest.WantError(
			t, "an attempt out of order", w.AddAttempt(t.Context(), s.ID, attempt(3)), settlement.ErrBusy,
		)
		w.Must(w.MarkSent(t.Context(), s.ID, 1, storetest.Start.Add(time.Second)))
		two := attempt(2)
		w.Must(w.AddAttempt(t.Context(), s.ID, two))
		list, err := w.InFlight(t.Context(), chain.Polygon)
		w.Must(err)
		one.SentAt = storetest.Start.Add(time.Second)
		want := s
		want.State, want.Attempts = settlement.Sent, []chain.Attempt{one, two}
		if len(list) != 1 {
			t.Fatalf("%d sweeps are in flight", len(list))
		}
		got := list[0]
		storetest.Same(t, "the sweep in flight", fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want))
		if list, err := w.InFlight(t.Context(), chain.Base); len(list) > 0 || err != nil {
			t.Errorf("a sweep of another network is in flight: %v", err)
		}

		w.Run("End", func(t *testing.T) {
			done := confirmed(got, 20)
			w.Must(w.EndSweep(t.Context(), done, storetest.Start.Add(time.Minute)))
			w.Must(w.EndSweep(t.Context(), done, storetest.Start.Add(time.Hour)))
			again := done
			again.State, again.Moved, again.Note = settlement.Superseded, nil, "another story"
			w.Must(w.EndSweep(t.Context(), again, storetest.Start.Add(time.Hour)))
			stored, err := w.Sweep(t.Context(), s.ID)
			w.Must(err)
			storetest.Same(t, "the sweep that ended", fmt.Sprintf("%+v", stored), fmt.Sprintf("%+v", done))
			storetest.Same(
				t, "deposits that are swept",
				append(swept(w.Stored(a.ID)), swept(w.Stored(b.ID))...), []bool{true, true, true},
			)
			storetest.Same(t, "balances due after the sweep", len(w.due()), 0)
			storetest.WantError(
				t, "an attempt of a sweep that ended", w.AddAttempt(t.Context(), s.ID, attempt(3)), settlement.ErrBusy,
			)
			w.Must(w.MarkSent(t.Context(), s.ID, 2, storetest.Start))
			storetest.WantError(
				t, "an unknown sweep", w.EndSweep(t.Context(), confirmed(sweepOf(), 1), storetest.Start),
				settlement.ErrUnknown,
			)
		})
		w.Run("Spent", func(t *testing.T) {
			spent, err := w.Spent(t.Context(), chain.Polygon, storetest.Start)
			w.Must(err)
			storetest.Same(t, "what it cost", fmt.Sprintf("%+v", spent),
				fmt.Sprintf("%+v", settlement.Spending{
					Since: storetest.Start.Add(time.Minute), Paid: money.UnitsFromUint64(21_000),
					Sweeps: 1, Items: 2,
				}))
		})
	})
}

// A plan with balances that were swept meanwhile is refused.
func TestStore_PlanSweep_Stale(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.paidIn(w.NewKey(100, 0), 11, 3_000_000)
		due := w.due()
		w.Must(w.EndSweep(t.Context(), confirmed(w.planned(due...), 20), storetest.Start))
		storetest.WantError(t, "a plan made before", w.PlanSweep(t.Context(), sweepOf(due...)), settlement.ErrBusy)
		if list, err := w.InFlight(t.Context(), chain.Polygon); len(list) > 0 || err != nil {
			t.Errorf("the stale plan is in flight: %v", err)
		}
	})
}

// Money that the chain took back since the balances were read is no reason to sweep.
func TestStore_PlanSweep_Vanished(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		p := w.NewStarted(w.NewKey(100, 0))
		see := func(transfers ...chain.Transfer) {
			t.Helper()
			w.Update(p.ID, func(p payment.Payment) (payment.Change, error) {
				return p.Observe(payment.View{
					Network: chain.Polygon, From: 1, To: 11, Final: chain.Head{
						Number: 11,
					}, Finalized: chain.Head{Number: 5},
					Transfers: transfers,
				}, storetest.Start)
			})
		}
		see(storetest.Transfer(p, "0xgone", 3_000_000, 10))
		due := w.due()
		if len(due) != 1 {
			t.Fatalf("%d balances are due before", len(due))
		}
		see()
		storetest.WantError(t, "a plan made before", w.PlanSweep(t.Context(), sweepOf(due...)), settlement.ErrBusy)
	})
}

// Many instances plan, sign and end at once: one of each gets through, and
// what is moved counts once.
func TestStore_BatchedSweep(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		p := w.paidIn(w.NewKey(100, 0), 11, 3_000_000)
		others := []settlement.Store{
			w.Settlement(), storetest.Open(t, w.URL).Settlement(), storetest.Open(t, w.URL).Settlement(),
		}
		due := w.due()
		plans := make([]settlement.Sweep, 12)
		errs := storetest.AtOnce(len(plans), func(i int) error {
			plans[i] = sweepOf(due...)
			return others[i%3].PlanSweep(t.Context(), plans[i])
		})
		won := onlyOne(t, "plan", errs)
		onlyOne(t, "attempt", storetest.AtOnce(12, func(i int) error {
			return others[i%3].AddAttempt(t.Context(), plans[won].ID, attempt(1))
		}))
		for _, err := range storetest.AtOnce(12, func(i int) error {
			return others[i%3].EndSweep(t.Context(), confirmed(plans[won], 20), storetest.Start)
		}) {
			w.Must(err)
		}
		records, err := w.Records(t.Context(), chain.Polygon, []chain.Address{p.Routes[0].Address.Address})
		w.Must(err)
		storetest.Same(t, "moved", records[0].Moved, money.UnitsFromUint64(3_000_000))
		storetest.Same(t, "swept", swept(w.Stored(p.ID)), []bool{true})
	})
}

func onlyOne(t *testing.T, what string, errs []error) int {
	t.Helper()
	won := -1
	for i, err := range errs {
		if err == nil && won >= 0 {
			t.Errorf("a second %s got through", what)
		}
		if err == nil {
			won = i
		} else if !errors.Is(err, settlement.ErrBusy) {
			t.Errorf("%s: %v, want ErrBusy", what, err)
		}
	}
	if won < 0 {
		t.Fatalf("no %s got through", what)
	}
	return won
}

// A rescue of unrecorded money is recorded as found, so that the records stay
// even.
func TestStore_Rescue(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		p := w.NewStarted(w.NewKey(100, 0))
		list, err := w.DepositAddressesAt(t.Context(), p.Routes[0].Address.Address)
		w.Must(err)
		if len(list) != 1 || list[0].PaymentID != string(p.ID) || list[0].Settlement != p.Routes[0].Settlement {
			t.Fatalf("shown: %+v", list)
		}
		of, err := w.DepositAddressesOf(t.Context(), string(p.ID))
		w.Must(err)
		storetest.Same(t, "shown of the payment", of, list)
		after, err := w.DepositAddressesAfter(t.Context(), settlement.DepositAddress{}, 5)
		w.Must(err)
		storetest.Same(t, "shown after", after, list)

		s := settlement.Sweep{
			ID: newSweepID(), Network: chain.Base, State: settlement.Planned, CreatedAt: storetest.Start,
			Items: []chain.SweepItem{
				list[0].Item(chain.Asset{Network: chain.Base, Symbol: "ETH", Decimals: 18}, money.UnitsFromUint64(5)),
			},
		}
		w.Must(w.PlanSweep(t.Context(), s))
		w.Must(w.EndSweep(t.Context(), confirmed(s, 40), storetest.Start))
		records, err := w.Records(t.Context(), chain.Base, []chain.Address{list[0].Address.Address})
		w.Must(err)
		if len(records) != 1 || records[0].Found.String() != "5" || records[0].Moved.String() != "5" ||
			!records[0].Early.IsZero() {
			t.Errorf("the records are %+v", records)
		}
		from, err := w.SweptFrom(t.Context(), s.Items[0].Asset, []chain.Address{list[0].Address.Address})
		w.Must(err)
		if units, ok := from[list[0].Address.Address]; !ok || !units.IsZero() {
			t.Errorf("%s were swept, known %v; what is found belongs to no deposit", units, ok)
		}
		sweeps, err := w.ConfirmedSince(t.Context(), chain.Base, storetest.Start)
		w.Must(err)
		if len(sweeps) != 1 || !sweeps[0].Items[0].Rescue {
			t.Errorf("confirmed sweeps: %+v", sweeps)
		}
	})
}
