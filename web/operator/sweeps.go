package operator

import (
	"math/big"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/operator"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const (
	topUpsPath   = operatorPath + "/topups"
	sweepsPath   = operatorPath + "/sweeps"
	problemsPath = operatorPath + "/problems"
)

func (d *Surface) getSweeps(c echo.Context, who session.Principal) error {
	p := operator.SweepsProps{Frame: d.Frame(c, who, "Settlement", sweepsPath), Waiting: d.waitingNotices()}
	list, err := d.Reports.SweepLines(c.Request().Context(), session.BeforeOf(c), session.PageRows+1)
	if err != nil {
		return err
	}
	if len(list) > session.PageRows {
		list = list[:session.PageRows]
		p.NextURL = session.OlderURL(sweepsPath, list[session.PageRows-1].Number, nil)
	}
	p.Rows, p.Savings = d.sweepRows(list), d.savings()
	return d.Show(c, http.StatusOK, p.Frame, operator.Sweeps(p))
}

// savings are what sharing transactions saved on each network.
func (d *Surface) savings() []operator.SavingRow {
	var rows []operator.SavingRow
	for _, n := range chain.Networks() {
		offered, ok := d.Payments.Network(n)
		if !ok || d.Sweeping == nil {
			continue
		}
		st, ok := d.Sweeping(n)
		if !ok || st.Spent.Items == 0 || st.Singles.IsZero() {
			continue
		}
		coins := func(u money.Units) string { return session.Coins(u, n) + " " + offered.Profile.Coin }
		saved := new(big.Int).Mul(st.Singles.Sub(st.Spent.Paid).Big(), big.NewInt(100))
		rows = append(rows, operator.SavingRow{
			Network: views.NetworkName(string(n)), Payments: st.Spent.Items, Sweeps: st.Spent.Sweeps,
			Cost: coins(st.Spent.Paid), Singles: coins(st.Singles),
			Saved: saved.Div(saved, st.Singles.Big()).String() + " %",
		})
	}
	return rows
}

// waitingNotices say on which networks settlement waits, and why.
func (d *Surface) waitingNotices() []panel.Notice {
	var all []panel.Notice
	if d.Sweeping == nil {
		return nil
	}
	for _, n := range chain.Networks() {
		if st, ok := d.Sweeping(n); ok && st.Waiting != "" {
			all = append(
				all,
				panel.Notice{
					Bad:  true,
					Text: "Settlement on " + views.NetworkName(string(n)) + " waits: " + shell.Sentence(st.Detail),
				},
			)
		}
	}
	return all
}

// sweepWords are the text and colour of each state of a sweep.
var sweepWords = map[settlement.State][2]string{
	settlement.Planned: {
		"Planned", "is-wait",
	}, settlement.Signed: {"Signed", "is-wait"}, settlement.Sent: {"On its way", "is-seen"},
	settlement.Confirmed: {
		"Arrived", "is-good",
	}, settlement.Failed: {"Failed", "is-bad"}, settlement.Superseded: {"Given up", "is-wait"},
}

func (d *Surface) sweepRows(list []report.SweepLine) []operator.SweepRow {
	var rows []operator.SweepRow
	for _, x := range list {
		words := sweepWords[settlement.State(x.State)]
		row := operator.SweepRow{
			ID: x.ID, Network: views.NetworkName(string(x.Network)),
			State: words[0], Meaning: words[1], Hash: string(x.Tx), HashURL: d.Presenter.TxURL(x.Network, x.Tx),
			Note: x.Note, Addresses: x.Addresses, Moved: x.Moved, Attempts: x.Attempts,
			CreatedAt: x.CreatedAt, EndedAt: x.EndedAt,
		}
		if offered, ok := d.Payments.Network(x.Network); ok && !x.Paid.IsZero() {
			row.Cost = session.Coins(x.Paid, x.Network) + " " + offered.Profile.Coin
		}
		if row.Note == "" && settlement.State(x.State).InFlight() && d.Sweeping != nil {
			if st, ok := d.Sweeping(x.Network); ok {
				row.Note = st.Detail
			}
		}
		rows = append(rows, row)
	}
	return rows
}
