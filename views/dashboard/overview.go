package dashboard

import (
	"strconv"
	"time"
)

// OverviewProps is the first page.
type OverviewProps struct {
	Frame

	Steps  []Step
	Alerts []Notice
	Chart  Chart
	// Volume and Count are the sums of the chart.
	Volume string
	Count  int64
	Lists  OverviewListsProps
	Keys   []Balance
}

// OverviewListsProps is what an open overview is kept up to date with.
type OverviewListsProps struct {
	Count  int64        // of payments under way
	Open   []PaymentRow // the newest of them, started ones first
	Recent []PaymentRow // the newest of all
	Now    time.Time
}

// QuickProps is what the search dialog found.
type QuickProps struct {
	Text string
	Rows []PaymentRow
	Now  time.Time
}

// Step is one of the first steps; it ticks itself.
type Step struct {
	Text, Path string
	Done       bool
}

// left reports whether a step is not done.
func (p OverviewProps) left() bool {
	for _, s := range p.Steps {
		if !s.Done {
			return true
		}
	}
	return false
}

// RunwayText says for how many days credits last, at the pace of the last days.
func RunwayText(left, measured int64) string {
	pace := "the last day"
	if measured > 1 {
		pace = "the last " + number(measured) + " days"
	}
	if left < 1 {
		return "enough for less than a day at the pace of " + pace
	}
	return "enough for about " + count(left, "day") + " at the pace of " + pace
}

// Balance is what a key has left.
type Balance struct {
	Label, KeyID string
	Credits      int64
	Queries      int64
	// Runway says for how long the credits last; empty if nothing is known.
	Runway string
}

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

func (c Chart) most() int64 {
	most := int64(1)
	for _, d := range c.Days {
		most = max(most, d.Micros)
	}
	return most
}

// best is the day with the most volume.
func (c Chart) best() ChartDay {
	var best ChartDay
	for _, d := range c.Days {
		if d.Micros > best.Micros {
			best = d
		}
	}
	return best
}

// blocks draws the bars; a day without payments is a hair on the axis.
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
			out = append(out, block{decimal(float64(i)*step + 2), decimal(y), decimal(step - 4), decimal(h), "s" + strconv.Itoa(j%4)})
		}
	}
	return out
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }

// shortDay is a day as an axis shows it.
func shortDay(t time.Time) string { return t.Format("2 Jan") }
