package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/checkout"
	"github.com/florinpay/florin/web/shell"
)

const linksPath = "/dashboard/links"

// merchantOf is how a key's merchant looks to payers.
func (d *desk) merchantOf(ctx context.Context, keyID int64) (views.Merchant, error) {
	return d.presenter.Merchant(ctx, payment.Payment{KeyID: keyID, Kind: payment.KindMerchant})
}

// linkURL is the address that is handed out.
func (d *desk) linkURL(slug string) string { return d.o.CheckoutURL + "/link/" + slug }

func (d *desk) getLinks(c echo.Context, v visitor) error {
	return d.linksPage(c, v, http.StatusOK, shell.NewForm(url.Values{"key": {c.QueryParam("key")}}))
}

func (d *desk) linksPage(c echo.Context, v visitor, status int, f *shell.Form) error {
	_, ok, choice, err := d.chosenKey(v, linksPath, f.Text("key"))
	if err != nil {
		return err
	}
	list, err := d.d.Campaigns.Links(c.Request().Context(), v.ids())
	if err != nil {
		return err
	}
	p := dashboard.LinksProps{Frame: d.frame(c, v, "Payment links", linksPath), Problem: f.Problem, HasKey: ok, Key: choice}
	for _, l := range list {
		p.Rows = append(p.Rows, linkRow(l))
	}
	p.Fields = []panel.Field{
		f.Field(panel.Field{
			Name: "slug", Label: "Address", Required: true, Mono: true, Max: strconv.Itoa(campaign.MaxSlug), Placeholder: "coffee-500g",
			Hint: "The last part of the link; it cannot be changed later.",
		}),
		f.Field(panel.Field{Name: "description", Label: "What it is for (optional)", Hint: "Your customer sees it.", Max: strconv.Itoa(payment.MaxDescription)}),
		f.Field(panel.Field{Name: "amount", Label: "Amount in US dollars (optional)", Mode: "decimal", Max: "24", Placeholder: "12.50", Hint: "Left empty, your customer chooses the amount."}),
		f.Field(panel.Field{
			Name: "reference", Label: "Reference (optional)", Max: strconv.Itoa(payment.MaxReference),
			Hint: "Every payment of the link carries it, and it finds them all. Left empty, it is the address.",
		}),
	}
	p.More = []panel.Field{
		f.Field(panel.Field{Name: "min", Label: "Least amount", Mode: "decimal", Max: "24"}),
		f.Field(panel.Field{Name: "max", Label: "Largest amount", Mode: "decimal", Max: "24"}),
	}
	for _, x := range p.More {
		p.Open = p.Open || x.Value != "" || x.Problem != ""
	}
	return d.show(c, status, p.Frame, dashboard.Links(p))
}

func linkRow(l campaign.Link) dashboard.LinkRow {
	return dashboard.LinkRow{
		Slug: l.Slug, Description: l.Description, Reference: l.Reference, Amount: checkout.Positive(l.Amount), Min: checkout.Positive(l.Min), Max: checkout.Positive(l.Max),
		Paused: l.Paused, KeyGone: l.KeyRevoked, CreatedAt: l.CreatedAt,
	}
}

func (d *desk) postLinkNew(c echo.Context, v visitor) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	f := shell.NewForm(values)
	key, err := v.key(f.Text("key"))
	if err != nil {
		return err
	}
	l, err := d.d.Campaigns.CreateLink(c.Request().Context(), key.ID, campaign.LinkDraft{
		Slug: f.Text("slug"), Description: f.Text("description"), Reference: f.Text("reference"), Amount: f.Text("amount"), Min: f.Text("min"), Max: f.Text("max"),
	}, d.auditEntry(c, v, audit.ActionLinkNew, "", ""))
	if err != nil {
		if !f.Refused(err, shell.Subject{Service: "slug", Input: "slug", Label: "The address"}, shell.Subject{Service: "description", Input: "description", Label: "The text"}, shell.Subject{Service: "reference", Input: "reference", Label: "The reference"},
			shell.Subject{Service: "amount", Input: "amount", Label: "The amount"}, shell.Subject{Service: "minAmount", Input: "min", Label: "The least amount"}, shell.Subject{Service: "maxAmount", Input: "max", Label: "The largest amount"}) {
			return err
		}
		return d.linksPage(c, v, fault.KindOf(err).Code(), f)
	}
	return d.cookies.Redirect(c, linksPath+"/"+l.Slug, "The link works now, as often as you like.")
}

// ownLink is the link of the address; another merchant's is unknown.
func (d *desk) ownLink(c echo.Context, v visitor) (campaign.Link, error) {
	l, err := d.d.Campaigns.Link(c.Request().Context(), c.Param("link"))
	if err == nil && !slices.Contains(v.ids(), l.KeyID) {
		err = campaign.ErrUnknownLink
	}
	return l, err
}

func (d *desk) getOwnLink(c echo.Context, v visitor) error {
	l, err := d.ownLink(c, v)
	if err != nil {
		return err
	}
	link, label := d.linkURL(l.Slug), "Pay with USDT or USDC"
	if l.Amount > 0 {
		label = "Pay $" + l.Amount.Display() + " with USDT or USDC"
	}
	p := dashboard.LinkProps{Frame: d.frame(c, v, "Payment link", linksPath), LinkRow: linkRow(l), Link: link, QR: d.presenter.QR(link)}
	if p.Button, err = d.button(c.Request().Context(), l.KeyID, link, label); err != nil {
		return err
	}
	return d.show(c, http.StatusOK, p.Frame, dashboard.Link(p))
}

func (d *desk) postLinkPause(c echo.Context, v visitor) error {
	return d.pauseLink(c, v, true, audit.ActionLinkPause, "The link is paused: whoever opens it is told that it is not in use.")
}

func (d *desk) postLinkResume(c echo.Context, v visitor) error {
	return d.pauseLink(c, v, false, audit.ActionLinkResume, "The link works again.")
}

func (d *desk) pauseLink(c echo.Context, v visitor, paused bool, as audit.Action, said string) error {
	slug := c.Param("link")
	if err := d.d.Campaigns.PauseLink(c.Request().Context(), v.ids(), slug, paused, d.auditEntry(c, v, as, slug, "")); err != nil {
		return err
	}
	return d.cookies.Redirect(c, linksPath+"/"+slug, said)
}
