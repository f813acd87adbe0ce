package session

import (
	"errors"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/shell"
)

// Frame returns what surrounds a page, in the language of the request, with the notice of the redirect that led to it.
func (g *Guard) Frame(c echo.Context, who Principal, title, section string) panel.Frame {
	f := panel.Frame{
		Page: shell.NewPage(c), Title: title, Section: section, Email: who.User.Email, Operator: who.User.Operator,
		May: mayOf(who.Membership.Role), Role: string(who.Membership.Role), Merchant: who.Membership.Merchant.PublicID,
		Merchants: who.Merchants, Now: g.Shell.Now().In(who.Zone()),
	}
	f.Lang = views.LocaleOf(c.Request().Context()).Tag
	if g.Needs != nil && f.May.Read {
		var err error
		if f.Attention, err = g.Needs(c.Request().Context(), who); err != nil {
			g.Shell.Log.Warn("what needs the merchant not counted", "error", err)
		}
	}
	if text := g.Cookies.Notice(c); text != "" {
		f.Notices = append(f.Notices, panel.Notice{Text: text})
	}
	return f
}

// mayOf says which acts pages offer. It grants nothing: Member decides.
func mayOf(r merchant.Role) panel.May {
	return panel.May{
		Read: r.May(merchant.ActRead), Pay: r.May(merchant.ActPay), Payments: r.May(merchant.ActPayments),
		Webhooks: r.May(merchant.ActWebhooks), Keys: r.May(merchant.ActKeys), Callback: r.May(merchant.ActCallback),
		Branding: r.May(merchant.ActBranding), Credits: r.May(merchant.ActCredits), Money: r.May(merchant.ActMoney),
		Complete: r.May(merchant.ActComplete), Team: r.May(merchant.ActTeam),
		Campaigns: r.May(merchant.ActCampaigns), Moderate: r.May(merchant.ActModerate),
	}
}

// Show writes a page.
func (g *Guard) Show(c echo.Context, status int, f panel.Frame, view templ.Component) error {
	return shell.Render(c, status, f.Page, view)
}

// failed shows a refusal inside the frame. The shell renders other errors.
func (g *Guard) failed(c echo.Context, who Principal, err error) error {
	title := "This did not work"
	if fault.Is(err, fault.NotFound) {
		title = "Nothing here"
	}
	return g.refuse(c, who, title, err, "")
}

// errNoWallets says in the words of the pages that a key has no custodian.
var errNoWallets = fault.New(fault.Conflict, "enter the wallets that your money goes to first, under Settings, Payouts")

// refuse is failed with a title and the members to ask, who may be empty.
func (g *Guard) refuse(c echo.Context, who Principal, title string, err error, members string) error {
	if errors.Is(err, merchant.ErrNoCustodian) {
		err = errNoWallets
	}
	f := fault.Of(err)
	if f == nil || f.Kind == fault.Internal || c.Response().Committed {
		return err
	}
	refusal := g.Shell.Refuse(c, err)
	frame := g.Frame(c, who, title, "")
	return g.Show(c, refusal.Code, frame, panel.Failed(frame, shell.Refusal(frame.Locale(), f, f.Field), members))
}

// Failure renders an error that no frame can show.
func Failure(c echo.Context, r operation.Refusal) error {
	return shell.FailurePage(c, r, views.FailureProps{Again: shell.HomePath})
}
