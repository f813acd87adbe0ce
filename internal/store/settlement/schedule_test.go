package settlement_test

import (
	"errors"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/storetest"
)

// reschedule changes the key's schedule, with an audit entry.
func (w *world) reschedule(k merchant.Key, s settlement.Schedule) {
	w.T.Helper()
	entry := audit.Entry{UserID: k.UserID, At: storetest.Start, Actor: "a@example.com", Action: audit.ActionSchedule}
	w.Must(w.Settlement().UpdateSchedule(w.T.Context(), k.ID,
		func(settlement.Schedule) (settlement.Schedule, audit.Record, error) {
			return s, audit.Record{Entries: []audit.Entry{entry}}, nil
		}))
}

func TestStore_Schedule(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(100, 0)
		w.NewCustodian(k, "")
		p := w.paidIn(k, 11, 3_000_000)
		none, err := w.Settlement().Schedule(t.Context(), k.ID)
		w.Must(err)
		storetest.Same(t, "before any change", none, settlement.Schedule{})
		want := settlement.Schedule{
			AtOnce: 2000 * money.USD, Wait: 72 * time.Hour, AskedAt: p.Deposits[0].FinalAt.Add(-time.Second),
		}
		w.reschedule(k, want)
		w.reschedule(k, want) // unchanged: no second entry
		got, err := w.Settlement().Schedule(t.Context(), k.ID)
		w.Must(err)
		storetest.Same(t, "the schedule", got, want)
		due := w.due()[0]
		if due.AtOnce != want.AtOnce || due.Wait != want.Wait || due.Urgent {
			t.Errorf("the balance is %+v", due)
		}
		refused := errors.New("refused")
		err = w.Settlement().UpdateSchedule(t.Context(), k.ID,
			func(before settlement.Schedule) (settlement.Schedule, audit.Record, error) {
				return before, audit.Record{}, refused
			})
		if !errors.Is(err, refused) {
			t.Errorf("a refused change: %v", err)
		}
		log, err := w.AuditLog(t.Context(), k.UserID, k.UserID, 0, 10)
		w.Must(err)
		storetest.Same(t, "entries", len(log), 1)
		other, err := w.DepositBalances(
			t.Context(), chain.Polygon, settlement.Query{Now: everything.Now, KeyID: k.ID + 1, Limit: 9},
		)
		w.Must(err)
		storetest.Same(t, "balances of another key", len(other), 0)
	})
}

// Money does not wait once its merchant asks for it or changes the wallet, or its key ends.
func TestStore_DepositBalancesUrgent(t *testing.T) {
	for name, urgent := range map[string]func(*world, merchant.Key, time.Time){
		"Asked": func(w *world, k merchant.Key, final time.Time) {
			w.reschedule(k, settlement.Schedule{AskedAt: final})
		},
		"KeyRevoked": func(w *world, k merchant.Key, final time.Time) {
			w.Must(w.RevokeKey(w.T.Context(), k.UserID, k.ID, final, audit.Record{}))
		},
		"OtherWallet": func(w *world, _ merchant.Key, _ time.Time) {
			_, err := w.SQL().Exec("UPDATE custodian_wallets SET address = $1", db.Packed("0x8617E340B3D01FA5F11F306F4090FD50E238070D"))
			w.Must(err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, w *world) {
				k := w.NewKey(100, 0)
				w.NewCustodian(k, "")
				large := w.paidIn(k, 11, 900_000_000)
				small := w.paidIn(k, 11, 500_000)
				if due := w.due(); len(due) != 2 || due[0].Urgent || due[1].Urgent {
					t.Fatalf("before: %+v", due)
				}
				urgent(w, k, small.Deposits[0].FinalAt)
				if due := w.due(); len(due) != 2 || !due[0].Urgent || !due[1].Urgent {
					t.Fatalf("afterwards: %+v", due)
				}
				// What hurries comes before what waits, however small it is.
				first, err := w.DepositBalances(t.Context(), chain.Polygon, settlement.Query{
					Now: everything.Now, Aged: storetest.Start.Add(-time.Hour), Least: 1000 * money.USD, Limit: 1,
				})
				w.Must(err)
				if len(first) != 1 || first[0].PaymentID != string(large.ID) || !first[0].Urgent {
					t.Errorf("first comes %+v", first)
				}
			})
		})
	}
}
