package app

import (
	"log/slog"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
)

// openLanes builds everything that serves the configured networks. It asks
// none of them anything yet.
func openLanes(cfg config.Config, instance [16]byte, s payment.WatchStore, holder string, log *slog.Logger) (lanes, error) {
	all := make(lanes, len(cfg.Networks))
	for _, n := range cfg.Networks {
		l, err := openLane(n, instance)
		if err != nil {
			return nil, err
		}
		l.watcher = payment.NewWatcher(n.Profile, l.reader, s, holder, Now, log)
		all[n.Profile.Network] = l
	}
	return all, nil
}

func openLane(n config.Network, instance [16]byte) (*lane, error) {
	reader, err := evm.New(evm.Config{Profile: n.Profile, Endpoints: reveal(n.RPC)})
	if err != nil {
		return nil, err
	}
	return &lane{
		Lane: payment.Lane{
			Profile: n.Profile, Treasury: n.Treasury,
			Depositor: evm.NewDepositor(n.Profile.Network, instance),
		},
		reader: reader,
	}, nil
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
