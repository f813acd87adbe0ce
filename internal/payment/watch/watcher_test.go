package watch_test

import (
	"fmt"
	"log/slog"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/store/storetest"
)

const tenUSDC = 10_000_000

func TestWatcher_SeenThenFinal(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p := r.start()
	tx := r.pay(p)
	r.chain.Mine(1)
	r.watch()
	p = r.expect(p, payment.Started, 0)
	if string(p.Hash) != tx || p.Incoming().Micros() != tenUSDC {
		t.Errorf("seen: hash %s, incoming %s", p.Hash, p.Incoming().Micros())
	}
	for range 3 {
		r.watch() // looking again changes nothing
	}
	if n := r.recorded(p, payment.EventSeen); n != 1 {
		t.Errorf("seen %d times", n)
	}
	r.chain.Mine(rigFinalDepth)
	r.watch()
	r.expect(p, payment.Completed, tenUSDC)
	if seen, final, done := r.recorded(p, payment.EventSeen), r.recorded(p, payment.EventFinal), r.recorded(
		p, payment.EventCompleted,
	); seen != 1 || final != 1 || done != 1 {
		t.Errorf("recorded seen %d, final %d, completed %d times", seen, final, done)
	}
}

// TestWatcher_Outage stops the program for more blocks than one scan takes; no
// window is skipped.
func TestWatcher_Outage(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	first, second := r.start(), r.start()
	r.chain.Mine(1)
	r.watch()
	r.pay(first)
	r.chain.Mine(1_500)
	r.pay(second)
	r.chain.Mine(4_000)
	r.watch()
	r.expect(first, payment.Completed, tenUSDC)
	r.expect(second, payment.Completed, tenUSDC)
}

// TestWatcher_Reorg: money that is seen, taken back and mined again counts
// once.
func TestWatcher_Reorg(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p := r.start()
	r.pay(p)
	r.chain.Mine(1)
	r.watch()
	r.chain.Drop(1, true)
	r.chain.Mine(2)
	r.watch()
	r.expect(p, payment.Started, 0)
	r.chain.Mine(rigFinalDepth)
	r.watch()
	if p = r.expect(p, payment.Completed, tenUSDC); len(p.Deposits) != 1 {
		t.Errorf("one transfer became %d deposits", len(p.Deposits))
	}
}

// TestWatcher_DoubleSpend: money that is seen and replaced never counts, and
// holds back expiry no longer.
func TestWatcher_DoubleSpend(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p := r.start()
	r.pay(p)
	r.chain.Mine(1)
	r.watch()
	r.chain.Drop(1, false)
	r.chain.Mine(2)
	r.watch()
	p = r.expect(p, payment.Started, 0)
	if !p.Incoming().IsZero() || r.recorded(p, payment.EventVanished) != 1 {
		t.Errorf("money that vanished still counts as incoming: %s", p.Incoming().Micros())
	}
	r.watchFor(rigTTL)
	r.must(r.expirer.RunOnce(t.Context()))
	r.expect(p, payment.Expired, 0)
}

// watchFor lets time pass in steps too small to be an outage.
func (r *rig) watchFor(d time.Duration) {
	r.Helper()
	for range d/part + rigFinalDepth {
		r.chain.Wait(part)
		r.chain.Mine(1)
		r.watch()
	}
}

// TestWatcher_CreditedTooEarly: where a rule in seconds credits before the
// chain finalizes, vanished money is found, flagged and reported.
func TestWatcher_CreditedTooEarly(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, func(p *chain.Profile) { p.Finality = chain.Finality{Depth: time.Second} })
	p := r.start()
	r.pay(p)
	r.chain.Mine(2)
	r.watch()
	p = r.expect(p, payment.Completed, tenUSDC)
	if p.Deposits[0].Rechecked {
		t.Fatal("rechecked before the chain finalized it")
	}
	r.chain.Drop(2, false)
	r.chain.Mine(rigFinalDepth + 3)
	r.watch()
	p = r.expect(p, payment.Completed, 0)
	if !p.Reorged || r.recorded(p, payment.EventReorged) != 1 {
		t.Errorf("reorged %v, recorded %d times", p.Reorged, r.recorded(p, payment.EventReorged))
	}
}

