package watch

// Slowdown returns by what factor the pace of a level is slowed once so many per cent of a day's budget of calls are
// spent. Lower levels slow down first. No level ever stops: money of open payments is still found, later.
func (l Level) Slowdown(spent int64) int64 { return factor(slowdowns[l], spent) }

// slowdown is a factor from a part of the budget on, in per cent.
type slowdown struct{ spent, factor int64 }

var slowdowns = map[Level][]slowdown{
	Idle:     {{75, 3}, {50, 2}},
	Ended:    {{75, 3}, {50, 2}},
	Open:     {{100, 12}, {90, 4}, {75, 2}},
	Attended: {{110, 60}, {105, 20}, {100, 10}, {95, 2}},
}

// secondSlowdowns are those of the second reading, the last that a budget slows down: without it money may be unseen.
var secondSlowdowns = []slowdown{{120, 20}, {110, 4}, {100, 2}}

// factor returns by what factor the list slows down once so many per cent are spent.
func factor(list []slowdown, spent int64) int64 {
	for _, s := range list {
		if spent >= s.spent {
			return s.factor
		}
	}
	return 1
}

// Least returns the smallest of the budgets; 0 is no limit.
func Least(budgets []int64) (least int64) {
	for _, b := range budgets {
		if b > 0 && (least == 0 || b < least) {
			least = b
		}
	}
	return least
}

// Spent returns what part of its day's budget the endpoint that is nearest to it has spent, in per cent, at most 1,000.
// budgets are those of the endpoints, in the order in which they are configured; where there are fewer, the last one
// is for all others. 0 is no limit.
func Spent(calls []int64, budgets []int64) (percent int64) {
	const most = 1_000
	for i, n := range calls {
		if len(budgets) == 0 {
			return 0
		}
		if budget := budgets[min(i, len(budgets)-1)]; budget > 0 {
			percent = max(percent, min(n/max(budget/100, 1), most)) //nolint:mnd // per cent
		}
	}
	return percent
}
