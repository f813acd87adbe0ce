package dashboard

import (
	"context"
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
func (c Chart) lines(ctx context.Context) []string {
	top := c.top()
	labels := make([]string, 0, 3)
	for _, v := range []int64{top, top / 2, 0} {
		labels = append(labels, c.label(ctx, v))
	}
	return labels
}

// label writes a round amount.
func (c Chart) label(ctx context.Context, v int64) string {
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
		return views.LocaleOf(ctx).Price(plain, c.Currency)
	}
	if rest > 0 {
		plain += "0"
	}
	return panel.Dollars(ctx, plain)
}

// day is when a bar begins, with the year where the bars reach from one day of the year to the same.
func (c Chart) day(ctx context.Context, b Bar) string {
	if c.Weekly {
		return views.LocaleOf(ctx).Day(b.From)
	}
	return views.LocaleOf(ctx).DayOfYear(b.From)
}

// unit names the currency of all amounts.
func (c Chart) unit(ctx context.Context) string {
	if c.Currency != "" {
		return c.Currency
	}
	return views.T(ctx, "US dollars")
}

// columns returns the bars. One without payments has words only.
func (c Chart) columns(ctx context.Context) []column {
	var out []column
	step := float64(chartWidth) / float64(max(len(c.Bars), 1))
	gap := min(step/4, 4)
	for i, b := range c.Bars {
		col := column{Title: c.words(ctx, b), X: decimal(float64(i) * step), W: decimal(step)}
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
func (c Chart) words(ctx context.Context, b Bar) string {
	day := views.LocaleOf(ctx).Day(b.From)
	if c.Weekly {
		return views.N(ctx, "Week of {{.Day}}: {{.Sum}}, {{.N}} payments", int(b.Count), "Day", day, "Sum", b.Volume)
	}
	return views.N(ctx, "{{.Day}}: {{.Sum}}, {{.N}} payments", int(b.Count), "Day", day, "Sum", b.Volume)
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }

// networkText names a network, or payments without one.
func networkText(ctx context.Context, network string) string {
	if network == "" {
		return views.T(ctx, "By hand, no network")
	}
	return views.Face(network).Short
}
