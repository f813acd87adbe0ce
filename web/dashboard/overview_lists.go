package dashboard

import (
	"context"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views/dashboard"
)

// openRows is how many open payments the overview lists.
const openRows = 8

// lists returns the payments of an overview: the open ones and the newest.
func (d *Surface) lists(ctx context.Context, keys []int64) (dashboard.OverviewListsProps, error) {
	now := d.Shell.Now()
	p := dashboard.OverviewListsProps{Now: now}
	activity, err := d.Reports.Activity(ctx, keys, now)
	if err != nil {
		return p, err
	}
	p.Count = activity.Open
	// Started payments come first: their customers are waiting.
	for _, status := range []payment.Status{payment.Started, payment.Pending} {
		if len(p.Open) == openRows {
			break
		}
		open, err := d.Reports.SearchPayments(
			ctx, report.Query{Keys: keys, Status: status, Now: now, Limit: openRows - len(p.Open)},
		)
		if err != nil {
			return p, err
		}
		for _, x := range open {
			p.Open = append(p.Open, paymentRow(x))
		}
	}
	recent, err := d.Reports.SearchPayments(ctx, report.Query{Keys: keys, Now: now, Limit: recentRows})
	for _, x := range recent {
		p.Recent = append(p.Recent, paymentRow(x))
	}
	return p, err
}