// TestWatcher_MerchantsRule: a merchant's rule in seconds credits before the
// network's own, a second endpoint confirms it, and it is rechecked in time.
func TestWatcher_MerchantsRule(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	early := func(c merchant.Custodian) (merchant.CustodianChange, error) {
		c.Networks = map[chain.Network]merchant.NetworkOptions{
			chain.Polygon: {Enabled: true, Finality: chain.Finality{Depth: time.Second}},
		}
		return merchant.CustodianChange{Custodian: c}, nil
	}
	_, err := (storetest.Accounts{Store: r.store.Merchant()}).UpdateCustodian(t.Context(), r.key.ID, nil, early)
	r.must(err)
	p := r.start()
	r.pay(p)
	r.chain.Mine(1)
	r.watch()
	r.expect(p, payment.Started, 0)
	r.chain.Mine(1)
	r.endpoints[1].Set(chaintest.Faults{Lag: 1})
	r.endpoints[0].Set(chaintest.Faults{Lag: 0})
	_ = r.watcher.RunOnce(t.Context()) // the second opinion may lag; nothing is lost by it
	r.endpoints[1].Set(chaintest.Faults{})
	r.watch()
	p = r.expect(p, payment.Completed, tenUSDC)
	if p.Deposits[0].Rechecked {
		t.Error("rechecked before the chain finalized it")
	}
	r.chain.Mine(rigFinalDepth)
	r.watch()
	if p = r.get(p); !p.Deposits[0].Rechecked || p.Reorged {
		t.Errorf("rechecked %v, reorged %v", p.Deposits[0].Rechecked, p.Reorged)
	}
}

// TestWatcher_Hardens: money credited early is checked again at the chain's own
// finality.
func TestWatcher_Hardens(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, func(p *chain.Profile) { p.Finality = chain.Finality{Depth: time.Second} })
	p := r.start()
	r.pay(p)
	r.chain.Mine(2)
	r.watch()
	r.chain.Mine(rigFinalDepth)
	r.watch()
	if p = r.expect(p, payment.Completed, tenUSDC); !p.Deposits[0].Rechecked || p.Reorged {
		t.Errorf("rechecked %v, reorged %v", p.Deposits[0].Rechecked, p.Reorged)
	}
}

// TestWatcher_Blind: while a network stands still it is not offered, nobody's
// time runs, and it is given back afterwards.
func TestWatcher_Blind(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p := r.start()
	expires := p.ExpiresAt
	r.pass(2 * time.Hour)
	if err := r.watcher.RunOnce(t.Context()); err == nil {
		t.Fatal("a network whose newest block is two hours old was read")
	}
	if h := r.watcher.Health(); h.OK || h.Reason == "" {
		t.Errorf("health: %+v", h)
	}
	r.must(r.expirer.RunOnce(t.Context()))
	r.expect(p, payment.Started, 0)
	fresh, err := r.service.Create(t.Context(), payment.CreateInput{KeyID: r.key.ID, Amount: "10"}, audit.Act{})
	r.must(err)
	if _, err := r.service.Start(
		t.Context(), string(fresh.ID), payment.Choice{Network: chain.Polygon, Token: money.USDC}, audit.Act{},
	); !fault.Is(err, fault.Unavailable) {
		t.Errorf("start on a blind network: %v", err)
	}
	behind := r.cursor().BehindSince
	r.pass(time.Hour)
	r.catchUp()
	r.chain.Mine(rigFinalDepth)
	r.watch()
	r.must(r.expirer.RunOnce(t.Context()))
	p = r.expect(p, payment.Started, 0)
	if lost := r.now().Sub(behind); p.ExpiresAt.Sub(expires).Round(time.Minute) != lost.Round(time.Minute) {
		t.Errorf("an outage of %s gave back %s", lost, p.ExpiresAt.Sub(expires))
	}
	r.pay(p)
	r.chain.Mine(rigFinalDepth + 1)
	r.watch()
	r.expect(p, payment.Completed, tenUSDC)
}

// TestWatcher_Down: time without a running program counts as an outage.
func TestWatcher_Down(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p := r.start()
	r.chain.Wait(3 * time.Hour)
	r.chain.Mine(rigFinalDepth + 1)
	r.must(r.expirer.RunOnce(t.Context())) // it was started first
	r.expect(p, payment.Started, 0)
	r.watch()
	r.must(r.expirer.RunOnce(t.Context()))
	if got := r.expect(p, payment.Started, 0); !got.ExpiresAt.After(p.ExpiresAt.Add(2 * time.Hour)) {
		t.Errorf("three hours down gave back %s", got.ExpiresAt.Sub(p.ExpiresAt))
	}
}

