package web

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/operator"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/shell"
)

const (
	topUpsPath  = operatorPath + "/topups"
	sweepsPath  = operatorPath + "/sweeps"
	troublePath = operatorPath + "/trouble"
)

func (d *desk) getTopUps(c echo.Context, v visitor) error {
	p := operator.TopUpsProps{Frame: d.frame(c, v, "Top-ups", topUpsPath)}
	list, err := d.x.Reports.TopUps(c.Request().Context(), beforeOf(c), pageRows+1)
	if err != nil {
		return err
	}
	if len(list) > pageRows {
		list = list[:pageRows]
		p.NextURL = olderURL(topUpsPath, list[pageRows-1].ID, nil)
	}
	for _, x := range list {
		row := operator.TopUpRow{
			TxnID: string(x.TxnID), Email: x.Email, Label: x.Label, Amount: x.Amount.Display(), Status: string(x.Status), Credits: x.Credits,
			Hash: string(x.Hash), HashURL: d.presenter.TxURL(x.Network, x.Hash), CreatedAt: x.CreatedAt,
		}
		if x.Network != "" {
			row.Network = string(x.Token) + " on " + views.NetworkName(string(x.Network))
		}
		p.Rows = append(p.Rows, row)
	}
	return d.show(c, http.StatusOK, p.Frame, operator.TopUps(p))
}

func (d *desk) getSweeps(c echo.Context, v visitor) error {
	p := operator.SweepsProps{Frame: d.frame(c, v, "Settlement", sweepsPath), Waiting: d.waitingNotices()}
	list, err := d.x.Reports.SweepLines(c.Request().Context(), beforeOf(c), pageRows+1)
	if err != nil {
		return err
	}
	if len(list) > pageRows {
		list = list[:pageRows]
		p.NextURL = olderURL(sweepsPath, list[pageRows-1].Number, nil)
	}
	p.Rows = d.sweepRows(list)
	return d.show(c, http.StatusOK, p.Frame, operator.Sweeps(p))
}

// waitingNotices say on which networks settlement waits, and why.
func (d *desk) waitingNotices() []panel.Notice {
	var all []panel.Notice
	if d.x.Sweeping == nil {
		return nil
	}
	for _, n := range chain.Networks() {
		if st, ok := d.x.Sweeping(n); ok && st.Waiting != "" {
			all = append(all, panel.Notice{Bad: true, Text: "Settlement on " + views.NetworkName(string(n)) + " waits: " + shell.Sentence(st.Detail)})
		}
	}
	return all
}

// sweepWords are how the state of a sweep is told and coloured.
var sweepWords = map[settlement.State][2]string{
	settlement.Planned: {"Planned", "is-wait"}, settlement.Signed: {"Signed", "is-wait"}, settlement.Sent: {"On its way", "is-seen"},
	settlement.Confirmed: {"Arrived", "is-good"}, settlement.Failed: {"Failed", "is-bad"}, settlement.Superseded: {"Given up", "is-wait"},
}

func (d *desk) sweepRows(list []report.SweepLine) []operator.SweepRow {
	var rows []operator.SweepRow
	for _, x := range list {
		words := sweepWords[settlement.State(x.State)]
		row := operator.SweepRow{
			ID: x.ID, Network: views.NetworkName(string(x.Network)), State: words[0], Meaning: words[1], Hash: string(x.Tx), HashURL: d.presenter.TxURL(x.Network, x.Tx),
			Note: x.Note, Pots: x.Pots, Moved: x.Moved, Attempts: x.Attempts, CreatedAt: x.CreatedAt, EndedAt: x.EndedAt,
		}
		if lane, ok := d.d.Payments.Network(x.Network); ok && !x.Paid.IsZero() {
			row.Cost = coinText(x.Paid, x.Network) + " " + lane.Profile.Coin
		}
		if row.Note == "" && settlement.State(x.State).InFlight() && d.x.Sweeping != nil {
			if st, ok := d.x.Sweeping(x.Network); ok {
				row.Note = st.Detail
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func (d *desk) getTrouble(c echo.Context, v visitor) error {
	t, err := d.x.Reports.Trouble(c.Request().Context(), d.d.Now(), d.x.Dust)
	if err != nil {
		return err
	}
	p := operator.TroubleProps{
		Frame: d.frame(c, v, "Stuck work", troublePath), Notices: d.waitingNotices(), Sweeps: d.sweepRows(t.Sweeps), Most: report.MaxTrouble,
	}
	for _, x := range t.Recharges {
		p.Notices = append(p.Notices, panel.Notice{Bad: true, Text: fmt.Sprintf(
			"%s bought %d queries with %s on %s, and nobody looks after it since that network was configured away. Set it up again, with USDT, until this is gone.",
			x.Email, x.Units, x.Tx, views.NetworkName(string(x.Network)))})
	}
	for _, x := range t.Deliveries {
		p.Deliveries = append(p.Deliveries, operator.LateRow{
			TxnID: string(x.TxnID), Email: x.Email, Event: strings.TrimPrefix(string(x.Type), "payment."), Made: x.Made, DueAt: x.DueAt,
		})
	}
	for _, x := range t.Deposits {
		p.Deposits = append(p.Deposits, operator.LeftRow{
			TxnID: string(x.TxnID), Email: x.Email, Network: views.NetworkName(string(x.Network)), Amount: money.Display(x.Amount) + " " + x.Symbol, Why: whyLeft(x),
			Command: []string{"florin sweep", "--txnid " + string(x.TxnID), "--network " + x.Network.Lower()}, FinalAt: x.FinalAt,
		})
	}
	for _, x := range t.Reorged {
		p.Reorged = append(p.Reorged, operator.ReorgRow{
			TxnID: string(x.TxnID), Email: x.Email, Network: views.NetworkName(string(x.Network)), Amount: x.Amount.Display(),
			Hash: string(x.Hash), HashURL: d.presenter.TxURL(x.Network, x.Hash), EndedAt: x.EndedAt,
		})
	}
	return d.show(c, http.StatusOK, p.Frame, operator.Trouble(p))
}

// whyLeft says why money is not on its way.
func whyLeft(x report.LeftDeposit) string {
	why := "It has waited for more than a day."
	switch {
	case !x.Chosen:
		why = "The payer sent it on a network they were not shown. If the merchant's wallet is a contract, make sure that it exists there."
	case x.Reason != "":
		why = "It could not be moved: " + x.Reason + "."
	}
	if !x.Counted {
		why += " It is another token than USDT or USDC as this network has them."
	}
	return why
}
