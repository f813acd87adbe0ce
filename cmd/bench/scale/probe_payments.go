package main

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/report"
)

// paymentProbes are the pages of the dashboard's list: its rows, with number and sum of what is shown. Every second run
// reads a page that is far from the first.
func paymentProbes() []probe {
	list := func(ctx context.Context, d *database, run int, q report.Query) error {
		q.Limit = pageRows
		if q.Keys == nil {
			q.Keys = d.keys[:1]
		}
		if run%2 == 1 && q.From.IsZero() { // the last page, or, where words are rare, one in the middle
			place := d.first + 100
			if q.Text != "" {
				place = (d.first + d.last) / 2
			}
			at := d.now.Add(-age - time.Duration(int64(historyFor)/(d.last-d.first+1)*(d.last-place)))
			q.After = report.Place{At: at, Number: place}
		}
		found, err := d.Reports().SearchPayments(ctx, q)
		if _, known := found.Totals(q); known || err != nil {
			return err
		}
		return failed(d.Reports().Totals(ctx, q))
	}
	hour := func(ctx context.Context, d *database, run int, q report.Query) error {
		q.From = d.now.Add(-historyFor / 2)
		q.Until = q.From.Add(time.Hour)
		return list(ctx, d, run, q)
	}
	return append(append(
		lists(list, []filter[report.Query]{
			{"payments", report.Query{}},
			{"payments, open", report.Query{Statuses: []payment.Status{payment.Pending, payment.Started}}},
			{"payments, expired", report.Query{Statuses: []payment.Status{payment.Expired}}},
			{"payments, Base", report.Query{Network: "BASE"}},
			{"payments, Solana (none)", report.Query{Network: "SOL"}},
			{"payments, USDT (few)", report.Query{Token: "USDT"}},
			{"payments, donations (few)", report.Query{Kind: payment.KindDonation}},
			{"payments, top-ups (none)", report.Query{Kind: payment.KindTopUp}},
			{"payments, from 100 dollars", report.Query{Min: 100_000_000}},
			{"payments, from 1,000,000 dollars (none)", report.Query{Min: 1_000_000_000_000}},
			{"payments, expired, from 100 dollars", report.Query{
				Statuses: []payment.Status{payment.Expired}, Min: 100_000_000,
			}},
			{"payments, need attention", report.Query{Attention: true}},
			{"search: reference", report.Query{Text: "order 12"}},
			{"search: customer", report.Query{Text: "payer12"}},
			{"search: amount", report.Query{Text: "49.90"}},
			{"search: whole dollars", report.Query{Text: "49"}},
			{"search: an amount of none", report.Query{Text: "7777.77"}},
			{"search: hash", report.Query{Text: "0x00000000"}},
			{"search: a word of all", report.Query{Text: "tickets"}},
			{"search: a word of half", report.Query{Text: "north"}},
			{"search: a word of one in 700", report.Query{Text: "blue"}},
			{"search: a word of one", report.Query{Text: "1017"}},
			{"search: a word of none", report.Query{Text: "zebra"}},
			{"search: the beginning of a word of few", report.Query{Text: "payer4999"}},
			{"search: the beginning of a word of all", report.Query{Text: "tick"}},
			{"search: a word of none, with the beginning of one of all", report.Query{Text: "zebra tick"}},
			{"search: two words of half, together", report.Query{Text: "tickets north"}},
			{"search: words of few, together", report.Query{Text: "tickets blue 1409"}},
			{"search: words of none", report.Query{Text: "tickets green"}},
			{"search: two words of half, never together", report.Query{Text: "north south"}},
			{"search: a word of half, expired, USDT (none)", report.Query{
				Text: "north", Statuses: []payment.Status{payment.Expired}, Token: "USDT",
			}},
		}...),
		lists(hour, []filter[report.Query]{
			{"payments of an hour", report.Query{}},
			{"payments of an hour, Base", report.Query{Network: "BASE"}},
			{"payments of an hour, USDT (few)", report.Query{Token: "USDT"}},
			{"search: a word of half, of an hour", report.Query{Text: "north"}},
		}...)...),
		page("payments of twenty keys, USDT", func(ctx context.Context, d *database, run int) error {
			return list(ctx, d, run, report.Query{Keys: d.keys[1:21], Token: "USDT"})
		}),
		page("search: the beginning of all customers, of twenty keys", func(ctx context.Context, d *database, run int) error {
			return list(ctx, d, run, report.Query{Keys: d.keys[:20], Text: "payer"})
		}),
		page("search: a word of half, of twenty keys", func(ctx context.Context, d *database, run int) error {
			return list(ctx, d, run, report.Query{Keys: d.keys[1:21], Text: "north"})
		}),
	)
}

// apiProbes are getTransactions, a lone create, and a lone create and start.
func apiProbes() []probe {
	return append(
		lists(
			func(ctx context.Context, d *database, run int, q payment.Filter) error {
				q.KeyID, q.Limit = d.keys[0], pageRows
				if run%2 == 1 {
					q.After = d.last - 4 // of the first key, whatever the number
					q.After -= q.After % 5
				}
				return failed(d.Payments(ctx, q))
			},
			[]filter[payment.Filter]{
				{"getTransactions", payment.Filter{}},
				{"getTransactions, completed", payment.Filter{Status: payment.Completed}},
				{"getTransactions, expired, oldest first", payment.Filter{Status: payment.Expired, Ascending: true}},
				{"getTransactions, Solana (none)", payment.Filter{Network: "SOL"}},
				{"getTransactions, cancelled (none)", payment.Filter{Status: payment.Cancelled}},
				{"checkAdminUntransferred", payment.Filter{Unswept: true}},
			}...,
		),
		page("create", func(ctx context.Context, d *database, _ int) error { return failed(d.create(ctx)) }),
		page("create, start", func(ctx context.Context, d *database, _ int) error {
			p, err := d.create(ctx)
			if err == nil {
				_, err = d.start(ctx, p, d.now)
			}
			return err
		}),
		page("read a payment", func(ctx context.Context, d *database, run int) error {
			list, err := d.PaymentsByID(ctx, []payment.ID{payment.ID(ulidOf(d.first + int64(run)))})
			if err == nil && len(list) == 0 {
				err = payment.ErrUnknown
			}
			return err
		}),
	)
}
