package operator

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/views/operator"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const operatorPath = "/operator"

func (d *Surface) getInstallation(c echo.Context, who session.Principal) error {
	return d.installationPage(c, who, http.StatusOK, "")
}

func (d *Surface) installationPage(c echo.Context, who session.Principal, status int, problem string) error {
	ctx, now := c.Request().Context(), d.Shell.Now()
	p := operator.InstallationProps{
		Frame: d.Frame(c, who, "Operator", operatorPath), Version: d.Version, Problem: problem,
		Networks: d.networkRows(), Gas: d.gasRows(), MayCheck: d.Ledger != nil,
		Rates: d.rates(now),
	}
	var err error
	if p.Alerts, err = d.alertNotices(ctx, now); err != nil {
		return err
	}
	if p.BackedUp, err = d.Reports.BackedUpAt(ctx); err != nil {
		return err
	}
	if err := d.underSeed(ctx, &p); err != nil {
		return err
	}
	last, ok, err := d.LastCheck(ctx)
	if err != nil {
		return err
	}
	if ok {
		p.Check = operator.CheckRow{
			Running: last.EndedAt.IsZero() &&
				now.Sub(last.AskedAt) < checkGivenUp,
			AskedAt: last.AskedAt, EndedAt: last.EndedAt, AskedBy: last.AskedBy, Problem: last.Problem,
			Entries: last.Entries, Found: last.Found, Differences: last.Differences,
		}
		if last.EndedAt.IsZero() && !p.Check.Running {
			p.Check.EndedAt, p.Check.Problem = last.AskedAt, "Florin was stopped before the ledger was verified."
		}
	}
	return d.Show(c, status, p.Frame, operator.Installation(p))
}

// underSeed fills in what lies under the Solana deposit seed.
func (d *Surface) underSeed(ctx context.Context, p *operator.InstallationProps) error {
	all, err := d.Reports.UnderSeed(ctx)
	if err != nil {
		return err
	}
	_, on := d.Payments.Network(chain.Solana)
	p.ShowSeed = on || len(all) > 0
	for _, x := range all {
		p.Seed = append(p.Seed, operator.SeedRow{
			Token: x.Symbol, Amount: x.Units.Display(x.Decimals), Payments: x.Payments,
		})
	}
	return nil
}

// checkGivenUp is the time after which an unfinished check counts as given up.
const checkGivenUp = 2 * ledger.CheckLimit

// postLedgerCheck starts a check of the ledger in the background.
func (d *Surface) postLedgerCheck(c echo.Context, who session.Principal) error {
	if d.Ledger == nil {
		return shell.ErrNotFound
	}
	act := d.Act(c, who)
	act.Account = who.User.ID
	err := d.Ledger.Ask(c.Request().Context(), act)
	if f := fault.Of(err); f != nil && f.Kind == fault.Conflict {
		return d.installationPage(c, who, http.StatusConflict, shell.Sentence(f.Message))
	}
	if err != nil {
		return err
	}
	return d.Cookies.Redirect(c, operatorPath, "The ledger is being verified. Look again in a moment.")
}

// alertNotices returns what needs an operator now, in the words of the notices that are sent about it.
func (d *Surface) alertNotices(ctx context.Context, now time.Time) ([]panel.Notice, error) {
	seen, err := d.Alerts(ctx, now)
	if err != nil {
		return nil, err
	}
	var all []panel.Notice
	for _, c := range seen.Conditions {
		n := panel.Notice{Bad: true, Text: c.Title + ". " + c.Text + " " + c.Advice}
		switch {
		case c.Kind == alert.BackupMissing || c.Kind == alert.BackupOld:
			n.Link, n.LinkText = "/docs/operate/backup", "How to back up"
		case !c.Public:
			n.Link, n.LinkText = problemsPath, "See details"
		}
		all = append(all, n)
	}
	if len(all) == 0 {
		all = append(all, panel.Notice{Text: "Nothing needs an operator."})
	}
	stuck, err := d.Reports.Stuck(ctx, now, d.Dust)
	if err == nil && stuck.Dust > 0 {
		all = append(all, panel.Notice{Plain: true, Text: fmt.Sprintf(
			"%d deposits are dust: moving one costs more than it is worth. They wait for more at their address; `florin sweep --txnid` moves them all the same.", stuck.Dust)})
	}
	return all, err
}