// TestWatcher_TwoInstances let two instances of the program watch one database
// at once: one leads, and the payment completes once, whichever it is.
func TestWatcher_TwoInstances(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	other := watch.NewWatcher(r.profile, r.reader(), r.store, "two", r.now, slog.New(slog.DiscardHandler))
	p := r.start()
	r.pay(p)
	for range 3 * rigFinalDepth {
		r.chain.Mine(5) // the lease runs out between rounds, so leaders change
		var wg sync.WaitGroup
		for _, w := range []*watch.Watcher{r.watcher, other} {
			wg.Go(func() {
				if err := w.RunOnce(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	r.expect(p, payment.Completed, tenUSDC)
	if n := r.recorded(p, payment.EventCompleted); n != 1 {
		t.Errorf("completed %d times", n)
	}
}

// invent returns an endpoint that shows, in the block, a transfer of the units to the payment that nobody made.
func (r *rig) invent(p payment.Payment, block chaintest.Mined, units int64) chaintest.Faults {
	tx := "0x" + strings.Repeat("ab", 32)
	log := r.logOf(p, block, tx, units)
	return chaintest.Faults{
		Phantom: []map[string]any{log}, PhantomReceipts: map[string]map[string]any{tx: receiptOf(log)},
	}
}

// logOf is how an endpoint shows, in the block, a transfer of the units to the payment.
func (r *rig) logOf(p payment.Payment, block chaintest.Mined, tx string, units int64) map[string]any {
	route, _ := p.Route()
	l := chaintest.TransferLog(strings.ToLower(r.contract("USDC")), "0x00000000000000000000000000000000000000f1",
		string(route.Address.Address), big.NewInt(units))
	return map[string]any{
		"address": l.Address, "blockNumber": hexNumber(block.Number), "blockHash": block.Hash, "transactionHash": tx,
		"transactionIndex": "0x0", "logIndex": "0x0", "removed": false, "topics": l.Topics, "data": l.Data,
	}
}

// receiptOf is a receipt with the log and no other.
func receiptOf(log map[string]any) map[string]any {
	return map[string]any{
		"transactionHash": log["transactionHash"], "blockNumber": log["blockNumber"], "blockHash": log["blockHash"],
		"status": "0x1", "logs": []any{log},
	}
}

// TestWatcher_Invented: what one endpoint invents is never credited and holds back nothing: not the real money of the
// same payment, nor the cursor, nor the network. Two that deny it drop it; where only one can, it is set aside.
func TestWatcher_Invented(t *testing.T) {
	t.Parallel()
	for endpoints, want := range map[int]int{2: 1, 3: 0} {
		for liar := range endpoints {
			t.Run(fmt.Sprintf("%dOf%d", liar+1, endpoints), func(t *testing.T) {
				t.Parallel()
				r := newRig(t, endpoints)
				p := r.start()
				before := r.cursor().Scanned.Number
				r.payPart(p, 6*money.USD)
				r.chain.Mine(rigFinalDepth + 2)
				r.endpoints[liar].Set(r.invent(p, r.chain.Blocks()[before+1], tenUSDC/2))
				r.watch()
				r.expect(p, payment.Started, 6*money.USD)
				r.wantSetAside(want)
				if got := r.cursor().Scanned.Number; got != r.chain.Head().Number-rigFinalDepth {
					t.Errorf("the cursor is at %d of %d", got, r.chain.Head().Number)
				}
				if h := r.watcher.Health(); !h.OK {
					t.Errorf("health %+v", h)
				}
				r.payPart(p, 4*money.USD)
				r.chain.Mine(rigFinalDepth + 1)
				blocks := r.chain.Blocks() // in one of which the endpoint invents more
				r.endpoints[liar].Set(r.invent(p, blocks[len(blocks)-1-rigFinalDepth], tenUSDC/2))
				r.watch()
				if p = r.expect(p, payment.Completed, tenUSDC); len(p.Deposits) != 2 {
					t.Errorf("recorded are %+v", p.Deposits)
				}
				r.endpoints[liar].Set(chaintest.Faults{})
				r.retry(r.watcher)
				r.wantSetAside(0)
				if p = r.expect(p, payment.Completed, tenUSDC); len(p.Deposits) != 2 {
					t.Errorf("recorded are %+v", p.Deposits)
				}
			})
		}
	}
}

// TestExpirer_Missed: a transfer the logs left out is found by its balance
// before the payment expires.
func TestExpirer_Missed(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p := r.start()
	r.endpoints[0].Set(chaintest.Faults{Omit: func(map[string]any) bool { return true }})
	r.pay(p)
	r.chain.Mine(rigFinalDepth + 1)
	r.watch()
	r.expect(p, payment.Started, 0)
	r.watchFor(rigTTL)
	r.must(r.expirer.RunOnce(t.Context()))
	r.expect(p, payment.Started, 0) // unexplained money holds it back
	r.endpoints[0].Set(chaintest.Faults{})
	r.chain.Wait(2 * time.Minute)
	r.chain.Mine(1)
	r.watch()
	r.must(r.expirer.RunOnce(t.Context()))
	r.expect(p, payment.Completed, tenUSDC)
}

// TestExpirer_Pages expires more payments than one page holds, and leaves those
// whose time has not run out.
func TestExpirer_Pages(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	var waiting []payment.Payment
	for range 230 {
		p, err := r.service.Create(t.Context(), payment.CreateInput{KeyID: r.key.ID, Amount: "10"}, audit.Act{})
		r.must(err)
		waiting = append(waiting, p)
	}
	r.chain.Wait(rigTTL)
	r.chain.Mine(1)
	fresh, err := r.service.Create(t.Context(), payment.CreateInput{KeyID: r.key.ID, Amount: "10"}, audit.Act{})
	r.must(err)
	r.must(r.expirer.RunOnce(t.Context()))
	for _, p := range waiting {
		r.expect(p, payment.Expired, 0)
	}
	r.expect(fresh, payment.Pending, 0)
}
