package operator

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/operator"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/session"
	"github.com/labstack/echo/v4"
)

func (d *Surface) getProblems(c echo.Context, who session.Principal) error {
	t, err := d.Reports.Problems(c.Request().Context(), d.Shell.Now(), d.Dust)
	if err != nil {
		return err
	}
	p := operator.ProblemsProps{
		Frame:   d.Frame(c, who, "Stuck work", problemsPath),
		Notices: d.waitingNotices(), Sweeps: d.sweepRows(t.Sweeps), Most: report.MaxProblems,
	}
	if p.Notices, err = d.crowdedNotices(c.Request().Context(), p.Notices); err != nil {
		return err
	}
	for _, x := range t.Recharges {
		p.Notices = append(p.Notices, panel.Notice{Bad: true, Text: fmt.Sprintf(
			"%s bought %d queries with %s on %s, and Florin cannot follow it, because that network was removed from the configuration. Configure the network again, with USDT, until this row is gone.",
			x.Email, x.Units, x.Tx, views.NetworkName(string(x.Network)))})
	}
	for _, x := range t.SetAside {
		p.Notices = append(p.Notices, panel.Notice{Bad: true, Text: fmt.Sprintf(
			"Payment %s of %s cannot be read on %s since %s (%d attempts): %s. It is tried again from block %d on; the other payments are read.",
			x.PaymentID, x.Email, views.NetworkName(string(x.Network)), x.Since.UTC().Format(time.DateTime),
			x.Attempts, x.Reason, x.From)})
	}
	for _, x := range t.Changes {
		p.Notices = append(p.Notices, panel.Notice{Bad: true, Text: fmt.Sprintf(
			"A change of %s (%s) is due since %s and could not be made in %d attempts. It is tried again; the log says why it fails, and an owner can stop it.",
			x.Email, x.Kind, x.DueAt.UTC().Format(time.DateTime), x.Attempts)})
	}
	for _, x := range t.Deliveries {
		p.Deliveries = append(p.Deliveries, operator.LateRow{
			TxnID: string(x.TxnID), Email: x.Email, Event: strings.TrimPrefix(string(x.Type), "payment."),
			Made: x.Made, DueAt: x.DueAt,
		})
	}
	for _, x := range t.Deposits {
		p.Deposits = append(p.Deposits, operator.LeftRow{
			TxnID: string(x.TxnID), Email: x.Email, Network: views.NetworkName(string(x.Network)),
			Amount: money.Display(x.Amount) + " " + x.Symbol, Why: whyLeft(x),
			Command: []string{
				"florin sweep", "--txnid " + string(x.TxnID), "--network " + x.Network.Lower(),
			}, FinalAt: x.FinalAt,
		})
	}
	for _, x := range t.Reorged {
		p.Reorged = append(p.Reorged, operator.ReorgRow{
			TxnID: string(x.TxnID),
			Email: x.Email, Network: views.NetworkName(string(x.Network)), Amount: x.Amount.Display(),
			Hash: string(x.Hash), HashURL: d.Presenter.TxURL(x.Network, x.Hash), EndedAt: x.EndedAt,
		})
	}
	return d.Show(c, http.StatusOK, p.Frame, operator.Problems(p))
}

// crowdedNotices adds the shops whose payments of strangers take every place.
func (d *Surface) crowdedNotices(ctx context.Context, all []panel.Notice) ([]panel.Notice, error) {
	shops, err := d.Reports.ShopsOfStrangers(ctx)
	for _, x := range shops {
		crowded, failed := d.Payments.Crowded(ctx, x.KeyID)
		if err = errors.Join(err, failed); crowded {
			all = append(all, panel.Notice{Bad: true, Text: fmt.Sprintf(
				"%d unpaid payments that strangers opened take every place of the key “%s” of %s. The next customer can "+
					"still pay: the oldest give way. Look at where they come from, and block that before Florin.",
				x.Waiting, x.Key, x.Email)})
		}
	}
	return all, err
}

// whyLeft describes why money was not swept.
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
