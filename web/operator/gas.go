package operator

import (
	"strconv"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/operator"
	"github.com/florinpay/florin/web/session"
)

// gasRows shows how long the gas wallet of each network lasts.
func (d *Surface) gasRows() []operator.GasRow {
	var all []operator.GasRow
	for _, n := range chain.Networks() {
		offered, ok := d.Payments.Network(n)
		if !ok || d.Sweeping == nil {
			continue
		}
		if st, ok := d.Sweeping(n); ok && !st.At.IsZero() {
			all = append(all, gasRow(offered.Profile, st))
		}
	}
	return all
}

func gasRow(p chain.Profile, st settlement.Status) operator.GasRow {
	r := st.Runway
	coins := func(u money.Units) string {
		if u.IsZero() {
			return ""
		}
		return session.Coins(u, p.Network) + " " + p.Coin
	}
	row := operator.GasRow{
		Name: views.NetworkName(string(p.Network)), Wallet: string(r.Wallet.Address), Balance: session.Coins(
			r.Wallet.Balance, p.Network,
		) + " " + p.Coin,
		PerDay: coins(r.PerDay), PerPayment: coins(r.PerItem), Level: string(r.Level),
	}
	switch {
	case r.Days < 0:
		row.Level, row.Lasts = "unknown", "not measured yet"
	case r.Days >= settlement.MaxDays:
		row.Lasts = "more than ten years"
	case r.Days == 1:
		row.Lasts = "1 day"
	default:
		row.Lasts = views.LocaleFor("en").Amount(strconv.Itoa(r.Days)) + " days"
	}
	switch {
	case st.Waiting != "":
		row.Advice = st.Detail
	case r.Level == settlement.LevelAlarm:
		row.Advice = "send " + p.Coin + " to it now"
	case r.Level == settlement.LevelWarn:
		row.Advice = "send " + p.Coin + " to it this week"
	}
	return row
}
