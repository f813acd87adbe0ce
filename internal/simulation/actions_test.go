package simulation

import (
	"context"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/storetest"
)

// action is something that can happen, with its relative frequency.
type action struct {
	name   string
	weight int
	do     func(*world)
	// when says whether it could do anything; nil: always. Idle rounds cost most of the time and find nothing.
	when func(*world) bool
}

var actions = []action{
	{name: "create", weight: 8, do: func(w *world) {
		amount := money.Micros(1_000_000 * (1 + w.rng.IntN(50)))
		w.act(func(in *instance) error {
			_, err := in.service.Create(w.Context(), payment.CreateInput{KeyID: w.key, Amount: amount.String()},
				audit.Act{})
			return err
		})
	}},
	{name: "top up", weight: 1, do: func(w *world) {
		w.act(func(in *instance) error {
			_, err := in.service.CreateTopUp(
				w.Context(), w.newPayment(w.clock), w.key, int64(20+w.rng.IntN(100)), audit.Act{})
			return err
		})
	}},
	{name: "start", weight: 14, do: (*world).startOne},
	{name: "pay", weight: 14, do: (*world).pay, when: (*world).started},
	{name: "a payment is followed", weight: 6, do: (*world).payThrough, when: (*world).started},
	{name: "a webhook is cut short", weight: 3, do: (*world).cutShort, when: (*world).unsent},
	{name: "a sweep is dropped", weight: 3, do: (*world).dropSweeps, when: (*world).sweepable},
	{name: "a kill while it sweeps", weight: 3, do: (*world).killSweeping, when: (*world).started},
	{name: "mine", weight: 16, do: func(w *world) {
		for range 1 + w.rng.IntN(5) {
			w.pass(2 * time.Second)
			w.mine(1)
		}
	}},
	{name: "watch", weight: 20, do: loop("watch")},
	{name: "expire", weight: 8, do: loop("expire"), when: (*world).due},
	{name: "sweep", weight: 16, do: loop("sweep"), when: (*world).sweepable},
	{name: "deliver", weight: 8, do: loop("deliver"), when: (*world).ending},
	{name: "recharge", weight: 3, do: (*world).recharge},
	{name: "recharges", weight: 4, do: loop("recharge"), when: (*world).recharging},
	{name: "the merchant's wallet is used", weight: 1, do: (*world).spend, when: (*world).recharging},
	{name: "cancel", weight: 2, do: (*world).cancel, when: (*world).started},
	{name: "mark", weight: 1, do: func(w *world) {
		if p, ok := w.newest(); ok {
			w.act(func(in *instance) error {
				_, err := in.service.MarkCompleted(w.Context(), w.key, string(p.ID), "", audit.Act{Who: audit.ViaAPI})
				return err
			})
		}
	}},
	{name: "accept", weight: 1, do: func(w *world) {
		if p, ok := w.newest(); ok {
			w.act(func(in *instance) error {
				_, err := in.service.Accept(w.Context(), w.key, string(p.ID), audit.Act{Who: "owner"})
				return err
			})
		}
	}},
	{name: "another settlement wallet", weight: 1, do: (*world).changeWallet},
	{name: "reorg", weight: 3, do: (*world).reorg},
	{name: "the pool is emptied", weight: 1, do: func(w *world) { w.anyChain().drop() }},
	{name: "a clock jumps", weight: 2, do: func(w *world) {
		in := w.any()
		w.lies.endSingle(w)
		if in.skew = 0; w.chance(50) {
			in.skew = time.Duration(w.rng.IntN(240)-120) * time.Second
		}
	}},
	{name: "a crash is due", weight: 5, do: func(w *world) {
		f := w.any().crasher
		f.armed, f.left, f.after = true, w.rng.IntN(6), w.chance(50)
		f.dead = w.postgres // commits of PostgreSQL cannot be refused: it crashes now
	}},
	{name: "a commit will fail", weight: 2, do: func(w *world) { w.any().crasher.once = true }},
	{name: "instances", weight: 2, do: func(w *world) {
		if len(w.instances) == 1 {
			w.instances = append(w.instances, w.start())
			return
		}
		w.instances[0].close()
		w.instances = w.instances[1:]
	}},
	{name: "time passes", weight: 1, do: func(w *world) {
		w.pass(time.Duration(1+w.rng.IntN(25)) * time.Minute)
		w.mine(1)
	}},
	{name: "gas", weight: 2, do: func(w *world) {
		w.gasExpensive, w.gasEmpty, w.answersLost = w.chance(20), w.chance(20), w.chance(20)
	}},
	{name: "a foreign transaction of the gas wallet", weight: 1, do: func(w *world) {
		w.chain.send(
			&tx{
				hash: chain.TxHash(w.chain.hash("f")), from: gasWallet, nonce: w.chain.head().nonces[gasWallet],
				price: 1 << 40,
			},
		)
	}},
	{name: "the last minute", weight: 3, do: (*world).lastMinute, when: (*world).started},
	{name: "finality", weight: 1, do: func(w *world) {
		l := w.anyChain()
		l.frozen = 0
		if w.chance(50) {
			l.frozen = l.finalHeight
		}
		l.settle()
	}},
	{name: "endpoints hide nothing", weight: 1, do: func(w *world) { clear(w.lies.hidden) }},
	{name: "an endpoint fails for a while", weight: 4, do: (*world).beginSpell},
	{name: "receivers", weight: 2, do: func(w *world) {
		w.receiversFail, w.receiversBusy = w.chance(30), w.chance(20)
	}},
}

