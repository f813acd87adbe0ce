package settlement_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/testkit"
)

// forged is a record store that returns other records than the database has.
type forged struct {
	settlement.RecordStore
	forge func([]settlement.Record) []settlement.Record
}

func (f forged) Records(ctx context.Context, n chain.Network, a []chain.Address) ([]settlement.Record, error) {
	list, err := f.RecordStore.Records(ctx, n, a)
	if f.forge != nil {
		list = f.forge(list)
	}
	return list, err
}

// Each difference between the records and the chain is reported, and nothing else.
func TestReconciler(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	swept := w.paid(10 * money.USD)
	w.settle(w.sweeper())
	unswept := w.paid(5 * money.USD)
	w.wantReconciled()
	change := func(p payment.Payment, f func(*settlement.Record)) func([]settlement.Record) []settlement.Record {
		return func(list []settlement.Record) []settlement.Record {
			for i := range list {
				if list[i].PaymentID == string(p.ID) {
					f(&list[i])
				}
			}
			return list
		}
	}
	cent := money.UnitsFromUint64(10_000)
	for name, c := range map[string]struct {
		forge func([]settlement.Record) []settlement.Record
		about payment.Payment
		text  string
	}{
		"DepositMissed":    {change(unswept, func(b *settlement.Record) { b.Late = b.Late.Sub(cent) }), unswept, "it holds 5 USDT, and 4.99 USDT are recorded"},
		"DepositInvented":  {change(unswept, func(b *settlement.Record) { b.Late = b.Late.Add(cent) }), unswept, "it holds 5 USDT, and 5.01 USDT are recorded"},
		"MovedTooMuch":     {change(swept, func(b *settlement.Record) { b.Moved = b.Moved.Add(cent) }), swept, "sweeps moved 10.01 USDT"},
		"MovedTooLittle":   {change(swept, func(b *settlement.Record) { b.Moved, b.Marked = b.Moved.Sub(cent), b.Marked.Sub(cent) }), swept, "it holds 0 USDT, and 0.01 USDT"},
		"MarkedTooMuch":    {change(swept, func(b *settlement.Record) { b.Marked = b.Marked.Add(cent) }), swept, "are marked as swept"},
		"NoRecord":         {func([]settlement.Record) []settlement.Record { return nil }, unswept, "it holds 5 USDT, and 0 USDT are recorded"},
		"DepositNotThere":  {change(unswept, func(b *settlement.Record) { b.Deposits[0].Ordinal++ }), unswept, "is not what most of the endpoints show"},
		"DepositOtherHash": {change(swept, func(b *settlement.Record) { b.Deposits[0].Units = b.Deposits[0].Units.Add(cent) }), swept, "is not what most of the endpoints show"},
	} {
		t.Run(name, func(t *testing.T) {
			r := w.reconciler()
			r.Records = forged{RecordStore: w.store.Settlement(), forge: c.forge}
			found, err := r.Run(t.Context())
			testkit.Must(t, err)
			if len(found) != 1 || found[0].PaymentID != string(c.about.ID) ||
				!strings.Contains(found[0].String(), c.text) {
				t.Errorf("differences: %q, want one with %q", found, c.text)
			}
		})
	}
	t.Run("SweepNotThere", func(t *testing.T) {
		r := w.reconciler()
		r.Records = forgedSweeps{w.store.Settlement(), func(s *settlement.Sweep) {
			s.Tx = "0x" + chain.TxHash(strings.Repeat("12", 32))
		}}
		wantOne(t, r, "is not on the chain")
	})
	t.Run("SweepMovedMore", func(t *testing.T) {
		r := w.reconciler()
		r.Records = forgedSweeps{w.store.Settlement(), func(s *settlement.Sweep) {
			s.Moved[0].Units = s.Moved[0].Units.Sub(cent)
		}}
		wantOne(t, r, "moved 10 USDT")
	})
	// Money that arrives while the watcher does not run.
	w.pay(swept, money.USD)
	w.finalize()
	wantOne(t, w.reconciler(), "it holds 1 USDT, and 0 USDT are recorded")
	w.watch()
	w.wantReconciled()
}

type forgedSweeps struct {
	settlement.RecordStore
	forge func(*settlement.Sweep)
}

func (f forgedSweeps) ConfirmedSince(
	ctx context.Context, n chain.Network, since time.Time,
) ([]settlement.Sweep, error) {
	list, err := f.RecordStore.ConfirmedSince(ctx, n, since)
	for i := range list {
		f.forge(&list[i])
	}
	return list, err
}

