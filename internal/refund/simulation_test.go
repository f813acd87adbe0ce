package refund_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
)

// TestSimulation plays payers who change their addresses, merchants who pay twice, at the same time, or something
// else, endpoints that leave transfers out or invent some, programs that are killed between two writes, and databases
// that are restored. Afterwards no transfer has settled two refunds, none is open that was paid, and no payment has
// more refunds than money.
func TestSimulation(t *testing.T) {
	t.Parallel()
	var paid, sums, noted int
	for seed := range uint64(1_000) {
		w := newSimulation(seed)
		for range 120 {
			w.step()
		}
		w.settleDown(t)
		w.check(t)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		paid, sums, noted = paid+w.everPaid, sums+w.sums, noted+w.noted
	}
	if sums == 0 || noted == 0 {
		t.Errorf("%d transactions, of which %d are sums, and %d other amounts kept", paid, sums, noted)
	}
	t.Logf("%d transactions, %d of them sums; %d other amounts kept", paid, sums, noted)
}

// simulation is a world with one network, of which each block holds one transfer or none.
type simulation struct {
	r        *rand.Rand
	store    *memory
	chain    *liar
	watcher  *refund.Watcher
	now      time.Time
	ids      int
	backup   *memory
	everPaid int
	asset    chain.Asset
	sums     int // transactions of several transfers to one address
	noted    int // transfers of other amounts that are kept
}

func newSimulation(seed uint64) *simulation {
	w := &simulation{r: rand.New(rand.NewPCG(seed, 1)), now: t0, store: &memory{}, asset: usdc}
	if seed%2 == 0 {
		w.asset.Network = chain.Solana
	}
	for i := range 3 {
		a := account(payment.DepositFinal, map[chain.Asset]uint64{w.asset: 10_000_000})
		a.Payment.ID = payment.ID(fmt.Sprintf("P%d", i))
		w.store.accounts = append(w.store.accounts, a)
	}
	w.chain = &liar{w: w, blocks: []chain.Head{{Number: 1, Hash: "1", Time: t0.Add(-time.Hour)}}}
	w.start()
	return w
}

// start begins a program anew.
func (w *simulation) start() {
	w.watcher = &refund.Watcher{
		Service: refund.New(refund.Deps{
			Store: w.store, Readers: map[chain.Network]chain.Reader{w.asset.Network: w.chain},
			Now: func() time.Time { return w.now },
		}),
		Log: slog.New(slog.DiscardHandler),
	}
}

func (w *simulation) step() {
	w.now = w.now.Add(time.Duration(w.r.IntN(40)) * time.Second)
	a := &w.store.accounts[w.r.IntN(len(w.store.accounts))]
	switch n := w.r.IntN(24); {
	case n < 4:
		w.ids++
		w.decide(a, func(a refund.Account) (refund.Change, error) {
			return a.Request(refund.Ask{
				ID: refund.ID(fmt.Sprintf("R%03d", w.ids)), Amount: []string{"2", "2", "3", ""}[w.r.IntN(4)],
			}, w.now)
		})
	case n < 20 && len(a.Refunds) > 0:
		w.act(a, a.Refunds[w.r.IntN(len(a.Refunds))], n)
	case n < 22:
		w.store.failing = w.r.IntN(8) == 0
		_ = w.watcher.RunOnce(context.Background())
		w.store.failing = false
	case n == 22:
		w.start()
	case w.backup == nil:
		w.backup = w.store.clone()
	case w.r.IntN(4) == 0: // restored: what was asked for since is lost with its transfers
		w.store, w.backup = w.backup, nil
		w.start()
	}
}

// act does something about a refund.
func (w *simulation) act(a *refund.Account, r refund.Refund, n int) {
	w.decide(a, func(a refund.Account) (refund.Change, error) {
		switch n {
		case 4, 5, 6, 7:
			return a.GiveAddress(r.ID, here([]chain.Address{"0xa", "0xb"}[w.r.IntN(2)]), false, w.now)
		case 8, 9, 10:
			return a.Ask(r.ID, w.now)
		case 11:
			return a.Cancel(r.ID, w.now)
		case 12:
			return a.Unsend(r.ID, w.now)
		}
		return refund.Change{}, errors.New("nothing")
	})
	if n > 12 && r.Payable() {
		w.pay(r, n)
	}
}

