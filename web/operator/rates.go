package operator

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/views/operator"
	"github.com/florinpay/florin/views/panel"
)

// rates returns what is known of the rates of currencies; none where no network has price feeds.
func (d *Surface) rates(now time.Time) (out operator.Rates) {
	if d.Rates == nil {
		return out
	}
	r := d.Rates()
	out.Fresh, out.ReadAt = r.Fresh(now), r.ReadAt
	switch {
	case !r.Fenced:
		out.Fence = "There are no reference rates: FLORIN_RATE_FENCE is none."
	case r.Fence.Problem != "":
		out.Fence = "The reference rates could not be read: " + r.Fence.Problem + "."
	case !r.Fence.Date.IsZero():
		out.Fence = "The reference rates (" + r.Fence.Name + ") are of " + r.Fence.Date.Format(time.DateOnly) + "."
	}
	for _, l := range r.Lines {
		out.Rows = append(out.Rows, rateRow(l))
	}
	return out
}

func rateRow(l exchange.Line) operator.RateRow {
	row := operator.RateRow{Of: l.Of, Refusal: l.Refusal, DisagreedAt: l.DisagreedAt}
	if l.Refusal == "" {
		row.Rate = l.Rate.String()
	}
	if l.Depegged {
		row.Refusal = "It is off its peg"
	}
	row.Spread = fmt.Sprintf("%d.%02d %%", l.Spread/100, l.Spread%100)
	for _, x := range l.Sources {
		text := x.Name + " " + x.Rate.String() + ", " + panel.Span(context.Background(), x.Age) + " old"
		if x.Problem != "" {
			text = x.Name + ": " + x.Problem
		}
		row.Sources = append(row.Sources, text)
	}
	return row
}
