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
	Weekly   bool   // a bar is a week
	Currency string // of all amounts; empty: US dollars
	Places   int    // decimal places of Bar.Paid and Bar.Parts
}

// Bar is one day or week.
type Bar struct {
	From   time.Time
	Volume string
	Count  int64
	Paid   int64   // a count of the smallest unit
	Parts  []int64 // of it by network, in the order of Chart.Networks
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

// top is the value of the uppermost line: the least round number that is no less than the best bar, and has a half.
func (c Chart) top() int64 {
	least := int64(1)
	for range max(c.Places, 1) {
		least *= 10
	}
	most := least
	for _, b := range c.Bars {
		most = max(most, b.Paid)
	}
	for unit := least; ; unit *= 10 {
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
		if b.Paid > best.Paid {
			best = b
		}
	}
	return best
}

// lines are the labels of the axis, from the top.
func (c Chart) lines() []string {
	top := c.top()
	labels := make([]string, 0, 3)
	for _, v := range []int64{top, top / 2, 0} {
		labels = append(labels, c.label(v))
	}
	return labels
}

// label writes a round amount.
func (c Chart) label(v int64) string {
	scale := int64(1)
	for range c.Places {
		scale *= 10
	}
	whole, rest := v/scale, v%scale
	plain := strconv.FormatInt(whole, 10)
	if rest > 0 { // a half
		plain += "." + strconv.FormatInt(rest/(scale/10), 10)
	}
	if c.Currency != "" {
		return views.LocaleFor("en").Price(plain, c.Currency)
	}
	if rest > 0 {
		return "$" + views.LocaleFor("en").Amount(strconv.FormatInt(whole, 10)) + "." + strconv.FormatInt(rest/(scale/10), 10) + "0"
	}
	return "$" + views.LocaleFor("en").Amount(plain)
}

// unit names the currency of all amounts.
func (c Chart) unit() string {
	if c.Currency != "" {
		return c.Currency
	}
	return "US dollars"
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
	return when + ": " + b.Volume + ", " + panel.Count(b.Count, "payment")
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
