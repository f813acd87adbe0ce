package alert

import (
	"fmt"
	"strings"
)

// ratesRead: the sources of rates were read lately, as they are while somebody prices in another currency.
func ratesRead(f Facts) bool { return f.Rates.Fresh(f.Now) }

func depegged(f Facts) (list []Condition) {
	for _, l := range f.Rates.Lines {
		if l.Depegged {
			list = append(list, Condition{
				Subject: l.Of, Title: l.Of + " is off its peg",
				Text: fmt.Sprintf("The price feeds say that one %s is worth %s USD. Nothing is priced in other currencies than "+
					"US dollars; amounts in dollars are taken as before, one token for one dollar.", l.Of, l.Rate),
				Advice: "Look at the market. Merchants can switch the token off under Settings, Payouts.",
			})
		}
	}
	return list
}

func ratesApart(f Facts) (list []Condition) {
	for _, l := range f.Rates.Lines {
		if l.Spread <= 100 || l.Depegged {
			continue
		}
		var says []string
		for _, x := range l.Sources {
			if x.Problem == "" {
				says = append(says, fmt.Sprintf("%s %s", x.Name, x.Rate))
			}
		}
		list = append(list, Condition{
			Subject: l.Of, Title: "Price feeds of " + l.Of + " disagree",
			Text: fmt.Sprintf("They differ by more than 1 %%: %s. A price in %s is taken only while two of them agree.",
				strings.Join(says, ", "), l.Of),
			Advice: "Look at the feeds in a block explorer. FLORIN_{BEP20,POLYGON,BASE}_RATE_FEEDS replaces one, or removes it with none.",
		})
	}
	return list
}
