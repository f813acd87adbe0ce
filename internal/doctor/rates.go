package doctor

import (
	"time"

	"github.com/florinpay/florin/internal/exchange"
)

// Rates checks the sources of rates of currencies: each one by itself, with its age, and whether they agree. That a
// currency has no rate is a warning: amounts in dollars need none.
func (r *Report) Rates(x exchange.Report) {
	switch {
	case len(x.Lines) == 0:
		r.addf("rates", Fine, "no network has price feeds, so nothing is priced in other currencies than US dollars")
		return
	case !x.Fenced:
		r.addf("rates fence", Warning, "none: FLORIN_RATE_FENCE is none, so two price feeds that agree are believed")
	case x.Fence.Problem != "":
		r.addf("rates fence", Warning, "%s: nothing is priced in other currencies until it can be read", x.Fence.Problem)
	default:
		r.addf("rates fence", Fine, "%s of %s", x.Fence.Name, x.Fence.Date.Format(time.DateOnly))
	}
	for _, l := range x.Lines {
		verdict := Fine
		if l.Refusal != "" || l.Depegged {
			verdict = Warning
		}
		r.addf("rate of "+l.Of, verdict, "%s", l.Text())
	}
}