func wantOne(t *testing.T, r settlement.Reconciler, text string) {
	t.Helper()
	found, err := r.Run(t.Context())
	testkit.Must(t, err)
	if len(found) != 1 || !strings.Contains(found[0].String(), text) {
		t.Errorf("differences: %q, want one with %q", found, text)
	}
}

// balances is what a Reconciler reads of a network.
type balances interface {
	Heads(ctx context.Context) (chain.Heads, error)
	Balances(ctx context.Context, asset chain.Asset, addresses []chain.Address, at chain.Head) ([]money.Units, error)
	Judge(ctx context.Context, transfers []chain.Transfer, at chain.Head) ([]chain.Verdict, error)
	Find(ctx context.Context, tx chain.TxHash) (chain.Found, error)
}

// divided is a network whose endpoints disagree about one address and one transaction, and whose second endpoint
// knows no deposit yet.
type divided struct {
	balances

	address   chain.Address
	unread    bool // rather than that they disagree
	tx        chain.TxHash
	undecided bool
}

func (d *divided) Balances(
	ctx context.Context, asset chain.Asset, addresses []chain.Address, at chain.Head,
) ([]money.Units, error) {
	if slices.Contains(addresses, d.address) {
		if d.unread {
			return nil, &chain.UnreadError{Addresses: []chain.Address{d.address}, Reason: "internal error"}
		}
		return nil, chain.ErrDisagree
	}
	return d.balances.Balances(ctx, asset, addresses, at)
}

func (d *divided) Find(ctx context.Context, tx chain.TxHash) (chain.Found, error) {
	if tx == d.tx {
		return chain.Found{}, chain.ErrDisagree
	}
	return d.balances.Find(ctx, tx)
}

func (d *divided) Judge(ctx context.Context, list []chain.Transfer, at chain.Head) ([]chain.Verdict, error) {
	if d.undecided {
		return make([]chain.Verdict, len(list)), nil
	}
	return d.balances.Judge(ctx, list, at)
}

// TestReconciler_Divided: what endpoints disagree about is a difference of its own, and hides no other.
func TestReconciler_Divided(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	swept := w.paid(10 * money.USD)
	w.settle(w.sweeper())
	sweeps, err := w.store.Settlement().ConfirmedSince(t.Context(), chain.Polygon, time.Time{})
	if err != nil || len(sweeps) != 1 {
		t.Fatalf("%d sweeps, %v", len(sweeps), err)
	}
	var paid []payment.Payment
	for range 4 {
		paid = append(paid, w.paid(money.USD))
	}
	w.wantReconciled()
	run := func(d divided) []string {
		t.Helper()
		r := w.reconciler()
		d.balances, r.Networks[0].Reader = r.Networks[0].Reader, &d
		found, err := r.Run(t.Context())
		testkit.Must(t, err)
		var texts []string
		for _, f := range found {
			texts = append(texts, f.String())
		}
		return texts
	}
	want := func(texts []string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, part) }) {
				t.Errorf("no difference with %q: %q", part, texts)
			}
		}
		if len(texts) != len(parts) {
			t.Errorf("%d differences, not %d: %q", len(texts), len(parts), texts)
		}
	}
	doubtful, odd := paid[1], paid[3]
	want(run(divided{tx: sweeps[0].Tx}), "sweep "+string(sweeps[0].ID)+": the endpoints disagree")
	want(run(divided{address: mustAddress(t, doubtful)}), string(doubtful.ID)+" address "+
		string(mustAddress(t, doubtful))+": the endpoints disagree")
	want(run(divided{address: mustAddress(t, doubtful), unread: true}), string(doubtful.ID)+" address "+
		string(mustAddress(t, doubtful))+": the endpoints cannot read it")
	want(run(divided{undecided: true}), slices.Repeat([]string{"is not what most of the endpoints show now"}, 5)...)
	w.pay(odd, money.USD)
	w.finalize()
	want(run(divided{address: mustAddress(t, doubtful)}), "the endpoints disagree",
		string(odd.ID)+" address "+string(mustAddress(t, odd))+": it holds 2 USDT, and 1 USDT are recorded")
	want(run(divided{address: mustAddress(t, swept)}), "the endpoints disagree", string(odd.ID))
}

func mustAddress(t *testing.T, p payment.Payment) chain.Address {
	t.Helper()
	r, ok := p.Route()
	if !ok {
		t.Fatal("a payment without a route")
	}
	return r.Address.Address
}