// pay makes a transaction for the refund: of exactly its amount, of another one, or, on Solana, of several transfers at
// once, which one account gains as one sum.
func (w *simulation) pay(r refund.Refund, n int) {
	t := paid(r, fmt.Sprintf("0x%d", len(w.chain.blocks)), w.now)
	parts := []chain.Transfer{t}
	if n == 19 {
		parts[0].Units = t.Units.Add(money.UnitsFromUint64(1_000_000))
	}
	if n > 16 && w.asset.Network == chain.Solana {
		for _, o := range w.store.all() {
			if o.ID != r.ID && o.Payable() && o.Address.Address == r.Address.Address {
				part := paid(o, string(t.Tx), w.now)
				part.Ordinal += 256 * len(parts)
				parts = append(parts, part)
			}
		}
	}
	w.everPaid++
	if len(parts) > 1 {
		w.sums++
	}
	w.chain.include(t, parts...)
}

func (w *simulation) decide(a *refund.Account, decide func(refund.Account) (refund.Change, error)) {
	_, _ = w.store.UpdateRefunds(context.Background(), a.Payment.ID, decide)
}

// settleDown lets the watcher read everything through endpoints that do not lie any more.
func (w *simulation) settleDown(t *testing.T) {
	t.Helper()
	w.chain.honest = true
	for range 3 {
		w.now = w.now.Add(time.Hour)
		w.chain.include(chain.Transfer{})
		if err := w.watcher.RunOnce(t.Context()); err != nil {
			t.Errorf("the last rounds: %v", err)
		}
	}
}

func (w *simulation) check(t *testing.T) {
	t.Helper()
	var all []refund.Refund
	settled := map[string]refund.ID{}
	for _, a := range w.store.accounts {
		for _, h := range a.Holdings() {
			if h.Left.Cmp(money.Units{}) < 0 {
				t.Errorf("payment %s has refunds for more than it received", a.Payment.ID)
			}
		}
		var sum money.Units
		for _, r := range a.Refunds {
			all = append(all, r)
			if r.Status != refund.Cancelled {
				sum = sum.Add(r.Units)
			}
			w.noted += len(r.Others)
			if r.Status != refund.Final {
				continue
			}
			key := fmt.Sprint(r.Hash, r.Ordinal)
			if by, twice := settled[key]; twice {
				t.Errorf("transfer %s has settled %s and %s", key, by, r.ID)
			}
			settled[key] = r.ID
		}
		if sum.Cmp(money.UnitsFromUint64(10_000_000)) > 0 {
			t.Errorf("payment %s: refunds of %s in all", a.Payment.ID, sum)
		}
	}
	for _, p := range refund.Match(all, w.chain.parts) {
		if !p.Transfer.Block.Time.Before(p.Refund.AddressAt) {
			t.Errorf("refund %s is open, and transfer %s has paid it", p.Refund.ID, p.Transfer.Tx)
		}
	}
	for _, r := range all {
		if r.Status == refund.Final && !slices.ContainsFunc(w.chain.parts, func(x chain.Transfer) bool {
			return x.Tx == r.Hash && x.Ordinal == r.Ordinal && r.Fits(x)
		}) {
			t.Errorf("refund %s is final, and no transfer has paid it", r.ID)
		}
	}
}

// TestWatcher_Idle: no endpoint is asked while no refund waits for money: none there is, none has an address, or all
// are paid or cancelled.
func TestWatcher_Idle(t *testing.T) {
	t.Parallel()
	w := newSimulation(1)
	a, hour := &w.store.accounts[0], time.Hour
	round := func(what string, want bool) {
		t.Helper()
		before := w.chain.asked
		w.now = w.now.Add(hour)
		w.chain.include(chain.Transfer{})
		if err := w.watcher.RunOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		if asked := w.chain.asked > before; asked != want {
			t.Errorf("%s: %d requests", what, w.chain.asked-before)
		}
	}
	w.chain.honest = true
	round("no refund", false)
	w.decide(a, func(a refund.Account) (refund.Change, error) { return a.Request(refund.Ask{ID: "R1"}, w.now) })
	round("no address", false)
	w.decide(a, func(a refund.Account) (refund.Change, error) { return a.GiveAddress("R1", here("0xa"), false, w.now) })
	round("an address", true)
	t1 := paid(a.Refunds[0], "0xpaid", w.now)
	w.chain.include(t1, t1)
	round("paid", true)
	if a.Refunds[0].Status != refund.Final {
		t.Fatalf("%+v", a.Refunds[0])
	}
	round("final", false)
}
