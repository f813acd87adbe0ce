package dashboard

import (
	"strconv"
	"time"
)

// Chart is volume by day: one bar a day, a part for each network.
type Chart struct {
	Days     []ChartDay
	Networks []string // names, in the order of the parts
}

// ChartDay is one bar.
type ChartDay struct {
	Day    time.Time
	Volume string
	Count  int64
	Micros int64
	Parts  []int64 // micros by network, in the order of Chart.Networks
	Each   []string
}

// Size of the chart in its own units.
const (
	chartWidth  = 720
	chartHeight = 148
	chartFoot   = 1
	chartHead   = 4
)

// block is one rectangle of the chart.
type block struct{ X, Y, W, H, Class string }

// most returns the volume of the best day in micros, at least 1.
func (c Chart) most() int64 {
	most := int64(1)
	for _, d := range c.Days {
		most = max(most, d.Micros)
	}
	return most
}

// best returns the day with the largest volume.
func (c Chart) best() ChartDay {
	var best ChartDay
	for _, d := range c.Days {
		if d.Micros > best.Micros {
			best = d
		}
	}
	return best
}

// blocks returns the bars. A day without payments has none.
func (c Chart) blocks() []block {
	var out []block
	step := float64(chartWidth) / float64(max(len(c.Days), 1))
	room := float64(chartHeight - chartFoot - chartHead)
	for i, d := range c.Days {
		y := float64(chartHeight - chartFoot)
		for j, part := range d.Parts {
			if part == 0 {
				continue
			}
			h := max(room*float64(part)/float64(c.most()), 1)
			y -= h
			out = append(
				out,
				block{decimal(float64(i)*step + 2), decimal(y), decimal(step - 4), decimal(h), "s" + strconv.Itoa(j%4)},
			)
		}
	}
	return out
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }

// shortDay writes a day for the axis.
func shortDay(t time.Time) string { return t.Format("2 Jan") }
