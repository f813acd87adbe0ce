package dashboard

import (
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/dashboard"
)

func volumeOf(days []report.Day) money.Micros {
	var sum money.Micros
	for _, x := range days {
		sum += x.Volume
	}
	return sum
}

// chartOf arranges the sums by day, days without income included.
func chartOf(days []report.Day, first time.Time) (dashboard.Chart, int64) {
	var c dashboard.Chart
	var networks []chain.Network
	for _, n := range append(chain.Networks(), "") {
		if slices.ContainsFunc(days, func(x report.Day) bool { return x.Network == n }) {
			networks = append(networks, n)
			name := "By hand, no network"
			if n != "" {
				name = views.NetworkName(string(n))
			}
			c.Networks = append(c.Networks, name)
		}
	}
	var total int64
	for i := range chartDays {
		x := dashboard.ChartDay{
			Day: first.AddDate(0, 0, i), Parts: make([]int64, len(networks)), Each: make([]string, len(networks)),
		}
		var volume money.Micros
		for j, n := range networks {
			var part money.Micros
			for _, y := range days {
				if y.Network == n && y.Day.Equal(x.Day) {
					part, x.Count = y.Volume, x.Count+y.Count
				}
			}
			x.Parts[j], x.Each[j] = int64(part), part.Display()
			volume += part
		}
		x.Volume, x.Micros = volume.Display(), int64(volume)
		total += x.Count
		c.Days = append(c.Days, x)
	}
	return c, total
}
