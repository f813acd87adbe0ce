package main

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/app"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store"
)

type reconcile struct {
	Days int           `default:"7"  help:"Look up each deposit and sweep of so many days on the chain; nodes forget older ones. Balances are compared whatever their age."`
	Wait time.Duration `default:"3s" help:"Wait so long for transactions in flight before a difference is reported."`
}

// Help returns the text that --help adds to the flags.
func (reconcile) Help() string {
	return `
Compares the chains with the database for every address that was ever shown to a
payer: balances of every token and of the network's coin,
deposits, and sweeps. Each difference is named with what to do about it, one a
line, and the exit status is 1 if there is any. It changes nothing and may run
beside the server.

Example:

    florin reconcile
`
}

// Run compares the chains with the database.
func (c reconcile) Run(ctx context.Context, p *process) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	ledgers, err := ledgersOf(cfg)
	if err != nil {
		return err
	}
	return p.withStore(ctx, cfg, func(s *store.Store) error {
		total, err := s.Settlement().CountDepositAddresses(ctx)
		if err != nil {
			return err
		}
		bar := p.progress("addresses", total)
		differences, err := settlement.Reconciler{
			Records: s.Settlement(), Networks: ledgers, Since: app.Now().AddDate(0, 0, -c.Days), Progress: bar.at,
			Wait: func(ctx context.Context) error { return sleep(ctx, c.Wait) },
		}.Run(ctx)
		bar.end()
		if err != nil {
			return err
		}
		for _, d := range differences {
			if err := p.say("%s", d); err != nil {
				return err
			}
		}
		if len(differences) > 0 {
			return fmt.Errorf("%s in %s on %s",
				counted(len(differences), "difference"), counted(total, "address"), counted(len(ledgers), "network"))
		}
		return p.say("No differences in %s on %s.", counted(total, "address"), counted(len(ledgers), "network"))
	})
}

// ledgersOf opens every network that is on.
func ledgersOf(cfg config.Config) ([]settlement.ReconciledNetwork, error) {
	var list []settlement.ReconciledNetwork
	for _, n := range cfg.Networks {
		a, err := openReader(cfg, n)
		if err != nil {
			return nil, err
		}
		list = append(list, settlement.ReconciledNetwork{Profile: n.Profile, Reader: a, Coins: a.Coins})
	}
	return list, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
