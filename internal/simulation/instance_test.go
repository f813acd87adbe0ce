package simulation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/recharge"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/webhook"
)

// instance is one running program: the real services on the real store.
type instance struct {
	w         *world
	name      string
	crasher   *crasher
	faults    faults
	nodes     nodes         // Polygon's endpoints
	solana    nodes         // Solana's endpoints
	scanning  bool          // it scans Solana
	skew      time.Duration // error of its clock
	store     *store.Store
	service   *payment.Service
	watchers  map[chain.Network]*watch.Watcher
	expirer   *watch.Expirer
	sweepers  []*settlement.Sweeper
	daily     []*settlement.Daily
	deliverer *webhook.Deliverer
	recharges *recharge.Service
	busy      bool // one of its rounds is running
	steady    bool // its watchers go at their own pace
}

// open starts an instance. On SQLite all share the observer's connections, which costs much less than opening a file;
// none keeps anything in memory that another one reads.
func (w *world) open(name string) *instance {
	in := &instance{
		w: w, name: name, crasher: &crasher{}, watchers: map[chain.Network]*watch.Watcher{}, store: w.observer,
	}
	if w.postgres {
		in.store = open(w, w.url)
		w.Cleanup(in.close)
	}
	both := paymentStore{in.store, in}
	// Where one balance fits a transaction, many are in flight at once.
	policy := settlement.Policy{Least: 1, Age: 10 * time.Minute, Batch: 1 + int(w.seed%3)} //nolint:gosec // 1 to 3
	readers, profiles := map[chain.Network]chain.Reader{}, []chain.Profile{}
	for _, l := range w.chains {
		n := l.profile.Network
		var r chain.Reader
		if n.EVM() {
			e := in.newEVMReader(l)
			r = e
			in.recharges = recharge.New(rechargeStore{in.store.Settlement(), in}, &recharge.Network{
				Chain: transferSender{e, w}, Asset: l.profile.Assets[0], Treasury: earnings,
				Ready: func() error { return nil },
			}, in.now, silent())
		} else {
			r = in.newSolanaReader(l)
		}
		readers[n], profiles = r, append(profiles, l.profile)
		in.watchers[n] = watch.NewWatcher(l.profile, r, both, name, in.now, silent())
		sends := &sender{w: w, in: in, chain: l}
		sweeper := settlement.New(
			sends, sweepStore{in.store.Settlement(), in}, policy, name, in.now, w.newSweep, silent(),
		)
		reread := func(ctx context.Context, id string, since time.Time) error {
			return watch.RepairSince(ctx, both, r, payment.ID(id), since, watch.ErrDiffers, in.now())
		}
		sweeper.Reread = func(ctx context.Context, id string) error { return reread(ctx, id, time.Time{}) }
		in.daily = append(in.daily, &settlement.Daily{
			Network: settlement.ReconciledNetwork{Profile: l.profile, Reader: r}, Store: in.store.Settlement(),
			Sweeps: sweepStore{in.store.Settlement(), in}, Holder: name, WatchedFor: payment.WatchAfterEnd,
			Covered: func(ctx context.Context, id string, block uint64) (bool, error) {
				return watch.Covered(ctx, both, n, payment.ID(id), block)
			},
			Reread: reread, Slowdown: func() int64 { return 1 }, Now: in.now, Log: silent(),
		})
		if n == chain.Solana {
			sweeper.FindSweeps = sends.findSweeps
		}
		in.sweepers = append(in.sweepers, sweeper)
	}
	in.service = payment.NewService(both, in.store.Merchant(), offered{in}, payment.Options{
		TTL: 12 * time.Minute, StartTTL: 10 * time.Minute, MinAmount: 10_000, MaxAmount: 1_000_000 * money.USD,
	}, in.now, w.newPayment)
	in.expirer = watch.NewExpirer(profiles, readers, both, in.store.Settlement(), in.now, silent())
	in.deliverer = webhook.NewDeliverer(webhook.Config{
		Store: outbox{in.store, in}, Send: webhookSender{w: w, in: in}.Send, Holder: name, Now: in.now,
		Jitter: func() float64 { return 0.5 }, Log: silent(),
	})
	return in
}