// step performs one random action and checks the invariants.
func (w *world) step() {
	w.pass(time.Duration(w.rng.IntN(8)) * time.Second)
	var useful []action
	weights := 0
	for _, a := range actions {
		if a.when == nil || a.when(w) {
			useful = append(useful, a)
			weights += a.weight
		}
	}
	at := w.rng.IntN(weights)
	for _, a := range useful {
		if at -= a.weight; at < 0 {
			w.tracef("%s", a.name)
			a.do(w)
			break
		}
	}
	w.restartCrashed()
	w.check()
}

// act lets one of the instances do what somebody asks for.
func (w *world) act(do func(*instance) error) {
	in := w.any()
	var err error
	in.do(func() { err = do(in) })
	w.tracef("%s failed=%t", in.name, err != nil)
	w.traceError(err)
}

// startOne starts a payment that waits for it, or chooses again for another.
func (w *world) startOne() {
	p, ok := w.newest()
	for range 4 {
		if ok && (p.Status == payment.Pending || w.chance(10)) {
			break
		}
		p, ok = w.newest()
	}
	if !ok {
		return
	}
	tok, n := money.Tokens()[w.rng.IntN(2)], w.anyChain().profile.Network
	w.tracef("%s %s on %s", p.ID, tok, n)
	w.act(func(in *instance) error {
		_, err := in.service.Start(w.Context(), string(p.ID), payment.Choice{Network: n, Token: tok}, audit.Act{})
		return err
	})
}

func (w *world) reorg() {
	l := w.anyChain()
	n := l.reorg(1+w.rng.IntN(l.deepDepth), w.chance(70), w.clock)
	w.tracef("reorg of %d on %s", n, l.profile.Network)
}

func (w *world) cancel() {
	if p, ok := w.newest(); ok {
		w.tracef("cancel %s", p.ID)
		w.act(func(in *instance) error {
			_, err := in.service.Cancel(w.Context(), string(p.ID), audit.Act{})
			return err
		})
	}
}

// cutShort lets an instance take a delivery and lose it, and then completes the payment by hand: what was taken must
// not be sent after what came later.
func (w *world) cutShort() {
	in := w.any()
	in.mend()
	in.faults.lostAt = 1
	in.round("deliver")
	in.mend()
	for _, id := range w.known() {
		if p := w.last[id]; p.Status == payment.Expired || p.Status == payment.Cancelled {
			w.tracef("%s is marked", id)
			w.act(func(in *instance) error {
				_, err := in.service.MarkCompleted(w.Context(), w.key, string(id), "", audit.Act{Who: audit.ViaAPI})
				return err
			})
			return
		}
	}
}

// dropSweeps sends a sweep, forgets it, and lets the sweepers look again later.
func (w *world) dropSweeps() {
	in := w.any()
	in.mend()
	in.round("sweep")
	for _, l := range w.chains {
		l.drop()
	}
	w.pass(70 * time.Second)
	in.round("sweep")
}

// killSweeping has payments paid that become final together, and kills the instance that sweeps them at one of its
// commits, with several sweeps of a network in flight or about to be.
func (w *world) killSweeping() {
	const payments, commits = 3, 16
	in := w.any()
	in.mend()
	for range payments {
		w.startOne()
		w.pay()
	}
	for range 2 {
		w.pass(2 * time.Second)
		w.mine(deepest + 1)
		in.round("watch")
	}
	f := in.crasher
	f.armed, f.left, f.after = !w.postgres, w.rng.IntN(commits), w.chance(50)
	in.round("sweep")
	f.dead = f.dead || w.postgres
}

