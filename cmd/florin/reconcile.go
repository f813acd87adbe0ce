package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/app"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store"
)

type reconcile struct {
	Days int           `default:"7"  help:"Look up each deposit and sweep of so many days on the chain; nodes forget older ones. Balances are compared whatever their age."`
	Wait time.Duration `default:"3s" help:"Wait so long for transactions in flight before a difference is reported."`

	Resume bool `help:"Go on where the last comparison was stopped."`
}

// Help returns the text that --help adds to the flags.
func (reconcile) Help() string {
	return `
Compares the chains with the database for every address that was ever shown to a
payer: balances of every token and of the network's coin,
deposits, and sweeps. Each difference is named with what to do about it, one a
line, and the exit status is 1 if there is any. It changes no record and may run
beside the server.

It keeps how far it is. After it was stopped, or a network could not be read,
--resume goes on from there; without it, everything is compared again.

Examples:

    florin reconcile
    florin reconcile --resume
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
		run, err := c.begin(ctx, s, ledgers)
		if err != nil {
			return err
		}
		total, err := s.Settlement().CountDepositAddresses(ctx)
		if err != nil {
			return err
		}
		if run.Place.Done > 0 {
			err := p.say("%s compared since %s, with %s. Going on.", counted(run.Place.Done, "address"),
				run.StartedAt.UTC().Format(time.RFC3339), counted(run.Place.Found, "difference"))
			if err != nil {
				return err
			}
		}
		if err := c.compare(ctx, p, s, ledgers, &run, total); err != nil {
			return err
		}
		if err := s.Settlement().EndReconciliation(ctx); err != nil {
			return err
		}
		if n := run.Place.Found; n > 0 {
			return fmt.Errorf("%s in %s on %s",
				counted(n, "difference"), counted(total, "address"), counted(len(ledgers), "network"))
		}
		return p.say("No differences in %s on %s.", counted(total, "address"), counted(len(ledgers), "network"))
	})
}

// begin returns a new comparison, or the one that was stopped.
func (c reconcile) begin(
	ctx context.Context, s *store.Store, ledgers []settlement.ReconciledNetwork,
) (settlement.Reconciliation, error) {
	names := make([]string, len(ledgers))
	for i, n := range ledgers {
		names[i] = string(n.Profile.Network)
	}
	slices.Sort(names)
	run := settlement.Reconciliation{StartedAt: app.Now(), Networks: strings.Join(names, ",")}
	if !c.Resume {
		return run, nil
	}
	stopped, ok, err := s.Settlement().Reconciliation(ctx)
	switch {
	case err != nil:
		return run, err
	case !ok:
		return run, errors.New("no comparison was stopped; run `florin reconcile` without --resume")
	case stopped.Networks != run.Networks:
		return run, fmt.Errorf("the comparison that was stopped is of the networks %s, and now there are %s; "+
			"run `florin reconcile` without --resume", stopped.Networks, run.Networks)
	}
	return stopped, nil
}

// compare reports each difference as it is found, and keeps in run and in the database how far it is.
func (c reconcile) compare(
	ctx context.Context, p *process, s *store.Store, ledgers []settlement.ReconciledNetwork,
	run *settlement.Reconciliation, total int,
) error {
	bar := p.progress("addresses", total)
	defer bar.end()
	report := func(found []settlement.Difference) error {
		if len(found) > 0 {
			bar.end()
		}
		for _, d := range found {
			if err := p.say("%s", d); err != nil {
				return err
			}
		}
		return nil
	}
	ofAddresses := 0
	differences, err := settlement.Reconciler{
		Records: s.Settlement(), Networks: ledgers, Since: app.Now().AddDate(0, 0, -c.Days), Progress: bar.at,
		Wait: func(ctx context.Context) error { return chain.Sleep(ctx, c.Wait) }, From: run.Place,
		Compared: func(ctx context.Context, to settlement.ReconcilePlace, found []settlement.Difference) error {
			if err := report(found); err != nil {
				return err
			}
			ofAddresses += len(found)
			run.Place = to
			return s.Settlement().SaveReconciliation(ctx, *run)
		},
	}.Run(ctx)
	if err != nil {
		return fmt.Errorf("%w (%d of %s compared; `florin reconcile --resume` goes on from there)",
			err, run.Place.Done, counted(total, "address"))
	}
	ofSweeps := differences[ofAddresses:]
	run.Place.Found += len(ofSweeps)
	return report(ofSweeps)
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