func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }

func (in *instance) close() {
	if in.w.postgres {
		_ = in.store.Close()
	}
}

// do runs code of the instance.
func (in *instance) do(run func()) {
	w := in.w
	w.running = append(w.running, in)
	defer func() { w.running = w.running[:len(w.running)-1] }()
	run()
}

func (in *instance) now() time.Time { return in.w.clock.Add(in.skew) }

// offered are the networks of an instance.
type offered struct{ in *instance }

func (l offered) Network(n chain.Network) (payment.OfferedNetwork, bool) {
	if n == chain.Polygon {
		return payment.OfferedNetwork{
			Profile: l.in.w.chain.profile, Depositor: evm.NewDepositor(n), Treasury: treasury,
		}, true
	}
	if n == chain.Solana {
		return payment.OfferedNetwork{
			Profile: l.in.w.of(n).profile, Depositor: l.in.w.solanaDepositor(), Treasury: solanaTreasury,
		}, true
	}
	return payment.OfferedNetwork{}, false
}

func (l offered) Health(n chain.Network) payment.Health { return l.in.watchers[n].Health() }

// call is a call over the network: it may fail, and something else may happen during it.
func (in *instance) call() error {
	if in.crasher.crashed() {
		return errCrashed
	}
	if in.faults.blind {
		return chain.ErrNoEndpoint
	}
	if in.faults.failAt > 0 {
		if in.faults.failAt--; in.faults.failAt == 0 {
			return chain.ErrNoEndpoint
		}
	}
	if in.faults.interleave > 0 {
		if in.faults.interleave--; in.faults.interleave == 0 {
			in.w.interleave(in)
		}
	}
	return nil
}

// round runs one round of a loop, unless the instance is in the middle of one.
func (in *instance) round(kind string) {
	if in.busy || in.crasher.crashed() {
		return
	}
	in.busy = true
	defer func() { in.busy = false }()
	var err error
	in.do(func() { err = in.loop(kind) })
	in.w.tracef("%s %s failed=%t", in.name, kind, err != nil)
	in.w.traceError(err)
}

// loop runs a round of the loop. kind may end with the network, after a space.
func (in *instance) loop(kind string) (err error) {
	ctx := in.w.Context()
	kind, only, _ := strings.Cut(kind, " ")
	switch kind {
	case "watch":
		for _, l := range in.w.chains {
			if n := l.profile.Network; only == "" || only == string(n) {
				err = errors.Join(err, in.watch(ctx, n))
			}
		}
	case "expire":
		err = in.expirer.RunOnce(ctx)
	case "sweep":
		for _, s := range in.sweepers {
			if only == "" || only == string(s.Network()) {
				err = errors.Join(err, s.RunOnce(ctx))
			}
		}
	case "deliver":
		err = in.deliver(ctx)
	case "recharge":
		err = in.recharges.RunOnce(ctx)
	}
	return err
}

// watch runs a round of a network's watcher, or lets it do what its pace asks for.
func (in *instance) watch(ctx context.Context, n chain.Network) error {
	if !in.steady && in.w.chance(50) {
		return in.watchers[n].RunOnce(ctx)
	}
	in.watchers[n].ReadDue(ctx)
	return nil
}

// deliver sends what is due, one delivery after the other.
func (in *instance) deliver(ctx context.Context) error {
	const most = 60
	for range most {
		n, err := in.deliverer.RunOnce(ctx)
		in.w.checkSent()
		if err != nil || n == 0 {
			return err
		}
	}
	return nil
}

func (w *world) newPayment(time.Time) payment.ID {
	w.made++
	id := payment.ID(fmt.Sprintf("01KAJ%021d", w.made))
	w.ids = append(w.ids, id)
	w.dirty[id] = true
	return id
}

func (w *world) newSweep(time.Time) settlement.ID {
	w.made++
	return settlement.ID(fmt.Sprintf("01KAS%021d", w.made))
}