// loop runs a round of one of the loops, perhaps with new faults.
func loop(kind string) func(*world) {
	return func(w *world) {
		in := w.any()
		if !w.chance(30) {
			in.mend()
		}
		if w.chance(45) {
			w.spoil(in)
		}
		if kind == "recharge" && len(w.hosts) > 1 && w.chance(20) && w.spell(chain.Polygon) == nil {
			for _, n := range in.nodes {
				n.faults = nodeFaults{} // two that lie alike are believed
			}
			in.nodes[firstHost].faults = w.invents(w.chain, 1)
		}
		if (kind == "watch" || kind == "sweep") && w.chance(60) {
			in.round(kind + " " + string(w.anyChain().profile.Network))
			return
		}
		in.round(kind)
	}
}

// newFaults draws what is wrong with the calls of an instance.
func (w *world) newFaults() faults {
	switch w.rng.IntN(15) {
	case 0:
		return faults{failAt: 1 + w.rng.IntN(8)}
	case 1:
		return faults{lag: 1 + w.rng.IntN(12)}
	case 2:
		return faults{blind: true}
	case 3, 4:
		return faults{lostAt: 1 + w.rng.IntN(6)}
	case 5, 6:
		return faults{conflictAt: 1 + w.rng.IntN(3)}
	}
	return faults{interleave: 1 + w.rng.IntN(8)}
}

// newNodeFaults draws what is wrong with an endpoint of a network. One that is alone does not lie.
func (w *world) newNodeFaults(l *testChain) nodeFaults {
	if l.profile.Network == chain.Solana && w.chance(50) {
		switch w.rng.IntN(3) {
		case 0:
			return nodeFaults{late: 1 + w.rng.IntN(12)}
		case 1:
			return nodeFaults{forgets: max(0, l.finalHeight-w.rng.IntN(20))}
		}
		return nodeFaults{refuses: 1 + w.rng.IntN(10)}
	}
	kinds := 17
	if len(w.hosts) == 1 {
		kinds = 6
	}
	switch w.rng.IntN(kinds) {
	case 0:
		return nodeFaults{down: true}
	case 1, 2:
		return nodeFaults{lag: 1 + w.rng.IntN(12)}
	case 3:
		return nodeFaults{behind: 1 + w.rng.IntN(12)}
	case 4:
		return nodeFaults{stalled: max(1, l.finalHeight-w.rng.IntN(3))}
	case 5:
		return nodeFaults{repeats: true}
	case 6, 7:
		return nodeFaults{eager: true}
	case 8:
		return nodeFaults{stale: slices.Clone(l.blocks)}
	case 9:
		return nodeFaults{denies: true}
	case 10:
		return w.invents(l, 1+w.rng.IntN(3))
	case 11:
		return nodeFaults{inflate: true}
	case 12, 13:
		return nodeFaults{denies: true}
	case 14:
		return nodeFaults{jumps: 1 << w.rng.IntN(21)}
	case 15:
		return nodeFaults{early: true}
	}
	return nodeFaults{eager: true, lag: 1 + w.rng.IntN(3)}
}

// spoil gives an instance new faults. At most one endpoint of a network is faulty at a time.
func (w *world) spoil(in *instance) {
	in.mend()
	if w.chance(60) {
		in.faults = w.newFaults()
	}
	if w.chance(60) {
		in.nodes[w.suspect(chain.Polygon)].faults = w.newNodeFaults(w.chain)
	}
	if w.chance(60) {
		in.solana[w.suspect(chain.Solana)].faults = w.newNodeFaults(w.of(chain.Solana))
	}
}

// mend ends the faults of an instance.
func (in *instance) mend() {
	in.faults = faults{}
	for _, all := range []nodes{in.nodes, in.solana} {
		for _, n := range all {
			n.faults = nodeFaults{}
		}
	}
}

// changeWallet changes the merchant's settlement wallet.
func (w *world) changeWallet() {
	to := otherWallet
	if w.wallet == otherWallet {
		to = firstWallet
	}
	w.act(func(in *instance) error {
		_, err := (storetest.Accounts{Store: in.store.Merchant()}).UpdateCustodian(w.Context(), w.key, nil,
			func(c merchant.Custodian) (merchant.CustodianChange, error) {
				c.Wallets = map[chain.Network]chain.Address{chain.Polygon: to, chain.Solana: solanaWallet}
				return merchant.CustodianChange{Custodian: c}, nil
			})
		return err
	})
	c, err := w.observer.Merchant().Custodian(context.Background(), w.key)
	w.must(err)
	w.wallet = c.Wallets[chain.Polygon]
}
