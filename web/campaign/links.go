package campaign

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	campaignview "github.com/florinpay/florin/views/campaign"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/present"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const linksPath = "/dashboard/links"

// linkURL is the public address of a payment link.
func (d *Surface) linkURL(slug string) string { return d.Shell.CheckoutURL + "/link/" + slug }

func (d *Surface) getLinks(c echo.Context, who session.Principal) error {
	f := shell.EmptyForm(c)
	f.Values.Set("key", c.QueryParam("key"))
	return d.linksPage(c, who, http.StatusOK, f)
}

func (d *Surface) linksPage(c echo.Context, who session.Principal, status int, f *shell.Form) error {
	ok, choice, err := d.PayableChoice(c.Request().Context(), who, linksPath, f.Text("key"))
	if err != nil {
		return err
	}
	key, _, err := who.ChosenKey(choice.Current)
	if err != nil {
		return err
	}
	list, err := d.Campaigns.Links(c.Request().Context(), who.KeyIDs())
	if err != nil {
		return err
	}
	p := campaignview.LinksProps{
		Frame: d.Frame(c, who, "Payment links", linksPath), Problem: f.Problem, HasKey: ok, Key: choice,
	}
	if p.Reauth, err = d.GateFieldIfAsked(c, who, f); err != nil {
		return err
	}
	for _, l := range list {
		p.Rows = append(p.Rows, linkRow(c.Request().Context(), l))
	}
	p.Fields = append([]panel.Field{f.Field(panel.Field{
		Name: "slug", Label: "Address", Required: true, Mono: true, Max: strconv.Itoa(campaign.MaxSlug), Placeholder: "coffee-500g",
		Hint: "The last part of the link; it cannot be changed later.",
	})}, linkFields(f, campaign.Link{Price: exchange.Sum{Currency: key.Currency}}, false)...)
	p.More = linkBounds(f, campaign.Link{}, false)
	for _, x := range p.More {
		p.Open = p.Open || x.Value != "" || x.Problem != ""
	}
	return d.Show(c, status, p.Frame, campaignview.Links(p))
}

// linkFields are the inputs of what a link asks for and says; stored: those of a link that there is.
func linkFields(f *shell.Form, l campaign.Link, stored bool) []panel.Field {
	amount := present.Positive(l.Amount)
	if l.Price.Units > 0 {
		amount = l.Price.Amount()
	}
	return []panel.Field{
		f.Field(panel.Field{
			Setting: stored, Name: "description", Label: "What it is for (optional)", Hint: "Your customer sees it.",
			Value: l.Description, Max: strconv.Itoa(payment.MaxDescription),
		}),
		f.Field(panel.Field{
			Setting: stored, Name: "amount", Label: "Amount (optional)", Mode: "decimal", Max: "24",
			Placeholder: "12.50", Value: amount, Hint: "If you leave it empty, your customer enters the amount.",
		}),
		f.Field(session.CurrencyField(merchant.Key{Currency: l.Price.Currency}, panel.Field{
			Setting: stored, Label: "Currency of the amount",
			Hint: "US dollars if you leave it empty. In another one, each payment takes the rate of its time.",
		})),
		f.Field(panel.Field{
			Setting: stored, Name: "reference", Label: "Reference (optional)", Max: strconv.Itoa(payment.MaxReference),
			Value: l.Reference,
			Hint:  "Every payment of this link carries it, so you can search for all of them. If you leave it empty, it is the last part of the link.",
		}),
	}
}

// linkBounds are the inputs of the bounds of an amount that the payer chooses.
func linkBounds(f *shell.Form, l campaign.Link, stored bool) []panel.Field {
	bound := func(name, label string, m money.Micros) panel.Field {
		return f.Field(panel.Field{
			Setting: stored, Name: name, Label: label, Value: present.Positive(m), Mode: "decimal", Max: "24",
		})
	}
	return []panel.Field{
		bound("min", "Least amount, in US dollars", l.Min), bound("max", "Largest amount, in US dollars", l.Max),
	}
}

// linkDraft reads the form of a link.
func linkDraft(f *shell.Form) campaign.LinkDraft {
	return campaign.LinkDraft{
		Slug: f.Text("slug"), Description: f.Text("description"), Reference: f.Text("reference"),
		Amount: f.Amount("amount"), Min: f.Amount("min"), Max: f.Amount("max"),
		Currency: strings.ToUpper(f.Text("currency")),
	}
}

func linkRow(ctx context.Context, l campaign.Link) campaignview.LinkRow {
	return campaignview.LinkRow{
		Slug: l.Slug, Description: l.Description, Reference: l.Reference, Amount: present.Positive(l.Amount),
		Min: present.Positive(l.Min), Max: present.Positive(l.Max), Price: present.Sum(l.Price),
		Paused: l.Paused, KeyGone: l.KeyRevoked, CreatedAt: l.CreatedAt, Paid: l.Paid,
		Sum: views.LocaleOf(ctx).Price(l.Sum.Display(), "USD"),
	}
}

func (d *Surface) postLinkNew(c echo.Context, who session.Principal, f *shell.Form) error {
	key, err := who.Key(f.Text("key"))
	if err != nil {
		return err
	}
	in := linkDraft(f)
	if err := d.GateShown(c, who, f); err != nil {
		if !session.ReauthRefused(f, err) {
			return err
		}
		_, wrong := campaign.NewLink(in, key.ID, d.Shell.Now())
		f.Refused(wrong, linkSubjects...)
		return d.linksPage(c, who, session.ReauthStatus(err), f)
	}
	if !f.OK() {
		return d.linksPage(c, who, f.Status(), f)
	}
	l, err := d.Campaigns.CreateLink(c.Request().Context(), key.ID, in, d.Act(c, who))
	if err != nil {
		if !f.Refused(err, linkSubjects...) {
			return err
		}
		return d.linksPage(c, who, fault.KindOf(err).Code(), f)
	}
	return d.Cookies.Redirect(c, linksPath+"/"+l.Slug, "The link works now, as often as you like.")
}

