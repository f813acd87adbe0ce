package app

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/endpoint"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/sender"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/chain/subscription"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/web/checkout"
)

// openNetworks builds the reader, watcher and sweeper of every configured network. It sends no request yet. read wraps
// every reader.
func openNetworks(
	cfg config.Config, watches watch.Store, sweeps settlement.Store, holder string,
	now func() time.Time,
	read func(chain.Reader) chain.Reader, calls *chain.Meter, log *slog.Logger,
) (networks, error) {
	all := make(networks, len(cfg.Networks))
	for _, n := range cfg.Networks {
		l, sweeping, err := openNetwork(cfg, n, calls.Counter(n.Profile.Network))
		if err != nil {
			return nil, err
		}
		if sweeping.sender != nil {
			policy := sweepPolicy(cfg, n.Profile.Network)
			l.sweeper = settlement.New(sweeping.sender, sweeps, policy, holder, now, NewSweepID, log)
			l.sweeper.Prices = settlement.Prices{Cost: sweeping.cost, Gas: sweeping.gas, Coin: n.CoinPrice}
			l.sweeper.CloseEmptied, l.sweeper.FindSweeps = sweeping.closeEmptied, sweeping.find
		}
		l.reader = read(l.reader)
		if l.sweeper != nil {
			l.sweeper.Reread = func(ctx context.Context, id string) error {
				return watch.RepairSince(ctx, watches, l.reader, payment.ID(id), time.Time{}, watch.ErrDiffers, now())
			}
		}
		l.now, l.watcher = now, watch.NewWatcher(n.Profile, l.reader, watches, holder, now, log)
		if l.evm != nil {
			l.watcher.OnMove(l.evm.Forget)
		}
		if n.OwnNode() {
			l.watcher.Unpaced()
		}
		l.budget, l.calls = n.RPCBudget, calls
		l.watcher.Limit(l.budget.Least(), func() int64 { return l.budget.Spent(l.callsOf()) })
		if err := l.subscribe(n, log); err != nil {
			return nil, err
		}
		all[n.Profile.Network] = l
	}
	return all, nil
}

// sweeping is how a network is swept, and what that costs.
type sweeping struct {
	sender       chain.SweepSender // nil: there is no gas wallet
	cost         func(context.Context) (chain.SweepCost, error)
	gas          chain.SweepCost
	closeEmptied settlement.CloseFunc // nil: accounts cost no rent
	find         settlement.FindFunc  // nil: a sweep shows where its money is
}

var evmGas = chain.SweepCost{
	Single: money.UnitsFromUint64(sender.SingleGas), Batched: money.UnitsFromUint64(sender.BatchedGas),
}

// solanaCost is two signatures for a single, and one and a share of the second in a batch of five. A signature has a
// fixed price, and the price of compute adds less than a cent even at its limit.
var solanaCost = chain.SweepCost{Single: money.UnitsFromUint64(10_000), Batched: money.UnitsFromUint64(6_000)}

func solanaPrice(context.Context) (chain.SweepCost, error) { return solanaCost, nil }

// SweepPolicy returns the configured policy of when a sweep is worth its price.
func SweepPolicy(cfg config.Config) settlement.Policy {
	p := settlement.DefaultPolicy()
	p.Least, p.Dust, p.Wait = cfg.SweepMin, cfg.SweepDust, cfg.SweepWait
	return p
}

// sweepPolicy is SweepPolicy with batches of as much gas as a transaction of the
// network may use, and small ones on Solana, whose transactions are small.
func sweepPolicy(cfg config.Config, n chain.Network) settlement.Policy {
	p := SweepPolicy(cfg)
	if n == chain.Solana {
		p.Batch = solana.SweepBatch
		return p
	}
	p.Gas, p.GasEach = sender.BatchGas, sender.BatchGasEach
	return p
}

// NewSweepID returns the id of a new sweep.
func NewSweepID(t time.Time) settlement.ID { return settlement.ID(newULID(t)) }

