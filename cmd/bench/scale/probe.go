package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/web/dashboard"
)

// pageRows is how many rows a page shows, and one more to see whether another follows.
const pageRows = 51

// probe is one thing that is measured.
type probe struct {
	name string
	most time.Duration // p95 on the long history; 0: it is only printed
	once bool          // too long to be repeated
	do   func(ctx context.Context, d *database, run int) error
}

// measure returns the p50 and the p95 of the runs, after two that are not counted.
func (p probe) measure(ctx context.Context, d *database) (p50, p95 time.Duration, err error) {
	warm, counted := 2, runs
	if p.once {
		warm, counted = 0, 1
	}
	times := make([]time.Duration, 0, counted)
	for i := range warm + counted {
		begun := time.Now()
		if err := p.do(ctx, d, i); err != nil {
			return 0, 0, err
		}
		if i >= warm {
			times = append(times, time.Since(begun))
		}
	}
	slices.Sort(times)
	return times[counted/2], times[(counted-1)*95/100], nil
}

func probes() []probe {
	return slices.Concat(
		overviewProbes(), paymentProbes(), apiProbes(), keyProbes(), webhookProbes(), operatorProbes(), loopProbes(),
		longProbes(),
	)
}

// page is a probe that may take as long as a page.
func page(name string, do func(ctx context.Context, d *database, run int) error) probe {
	return probe{name: name, most: mostPage, do: do}
}

// filter is a list that is read with some filter.
type filter[Q any] struct {
	name string
	q    Q
}

// lists are probes of one list, each with another filter.
func lists[Q any](read func(ctx context.Context, d *database, run int, q Q) error, filters ...filter[Q]) []probe {
	var all []probe
	for _, f := range filters {
		all = append(all, page(f.name, func(ctx context.Context, d *database, run int) error {
			return read(ctx, d, run, f.q)
		}))
	}
	return all
}

// failed is the error of a call whose result nobody looks at.
func failed[T any](_ T, err error) error { return err }

func overviewProbes() []probe {
	return []probe{
		page("overview, a year", func(ctx context.Context, d *database, _ int) error {
			keys := d.keys[:1]
			return errors.Join(
				failed(d.Reports().Days(ctx, keys, d.now.Add(-year), d.now)),
				failed(d.Reports().Funnel(ctx, keys, d.now.Add(-year))),
				failed(d.Reports().Starts(ctx, keys[0], d.now.Add(-week))),
				failed(d.Reports().Open(ctx, keys)),
				failed(d.Reports().Activity(ctx, keys)),
				failed(d.Reports().Attention(ctx, keys)),
			)
		}),
		page("webhooks that failed", func(ctx context.Context, d *database, _ int) error {
			return failed(d.Reports().FailedDeliveries(ctx, d.keys[:1], d.now.Add(-week)))
		}),
	}
}

const week = 7 * 24 * time.Hour

// keyProbes are the other lists of one key, and what the loops read.
func keyProbes() []probe {
	return []probe{
		page("credits", func(ctx context.Context, d *database, run int) error {
			return failed(d.Reports().Entries(ctx, d.keys[0], int64(run%2*100), pageRows))
		}),
		page("audit log", func(ctx context.Context, d *database, run int) error {
			return failed(d.Merchant().AuditLog(ctx, 1, 1, int64(run%2*100), pageRows))
		}),
		page("a new key: how far it has come", func(ctx context.Context, d *database, _ int) error {
			return failed(d.Reports().Activity(ctx, []int64{d.keys[smallKeys] + 1}))
		}),
		page("events", func(ctx context.Context, d *database, run int) error {
			_, _, err := d.PublicEvents(ctx, d.keys[0], []string{"", "2000"}[run%2], pageRows)
			return err
		}),
		page("payments of a time", func(ctx context.Context, d *database, run int) error {
			return failed(d.Reports().SearchPayments(ctx, report.Query{
				Keys: d.keys[:1], Limit: pageRows, From: d.now.Add(-historyFor / 2), Until: d.now.Add(-historyFor / 3),
				Token: []money.Token{"", "USDT"}[run%2],
			}))
		}),
		page("getTransactions since, by reference", func(ctx context.Context, d *database, run int) error {
			return failed(d.Payments(ctx, payment.Filter{
				KeyID: d.keys[0], Limit: pageRows, Since: d.now.Add(-historyFor / 2), Ascending: true,
				Reference: []string{"", "order 5"}[run%2],
			}))
		}),
		page("sweeps of a payment", func(ctx context.Context, d *database, run int) error {
			return failed(d.Reports().SweepsOf(ctx, d.first+int64(run)))
		}),
		page("what is due to sweep", func(ctx context.Context, d *database, _ int) error {
			return failed(d.Settlement().DepositBalances(ctx, chain.Base, settlement.Query{Now: d.now, Limit: 2000}))
		}),
		page("payments whose time has run out", func(ctx context.Context, d *database, _ int) error {
			return errors.Join(
				failed(d.Due(ctx, d.now, "", 100)),
				failed(d.Running(ctx, chain.Base, d.now, "", 100)),
				failed(d.Unsettled(ctx, chain.Base, 1, 9)),
			)
		}),
	}
}

