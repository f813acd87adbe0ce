package app

import (
	"log/slog"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/sender"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/web"
)

// laneStore is what the loops of a network read and write.
type laneStore interface {
	payment.WatchStore
	settlement.Store
}

// openLanes builds everything that serves the configured networks. It asks
// none of them anything yet. Every reader goes through read.
func openLanes(cfg config.Config, instance [16]byte, s laneStore, holder string, read func(chain.Reader) chain.Reader, log *slog.Logger) (lanes, error) {
	all := make(lanes, len(cfg.Networks))
	for _, n := range cfg.Networks {
		l, sender, err := openLane(cfg, n, instance)
		if err != nil {
			return nil, err
		}
		if sender != nil {
			l.sweeper = settlement.New(sender, s, sweepPolicy(cfg, n.Profile.Network), holder, Now, NewSweepID, log)
		}
		l.reader = read(l.reader)
		l.watcher = payment.NewWatcher(n.Profile, l.reader, s, holder, Now, log)
		all[n.Profile.Network] = l
	}
	return all, nil
}

// SweepPolicy returns when sweeping is worth its price, as configured.
func SweepPolicy(cfg config.Config) settlement.Policy {
	p := settlement.DefaultPolicy()
	p.Least, p.Wait, p.Age, p.Dust = cfg.SweepMin, cfg.SweepWait, cfg.SweepAge, cfg.SweepDust
	return p
}

// sweepPolicy is SweepPolicy on one network: a transaction of Solana is small.
func sweepPolicy(cfg config.Config, n chain.Network) settlement.Policy {
	p := SweepPolicy(cfg)
	if n == chain.Solana {
		p.Batch = solana.SweepBatch
	}
	return p
}

// NewSweepID makes the id of a sweep.
func NewSweepID(t time.Time) settlement.ID { return settlement.ID(newULID(t)) }

// openLane builds what serves a network; the sender is nil without a gas
// wallet.
func openLane(cfg config.Config, n config.Network, instance [16]byte) (*lane, chain.SweepSender, error) {
	if n.Profile.Network == chain.Solana {
		return openSolana(cfg, n)
	}
	reader, err := evm.New(evm.Config{Profile: n.Profile, Endpoints: reveal(n.RPC)})
	if err != nil {
		return nil, nil, err
	}
	var sweeps chain.SweepSender
	if cfg.EVMGas != nil {
		sweeps = sender.NewSweeps(reader, sender.Config{Signer: cfg.EVMGas, Instance: instance, MaxPrice: n.MaxGasPrice})
	}
	return &lane{
		OfferedNetwork: payment.OfferedNetwork{
			Profile: n.Profile, Treasury: n.Treasury,
			Depositor: evm.NewDepositor(n.Profile.Network, instance),
		},
		reader: reader, close: reader.Close,
	}, sweeps, nil
}

// openSolana is openLane for Solana, whose deposit addresses come from a seed.
func openSolana(cfg config.Config, n config.Network) (*lane, chain.SweepSender, error) {
	c := solana.Config{Profile: n.Profile, Endpoints: reveal(n.RPC)}
	if cfg.SolGas != nil {
		c.Gas = cfg.SolGas.Wallet()
	}
	reader, err := solana.New(c)
	if err != nil {
		return nil, nil, err
	}
	var sender chain.SweepSender
	if cfg.SolGas != nil {
		sender = solana.NewSender(reader, solana.SenderConfig{Gas: cfg.SolGas, Vault: cfg.SolSeed, MaxPrice: n.MaxPriorityFee})
	}
	return &lane{
		OfferedNetwork: payment.OfferedNetwork{Profile: n.Profile, Treasury: n.Treasury, Depositor: solana.NewDepositor(cfg.SolSeed)},
		reader:         reader,
	}, sender, nil
}

func reveal(endpoints []secret.Text) []string {
	urls := make([]string, len(endpoints))
	for i, e := range endpoints {
		urls[i] = e.Reveal()
	}
	return urls
}

// readers returns the network readers by network.
func (l lanes) readers() map[chain.Network]chain.Reader {
	all := make(map[chain.Network]chain.Reader, len(l))
	for n, x := range l {
		all[n] = x.reader
	}
	return all
}

// transfers builds transactions for wallets on Solana; nil where it is off.
func (l lanes) transfers() web.Transfers {
	if x, ok := l[chain.Solana]; ok {
		if t, ok := x.reader.(web.Transfers); ok {
			return t
		}
	}
	return nil
}
