package dashboard

import (
	"time"

	"github.com/florinpay/florin/views/panel"
)

// OverviewProps is the first page.
type OverviewProps struct {
	panel.Frame

	Steps   []Step
	Alerts  []panel.Notice
	Waiting []WaitingRow // changes of where money goes
	Chart   Chart
	// Volume and Count are the sums of the chart.
	Volume string
	Count  int64
	Lists  OverviewListsProps
	Keys   []Balance
}

// OverviewListsProps is the part of the overview that is updated live.
type OverviewListsProps struct {
	Count  int64        // of payments under way
	Open   []PaymentRow // the newest of them, started ones first
	Recent []PaymentRow // the newest of all
	Now    time.Time
}

// Step is one of the first steps.
type Step struct {
	Text, Path string
	Done       bool
}

// left reports whether any step is left to do.
func (p OverviewProps) left() bool {
	for _, s := range p.Steps {
		if !s.Done {
			return true
		}
	}
	return false
}

// RunwayText says for how many days credits last. Left is that number; measured is
// how many days the pace was measured over.
func RunwayText(left, measured int64) string {
	pace := "the last day"
	if measured > 1 {
		pace = "the last " + panel.Number(measured) + " days"
	}
	if left < 1 {
		return "enough for less than a day at the pace of " + pace
	}
	return "enough for about " + panel.Count(left, "day") + " at the pace of " + pace
}

// Balance is what is left on a key.
type Balance struct {
	Label, KeyID string
	Credits      int64
	Queries      int64
	// Runway says for how long the credits last; empty if nothing is known.
	Runway string
}
