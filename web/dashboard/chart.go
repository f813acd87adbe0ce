package dashboard

import (
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views/dashboard"
)

// volumeOf sums the days from from until before until.
func volumeOf(days []report.Day, from, until time.Time) (sum money.Micros, count int64) {
	for _, x := range days {
		if !x.Day.Before(from) && x.Day.Before(until) {
			sum, count = sum+x.Volume, count+x.Count
		}
	}
	return sum, count
}

// chartOf arranges the sums into bars of so many days each, those without income
// included.
func chartOf(days []report.Day, first, last time.Time, each int) dashboard.Chart {
	c := dashboard.Chart{Weekly: each > 1}
	var networks []chain.Network
	for _, n := range append(chain.Networks(), "") {
		if slices.ContainsFunc(days, func(x report.Day) bool { return x.Network == n && !x.Day.Before(first) }) {
			networks = append(networks, n)
			c.Networks = append(c.Networks, string(n))
		}
	}
	for from := first; !from.After(last); from = from.AddDate(0, 0, each) {
		until := from.AddDate(0, 0, each)
		bar := dashboard.Bar{From: from}
		for _, n := range networks {
			part, _ := volumeOf(slices.DeleteFunc(slices.Clone(days), func(x report.Day) bool {
				return x.Network != n
			}), from, until)
			bar.Parts, bar.Each = append(bar.Parts, int64(part)), append(bar.Each, part.Display())
		}
		volume, count := volumeOf(days, from, until)
		bar.Volume, bar.Micros, bar.Count = volume.Display(), int64(volume), count
		c.Bars = append(c.Bars, bar)
	}
	return c
}