func webhookProbes() []probe {
	return lists(
		func(ctx context.Context, d *database, run int, q report.DeliveryQuery) error {
			q.KeyID, q.Limit, q.Before = d.keys[0], pageRows, int64(run%2*100)
			return failed(d.Reports().Deliveries(ctx, q))
		},
		[]filter[report.DeliveryQuery]{
			{"webhooks", report.DeliveryQuery{}},
			{"webhooks, failed", report.DeliveryQuery{State: "FAILED"}},
			{"webhooks, waiting (none)", report.DeliveryQuery{State: "WAITING"}},
			{"webhooks, stopped (none)", report.DeliveryQuery{State: "STOPPED"}},
			{"webhooks, expired", report.DeliveryQuery{Type: payment.EventExpired}},
			{"webhooks, cancelled (none)", report.DeliveryQuery{Type: payment.EventCancelled}},
			{"webhooks of a payment", report.DeliveryQuery{TxnID: payment.ID(ulidOf(3))}},
		}...,
	)
}

func operatorProbes() []probe {
	return []probe{
		page("operator: users", func(ctx context.Context, d *database, _ int) error {
			return failed(d.Reports().Users(ctx, report.UserQuery{Limit: pageRows}))
		}),
		page("operator: stuck work", func(ctx context.Context, d *database, _ int) error {
			return failed(d.Reports().Problems(ctx, d.now, 1))
		}),
		page("operator: figures of what is late", func(ctx context.Context, d *database, _ int) error {
			return failed(d.Reports().Stuck(ctx, d.now, 1))
		}),
		page("operator: sweeps", func(ctx context.Context, d *database, run int) error {
			return failed(d.Reports().SweepLines(ctx, int64(run%2*100), pageRows))
		}),
		page("operator: top-ups (none)", func(ctx context.Context, d *database, run int) error {
			return failed(d.Reports().TopUps(ctx, int64(run%2*100), pageRows))
		}),
		page("operator: users by text", func(ctx context.Context, d *database, _ int) error {
			return failed(d.Reports().Users(ctx, report.UserQuery{Text: "example", Limit: pageRows}))
		}),
		page("reconcile: records of 100 addresses", func(ctx context.Context, d *database, run int) error {
			addresses, err := d.addressesAfter(ctx, d.last/2+int64(run*100))
			if err != nil {
				return err
			}
			return failed(d.Settlement().Records(ctx, chain.Base, addresses))
		}),
	}
}

// noToken is the contract of no token.
const noToken chain.Address = "0x00000000000000000000000000000000000000Aa"

// addressesAfter returns the addresses that were shown after the payment, a hundred at most.
func (d *database) addressesAfter(ctx context.Context, payment int64) ([]chain.Address, error) {
	list, err := d.Settlement().DepositAddressesAfter(ctx, settlement.DepositAddress{Payment: payment}, 100)
	addresses := make([]chain.Address, len(list))
	for i, a := range list {
		addresses[i] = a.Address.Address
	}
	return addresses, err
}

// loopProbes are what the loops read round after round.
func loopProbes() []probe {
	return []probe{
		page("watcher: value at risk", func(ctx context.Context, d *database, _ int) error {
			return failed(d.AtRisk(ctx, chain.Base, d.now.Add(-time.Minute), d.now.Add(-time.Hour)))
		}),
		page("watcher: addresses", func(ctx context.Context, d *database, _ int) error {
			_, err := d.OpenAddresses(ctx, chain.Base, d.now.Add(-time.Minute))
			_, _, err2 := d.Watches(ctx, []chain.Network{chain.Base}, watch.Mark{}, d.now.Add(-time.Hour))
			return errors.Join(err, err2)
		}),
		page("expirer: what was swept from 100 addresses", func(ctx context.Context, d *database, run int) error {
			addresses, err := d.addressesAfter(ctx, d.last/3+int64(run*100))
			if err != nil {
				return err
			}
			asset := chain.Asset{Network: chain.Base, Contract: noToken} // every address is searched
			return failed(d.Settlement().SweptFrom(ctx, asset, addresses))
		}),
		page("sweeper: deposits that a sweep took along", func(ctx context.Context, d *database, _ int) error {
			return d.Settlement().SettleCovered(ctx, chain.Base, d.now)
		}),
		page("webhooks: what is due", func(ctx context.Context, d *database, _ int) error {
			_, err := d.DueReceivers(ctx, d.now)
			_, _, err2 := d.NextDue(ctx, d.now)
			return errors.Join(err, err2)
		}),
		page("payments that wait of a key", func(ctx context.Context, d *database, _ int) error {
			return failed(d.Waiting(ctx, d.keys[0], 4*payment.MaxWaitingOfKey))
		}),
	}
}

const (
	// exported is how many payments the export writes.
	exported = 1_000_000
	// mostExported is how long that may take.
	mostExported = 15 * time.Second
)

func longProbes() []probe {
	return []probe{
		{name: "export of 1,000,000 rows at most", most: mostExported, once: true, do: func(
			ctx context.Context, d *database, _ int,
		) error {
			found := 0
			return dashboard.WriteExport(
				ctx, io.Discard, report.Query{Keys: d.keys[:1]},
				func(ctx context.Context, q report.Query) (report.ExportPage, error) {
					page, err := d.Reports().ExportPayments(ctx, q)
					if found += q.Limit; found >= exported {
						page.Next = report.Place{}
					}
					return page, err
				},
				dashboard.ExportFormat{},
			)
		}},
		{name: "reconcile of 1,000,000 addresses at most", most: mostReconciled, once: true, do: reconcile},
		{name: "verify-ledger", once: true, do: func(ctx context.Context, d *database, _ int) error {
			_, differences, err := d.VerifyLedger(ctx)
			if len(differences) > 0 {
				err = errors.Join(err, errors.New(differences[0]))
			}
			return err
		}},
	}
}