// linkSubjects map the fields that a refusal can name to inputs.
var linkSubjects = []shell.Subject{
	{Service: "slug", Input: "slug", Label: "The address"},
	{Service: "description", Input: "description", Label: "The text"},
	{Service: "reference", Input: "reference", Label: "The reference"},
	{Service: "amount", Input: "amount", Label: "The amount"},
	{Service: "price.amount", Input: "amount", Label: "The amount"},
	{Service: "price.currency", Input: "currency", Label: "The currency"},
	{Service: "minAmount", Input: "min", Label: "The least amount"},
	{Service: "maxAmount", Input: "max", Label: "The largest amount"},
}

// ownLink returns the link in the path with what it has brought in; another merchant's is unknown.
func (d *Surface) ownLink(c echo.Context, who session.Principal) (campaign.Link, error) {
	list, err := d.Campaigns.Links(c.Request().Context(), who.KeyIDs())
	if err != nil {
		return campaign.Link{}, err
	}
	i := slices.IndexFunc(list, func(l campaign.Link) bool { return l.Slug == c.Param("link") })
	if i < 0 {
		return campaign.Link{}, campaign.ErrUnknownLink
	}
	return list[i], nil
}

func (d *Surface) getLink(c echo.Context, who session.Principal) error {
	return d.linkPage(c, who, http.StatusOK, shell.EmptyForm(c))
}

func (d *Surface) linkPage(c echo.Context, who session.Principal, status int, f *shell.Form) error {
	l, err := d.ownLink(c, who)
	if err != nil {
		return err
	}
	ctx, link := c.Request().Context(), d.linkURL(l.Slug)
	row, label := linkRow(ctx, l), views.T(ctx, "Pay with USDT or USDC")
	if amount := row.FixedText(ctx); amount != "" {
		label = views.T(ctx, "Pay {{.Amount}} with USDT or USDC", "Amount", amount)
	}
	p := campaignview.LinkProps{
		Frame: d.Frame(c, who, "Payment link", linksPath), LinkRow: row, Link: link, QR: d.Presenter.QR(link),
		Problem: f.Problem, Fields: append(linkFields(f, l, true), linkBounds(f, l, true)...), Editing: f.Posted != "",
	}
	if p.Reauth, err = d.GateFieldIfAsked(c, who, f); err != nil {
		return err
	}
	if p.Button, err = d.button(ctx, l.KeyID, link, label); err != nil {
		return err
	}
	return d.Show(c, status, p.Frame, campaignview.Link(p))
}

// postLinkEdit changes what a link asks for. Another text, which payers read, needs a re-authentication.
func (d *Surface) postLinkEdit(c echo.Context, who session.Principal) error {
	l, err := d.ownLink(c, who)
	if err != nil {
		return err
	}
	f, err := session.ReadForm(c)
	if err != nil {
		return err
	}
	none := shell.EmptyForm(c)
	if err := d.Since(c, who, f, func(e audit.Entry) bool {
		return e.Action == audit.ActionLink && e.Subject == l.Slug
	}, append(linkFields(none, l, true), linkBounds(none, l, true)...)...); err != nil {
		return err
	}
	in := linkDraft(f)
	edited, wrong := l.Edit(in)
	f.Refused(wrong, linkSubjects...)
	status := f.Status()
	if edited.Description != l.Description {
		if status, err = d.gateText(c, who, f); err != nil {
			return err
		}
	}
	if !f.OK() {
		return d.linkPage(c, who, status, f)
	}
	if err := d.Campaigns.EditLink(c.Request().Context(), who.KeyIDs(), l.Slug, in, d.Act(c, who)); err != nil {
		if !f.Refused(err, linkSubjects...) {
			return err
		}
		return d.linkPage(c, who, fault.KindOf(err).Code(), f)
	}
	return d.Cookies.Redirect(c, linksPath+"/"+l.Slug, "The link is changed. Payments that were made with it before stay as they are.")
}

// gateText is the gate of a text that payers read at a link in use. It returns the status of a page that shows the form
// again.
func (d *Surface) gateText(c echo.Context, who session.Principal, f *shell.Form) (int, error) {
	locked, err := d.Locked(c, who)
	if err != nil {
		return 0, err
	}
	if locked {
		f.Bad("description", "Your account is locked, so the text of a link in use stays. Pause it, and make a new one.")
	}
	err = d.GateShown(c, who, f)
	switch {
	case err == nil:
		return f.Status(), nil
	case session.ReauthRefused(f, err):
		return session.ReauthStatus(err), nil
	}
	return 0, err
}

func (d *Surface) postLinkPause(c echo.Context, who session.Principal) error {
	return d.pauseLink(c, who, true, "The link is paused. People who open it read that it is not in use.")
}

func (d *Surface) postLinkResume(c echo.Context, who session.Principal) error {
	return d.pauseLink(c, who, false, "The link works again.")
}

func (d *Surface) pauseLink(c echo.Context, who session.Principal, paused bool, said string) error {
	slug := c.Param("link")
	if err := d.Campaigns.PauseLink(c.Request().Context(), who.KeyIDs(), slug, paused, d.Act(c, who)); err != nil {
		return err
	}
	return d.Cookies.Redirect(c, linksPath+"/"+slug, said)
}
