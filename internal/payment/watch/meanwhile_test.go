package watch_test

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// meanwhile is a database on which somebody else acts, once, just before a change is
// written.
type meanwhile struct {
	watch.Store
	act func(payment.Payment) (payment.Change, error)
}

func (m *meanwhile) UpdatePayment(
	ctx context.Context, id payment.ID, decide func(payment.Payment) (payment.Change, error),
) (payment.Payment, error) {
	if act := m.act; act != nil {
		m.act = nil
		if _, err := m.Store.UpdatePayment(ctx, id, act); err != nil {
			return payment.Payment{}, err
		}
	}
	return m.Store.UpdatePayment(ctx, id, decide)
}

func (m *meanwhile) UpdatePayments(ctx context.Context, all []watch.Update) []error {
	return singly(ctx, m, all)
}

// startOn starts a new payment of 10 USDC on another EVM network, and returns it with the
// route by which the payer may choose the watched network, which has the same address.
func (r *rig) startOn(n chain.Network) (payment.Payment, payment.Route) {
	r.Helper()
	route := payment.Route{
		Network: chain.Polygon, Settlement: rigWallet, Scheme: chain.SchemeTxnID,
		Address: chain.AddressOf(chain.Polygon, bytes.Repeat([]byte{0xab}, 20)),
	}
	p, err := r.service.Create(r.Context(), payment.CreateInput{KeyID: r.key.ID, Amount: "10"}, audit.Act{})
	r.must(err)
	p, err = r.store.UpdatePayment(r.Context(), p.ID, func(p payment.Payment) (payment.Change, error) {
		other := route
		other.Network = n
		return p.Start(payment.Choice{Network: n, Token: money.USDC}, other, rigStartTTL, r.now())
	})
	r.must(err)
	return p, route
}

// TestWatcher_ChoiceWhileConfirming: a payer chooses the network on which money is final
// early, after the watcher has read the payment and before it writes. No second endpoint
// was asked, so nothing is credited.
func TestWatcher_ChoiceWhileConfirming(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	p, route := r.startOn(chain.BEP20)
	route.Finality = chain.Finality{Depth: time.Second}
	s := &meanwhile{Store: r.store, act: func(p payment.Payment) (payment.Change, error) {
		return p.Start(payment.Choice{Network: chain.Polygon, Token: money.USDC}, route, rigStartTTL, r.now())
	}}
	reader := &counting{Reader: r.reader(), denied: true}
	w := r.on(s, reader)
	r.must(w.RunOnce(t.Context()))
	r.pay(p)
	r.chain.Mine(rigSafeDepth)
	_ = w.RunOnce(t.Context())
	p = r.expect(p, payment.Started, 0)
	if p.Choice.Network != chain.Polygon {
		t.Fatalf("the payer chose %s; the test shows nothing", p.Choice.Network)
	}
	reader.denied = false
	r.must(w.RunOnce(t.Context()))
	r.expect(p, payment.Completed, tenUSDC)
	if reader.asked == 0 {
		t.Error("credited above the final head, and no second endpoint was asked")
	}
}

// TestWatcher_OtherThanConfirmed: as many transfers would be credited early as were
// confirmed, but not the same ones.
func TestWatcher_OtherThanConfirmed(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.creditAfter(2 * time.Second)
	p := r.start()
	s := &meanwhile{Store: r.store}
	w := r.on(s, r.reader())
	r.must(w.RunOnce(t.Context()))
	r.speck(p, 1, 1)
	r.chain.Mine(2)
	r.speck(p, 1, 2)
	r.chain.Mine(1)
	scratch := r.reader()
	set := chain.NewWatchSet(1)
	route, _ := p.Route()
	set.Add(route.Address)
	heads, err := scratch.Heads(t.Context())
	r.must(err)
	seen, _, err := scratch.Scan(t.Context(), r.cursor().Scanned.Number+1, heads.Latest, set)
	if err != nil || len(seen) != 2 {
		t.Fatalf("%d transfers, %v", len(seen), err)
	}
	// Another instance has credited both, the second one in a block of another fork.
	forked := slices.Clone(seen)
	forked[1].Block.Hash, forked[1].Block.Time = "0xf0", forked[0].Block.Time
	s.act = func(p payment.Payment) (payment.Change, error) {
		return p.Observe(payment.View{
			Network: chain.Polygon, From: forked[0].Block.Number, To: forked[1].Block.Number,
			Latest: r.chain.Head(), Transfers: forked,
		}, r.now())
	}
	_ = w.RunOnce(t.Context())
	if got := r.get(p).Deposits[1]; got.State != payment.DepositFinal || got.Transfer.Block.Hash != "0xf0" {
		t.Errorf("a transfer that nobody confirmed was credited in block %s", got.Transfer.Block.Hash)
	}
	r.must(w.RunOnce(t.Context()))
	if got := r.get(p).Deposits[1]; got.Transfer.Block.Hash != seen[1].Block.Hash {
		t.Errorf("the deposit is in block %s after the next round", got.Transfer.Block.Hash)
	}
}

// TestWatcher_FoundWhileMissing: a deposit is missing from a view and both endpoints deny
// it there; meanwhile another instance has found it in a later block, about which nobody
// was asked.
func TestWatcher_FoundWhileMissing(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	p := r.start()
	s := &meanwhile{Store: r.store}
	w := r.on(s, r.reader())
	r.must(w.RunOnce(t.Context()))
	r.pay(p)
	r.chain.Mine(1)
	r.must(w.RunOnce(t.Context()))
	found := r.get(p).Deposits[0].Transfer
	r.chain.Drop(1, false)
	r.chain.Mine(2)
	found.Block = r.chain.Head()
	s.act = func(p payment.Payment) (payment.Change, error) {
		return p.Observe(payment.View{
			Network: chain.Polygon, From: found.Block.Number, To: found.Block.Number, Latest: found.Block,
			Transfers: []chain.Transfer{found},
		}, r.now())
	}
	_ = w.RunOnce(t.Context())
	if d := r.get(p).Deposits[0]; d.State != payment.DepositSeen || r.recorded(p, payment.EventVanished) != 0 {
		t.Errorf("the deposit in the later block is %s", d.State)
	}
	r.must(w.RunOnce(t.Context())) // it is asked about, and is not there either
	if d := r.get(p).Deposits[0]; d.State != payment.DepositVanished {
		t.Errorf("denied in its own block by both endpoints, it is %s", d.State)
	}
}