// openNetwork builds the parts of one network.
func openNetwork(cfg config.Config, n config.Network, count func(endpoint, method string)) (*network, sweeping, error) {
	if n.Profile.Network == chain.Solana {
		return openSolana(cfg, n, count)
	}
	reader, err := evm.New(evm.Config{
		Profile: n.Profile, Endpoints: reveal(n.Endpoints()), Rate: n.CallRate(), Count: count,
		Alone: n.Alone,
	})
	if err != nil {
		return nil, sweeping{}, err
	}
	var sweeps sweeping
	if cfg.EVMGas != nil {
		s := sender.NewSweeps(reader, sender.Config{Signer: cfg.EVMGas, MaxPrice: n.MaxGasPrice})
		sweeps = sweeping{sender: s, cost: s.SweepCost, gas: evmGas}
	}
	return &network{
		OfferedNetwork: payment.OfferedNetwork{
			Profile: n.Profile, Treasury: n.Treasury,
			Depositor: evm.NewDepositor(n.Profile.Network),
		},
		reader: reader, evm: reader, close: reader.Close, code: reader.Code, pushes: reader.Subscriptions(),
		feeds: n.RateFeeds, readFeeds: reader.Feeds,
	}, sweeps, nil
}

// openSolana is openNetwork for Solana, whose deposit addresses derive from a seed.
func openSolana(cfg config.Config, n config.Network, count func(endpoint, method string)) (*network, sweeping, error) {
	reader, err := solana.New(solana.Config{
		Profile: n.Profile, Endpoints: reveal(n.Endpoints()), Sweeps: solana.SweepsAddress(cfg.SolSeed),
		Treasury: n.Treasury, Rate: cmp.Or(n.CallRate(), endpoint.UnlimitedRate), Count: count,
		Alone: n.Alone,
	})
	if err != nil {
		return nil, sweeping{}, err
	}
	var sweeps sweeping
	if cfg.SolGas != nil {
		s := solana.NewSender(reader, solana.SenderConfig{Gas: cfg.SolGas, Seed: cfg.SolSeed})
		sweeps = sweeping{s, solanaPrice, solanaCost, s.CloseEmptied, s.FindSweeps}
	}
	return &network{
		OfferedNetwork: payment.OfferedNetwork{
			Profile: n.Profile, Treasury: n.Treasury, Depositor: solana.NewDepositor(cfg.SolSeed),
		},
		reader: reader, solana: reader, checkWallet: reader.CheckWallet, pushes: solana.Protocol(n.Profile.Assets),
	}, sweeps, nil
}

// subscribe lets the endpoints that push wake the watcher: of a node of one's own, every block does.
func (x *network) subscribe(n config.Network, log *slog.Logger) (err error) {
	sockets := reveal(n.Sockets())
	if len(sockets) == 0 {
		return nil
	}
	x.feed, err = subscription.New(subscription.Config{
		Endpoints: sockets, Protocol: x.pushes, News: x.watcher.Pushed, Head: x.watcher.Headed, EveryHead: n.OwnNode(),
		Count: x.calls.Counter(n.Profile.Network), Log: log.With("network", n.Profile.Network),
	})
	if err == nil && !n.OwnNode() {
		x.watcher.Follow(watch.Feed{Watch: x.feed.Watch, Live: x.feed.Live})
	}
	return err
}

func reveal(endpoints []secret.Text) []string {
	urls := make([]string, len(endpoints))
	for i, e := range endpoints {
		urls[i] = e.Reveal()
	}
	return urls
}

// readers returns the network readers by network.
func (all networks) readers() map[chain.Network]chain.Reader {
	list := make(map[chain.Network]chain.Reader, len(all))
	for n, x := range all {
		list[n] = x.reader
	}
	return list
}

// solana returns the adapter of Solana, which builds transactions for wallets; nil if Solana is not configured.
func (all networks) solana() *solana.Adapter {
	if x, ok := all[chain.Solana]; ok {
		return x.solana
	}
	return nil
}

// transfers returns the functions that build transactions for the payer's wallet on Solana, and send what it only
// signed; nil if Solana is not configured.
func (all networks) transfers() (checkout.BuildTransfer, checkout.SendTransfers) {
	if a := all.solana(); a != nil {
		return a.Transfer, a.SendTransfers
	}
	return nil, nil
}
