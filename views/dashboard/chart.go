package dashboard

import (
	"strconv"
	"time"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
)

// Chart is what was paid over time: one bar a day or week, a part for each network.
type Chart struct {
	Bars []Bar
	// Networks are those with a part, as in the API; empty for payments that were
	// completed by hand before a network was chosen.
	Networks []string
	Weekly   bool // a bar is a week
}

// Bar is one day or week.
type Bar struct {
	From   time.Time
	Volume string
	Count  int64
	Micros int64
	Parts  []int64 // micros by network, in the order of Chart.Networks
	Each   []string
}

// Size of the chart in its own units.
const (
	chartWidth  = 720
	chartHeight = 160
	chartHead   = 8
)

// block is one rectangle of the chart.
type block struct{ X, Y, W, H, Class string }

// column is a bar with the words that show while a pointer is on it.
type column struct {
	Title  string
	X, W   string
	Blocks []block
}

// top is the value of the uppermost line in micros: the least round number that is
// no less than the best bar.
func (c Chart) top() int64 {
	most := int64(1_000_000)
	for _, b := range c.Bars {
		most = max(most, b.Micros)
	}
	for unit := int64(1_000_000); ; unit *= 10 {
		for _, step := range []int64{1, 2, 5} {
			if unit*step >= most {
				return unit * step
			}
		}
	}
}

// best returns the bar with the largest volume.
func (c Chart) best() Bar {
	var best Bar
	for _, b := range c.Bars {
		if b.Micros > best.Micros {
			best = b
		}
	}
	return best
}

// lines are the labels of the axis, from the top.
func (c Chart) lines() []string {
	const micros = 1_000_000
	top := c.top()
	labels := make([]string, 0, 3)
	for _, v := range []int64{top, top / 2, 0} {
		whole, rest := v/micros, v%micros
		label := "$" + views.LocaleFor("en").Amount(strconv.FormatInt(whole, 10))
		if rest > 0 {
			label += "." + strconv.FormatInt(rest/(micros/10), 10) + "0"
		}
		labels = append(labels, label)
	}
	return labels
}

// columns returns the bars. One without payments has words only.
func (c Chart) columns() []column {
	var out []column
	step := float64(chartWidth) / float64(max(len(c.Bars), 1))
	gap := min(step/4, 4)
	for i, b := range c.Bars {
		col := column{Title: c.words(b), X: decimal(float64(i) * step), W: decimal(step)}
		y := float64(chartHeight)
		for j, part := range b.Parts {
			if part == 0 {
				continue
			}
			h := max((chartHeight-chartHead)*float64(part)/float64(c.top()), 1)
			y -= h
			col.Blocks = append(col.Blocks, block{
				decimal(float64(i)*step + gap/2), decimal(y), decimal(step - gap),
				decimal(h), panel.NetworkClass(c.Networks[j]),
			})
		}
		out = append(out, col)
	}
	return out
}

// words are what a bar says: the day, the sum, and the payments.
func (c Chart) words(b Bar) string {
	when := b.From.Format("Monday, 2 January 2006")
	if c.Weekly {
		when = "Week of " + b.From.Format("2 January 2006")
	}
	return when + ": " + panel.USD(b.Volume) + ", " + panel.Count(b.Count, "payment")
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }

// shortDay writes a day for the axis.
func shortDay(t time.Time) string { return t.Format("2 Jan") }

// networkText names a network, or payments without one.
func networkText(network string) string {
	if network == "" {
		return "By hand, no network"
	}
	return views.Face(network).Short
}
