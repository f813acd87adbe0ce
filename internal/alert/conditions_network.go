package alert

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
)

// budgetWarn and budgetLimit are per cents of a day's budget of calls.
const (
	budgetWarn  = 80
	budgetLimit = 100
)

func nothingSold(f Facts) []Condition {
	for _, n := range f.Networks {
		if n.Health.OK {
			return nil
		}
	}
	advice := "Look at the other alerts and at the log; florin doctor checks every endpoint."
	if len(f.Networks) == 0 {
		advice = "Set the endpoints of a network, and restart."
	}
	return []Condition{{
		Title: "Nothing can be sold", Advice: advice, Text: sentence(payment.NothingSold(len(f.Networks))),
	}}
}

// tried: each network was read, or could not be. A program that has just started has done neither.
func tried(f Facts) bool {
	return !slices.ContainsFunc(f.Networks, func(n Network) bool { return n.Health.New })
}

// each returns the conditions of the networks for which judge returns one.
func each(f Facts, judge func(Network) (Condition, bool)) []Condition {
	var list []Condition
	for _, n := range f.Networks {
		if c, ok := judge(n); ok {
			c.Subject = string(n.Profile.Network)
			list = append(list, c)
		}
	}
	return list
}

func unreadable(f Facts) []Condition {
	return each(f, func(n Network) (Condition, bool) {
		h := n.Health
		return Condition{
			Title: n.Profile.Name + " cannot be read",
			Text: sentence(cmp.Or(h.Detail, h.Reason)) +
				" No payment on it is offered or credited; timers of payments wait.",
			Advice: fmt.Sprintf("Run florin doctor, and replace what fails in FLORIN_%s_RPC. Money that was sent is found "+
				"when the network is read again.", n.Profile.Network),
		}, !h.OK && !h.Stalled
	})
}

func stalled(f Facts) []Condition {
	return each(f, func(n Network) (Condition, bool) {
		if few := chain.TooFew(n.Endpoints); few != "" {
			return Condition{
				Title: "Too few endpoints of " + n.Profile.Name + " answer",
				Text: sentence(few) + fmt.Sprintf(" Nothing confirms what the rest report, so nothing is credited but what "+
					"FLORIN_%s_ALONE allows. Money that was sent is found when enough of them answer.", n.Profile.Network),
				Advice: fmt.Sprintf("Mend it, or replace it in FLORIN_%s_RPC. With three endpoints of different providers, one "+
					"may fail.", n.Profile.Network),
			}, true
		}
		return Condition{
			Title: n.Profile.Name + " confirms slowly",
			Text:  sentence(cmp.Or(n.Health.Detail, n.Health.Reason)) + " Its blocks come, and do not become final.",
			Advice: fmt.Sprintf("Compare with %s. If the network is fine there, replace the endpoint that lags in FLORIN_%s_RPC.",
				n.Profile.Explorer, n.Profile.Network),
		}, n.Health.Stalled && !n.Health.OK
	})
}

// endpointDown: the network works, by its other endpoints.
func endpointDown(f Facts) []Condition {
	var list []Condition
	for _, n := range f.Networks {
		for _, e := range n.Endpoints {
			if e.Healthy || e.Requests == 0 || !n.Health.OK || chain.TooFew(n.Endpoints) != "" {
				continue
			}
			list = append(list, Condition{
				Subject: string(n.Profile.Network) + " " + e.Name,
				Title:   fmt.Sprintf("An endpoint of %s fails", n.Profile.Name),
				Text:    fmt.Sprintf("%s: %s", e.Name, sentence(cmp.Or(e.Reason, "it does not answer"))),
				Advice: fmt.Sprintf("The other endpoints of the network are used. Mend it, or replace it in FLORIN_%s_RPC: "+
					"with one endpoint less, nothing confirms what the rest report.", n.Profile.Network),
			})
		}
	}
	return list
}

func budgetNear(f Facts) []Condition {
	return each(f, func(n Network) (Condition, bool) {
		r := n.Reading
		return Condition{
			Title: "The budget of RPC calls nears its end on " + n.Profile.Name,
			Text: fmt.Sprintf("%d %% or more of the %d calls of today are spent. The network is read less often from now on.",
				budgetWarn, r.Budget),
			Advice: budgetAdvice(n),
		}, r.Budget > 0 && r.Spent >= budgetWarn
	})
}

func budgetSpent(f Facts) []Condition {
	return each(f, func(n Network) (Condition, bool) {
		r := n.Reading
		return Condition{
			Title: "The budget of RPC calls is spent on " + n.Profile.Name,
			Text: fmt.Sprintf("All %d calls of today are spent. The network is read as seldom as is safe until midnight UTC.",
				r.Budget),
			Advice: budgetAdvice(n),
		}, r.Budget > 0 && r.Spent >= budgetLimit
	})
}

func budgetAdvice(n Network) string {
	return fmt.Sprintf("Raise FLORIN_%s_RPC_BUDGET if your provider's plan allows, or add an endpoint.", n.Profile.Network)
}

func gasLow(f Facts) []Condition {
	return gas(f, func(l settlement.Level) bool { return l == settlement.LevelWarn || l == settlement.LevelAlarm },
		"runs low", "this week")
}

func gasOut(f Facts) []Condition {
	return gas(f, func(l settlement.Level) bool { return l == settlement.LevelAlarm }, "is almost empty", "now")
}

func gas(f Facts, holds func(settlement.Level) bool, state, when string) []Condition {
	return each(f, func(n Network) (Condition, bool) {
		if n.Gas == nil || !holds(n.Gas.Runway.Level) {
			return Condition{}, false
		}
		wallet := n.Gas.Runway.Wallet
		return Condition{
			Title: fmt.Sprintf("The gas wallet of %s %s", n.Profile.Name, state),
			Text: fmt.Sprintf("The wallet %s holds %s %s. Without gas no money is moved to merchants; payments go on.",
				wallet.Address, wallet.Balance.Format(n.Profile.Network.CoinDecimals()), n.Profile.Coin),
			Advice: fmt.Sprintf("Send %s to it %s.", n.Profile.Coin, when),
		}, true
	})
}

// sentence makes a sentence of a text.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	text = strings.ToUpper(text[:1]) + text[1:]
	if strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}
