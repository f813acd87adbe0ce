package campaign

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
	campaignview "github.com/florinpay/florin/views/campaign"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/checkout"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const linksPath = "/dashboard/links"

// linkURL is the public address of a payment link.
func (d *Surface) linkURL(slug string) string { return d.Shell.CheckoutURL + "/link/" + slug }

func (d *Surface) getLinks(c echo.Context, who session.Principal) error {
	return d.linksPage(c, who, http.StatusOK, shell.NewForm(url.Values{"key": {c.QueryParam("key")}}))
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
		p.Rows = append(p.Rows, linkRow(l))
	}
	p.Fields = []panel.Field{
		f.Field(panel.Field{
			Name: "slug", Label: "Address", Required: true, Mono: true, Max: strconv.Itoa(campaign.MaxSlug), Placeholder: "coffee-500g",
			Hint: "The last part of the link; it cannot be changed later.",
		}),
		f.Field(
			panel.Field{
				Name: "description", Label: "What it is for (optional)", Hint: "Your customer sees it.",
				Max: strconv.Itoa(payment.MaxDescription),
			},
		),
		f.Field(panel.Field{Name: "amount", Label: "Amount (optional)", Mode: "decimal", Max: "24", Placeholder: "12.50", Hint: "If you leave it empty, your customer enters the amount."}),
		f.Field(session.CurrencyField(key, panel.Field{
			Label: "Currency of the amount",
			Hint:  "US dollars if you leave it empty. In another one, each payment takes the rate of its time.",
		})),
		f.Field(panel.Field{
			Name: "reference", Label: "Reference (optional)", Max: strconv.Itoa(payment.MaxReference),
			Hint: "Every payment of this link carries it, so you can search for all of them. If you leave it empty, it is the last part of the link.",
		}),
	}
	p.More = []panel.Field{
		f.Field(panel.Field{Name: "min", Label: "Least amount, in US dollars", Mode: "decimal", Max: "24"}),
		f.Field(panel.Field{Name: "max", Label: "Largest amount, in US dollars", Mode: "decimal", Max: "24"}),
	}
	for _, x := range p.More {
		p.Open = p.Open || x.Value != "" || x.Problem != ""
	}
	return d.Show(c, status, p.Frame, campaignview.Links(p))
}

func linkRow(l campaign.Link) campaignview.LinkRow {
	return campaignview.LinkRow{
		Slug: l.Slug, Description: l.Description, Reference: l.Reference, Amount: checkout.Positive(
			l.Amount,
		), Min: checkout.Positive(l.Min), Max: checkout.Positive(l.Max),
		Price:  checkout.Sum(l.Price),
		Paused: l.Paused, KeyGone: l.KeyRevoked, CreatedAt: l.CreatedAt,
	}
}

func (d *Surface) postLinkNew(c echo.Context, who session.Principal) error {
	f, err := session.ReadForm(c)
	if err != nil {
		return err
	}
	key, err := who.Key(f.Text("key"))
	if err != nil {
		return err
	}
	in := campaign.LinkDraft{
		Slug: f.Text("slug"), Description: f.Text("description"), Reference: f.Text("reference"),
		Amount: f.Amount("amount"), Min: f.Amount("min"), Max: f.Amount("max"),
		Currency: strings.ToUpper(f.Text("currency")),
	}
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

// ownLink returns the link in the path; another merchant's is unknown.
func (d *Surface) ownLink(c echo.Context, who session.Principal) (campaign.Link, error) {
	l, err := d.Campaigns.Link(c.Request().Context(), c.Param("link"))
	if err == nil && !slices.Contains(who.KeyIDs(), l.KeyID) {
		err = campaign.ErrUnknownLink
	}
	return l, err
}

func (d *Surface) getLink(c echo.Context, who session.Principal) error {
	l, err := d.ownLink(c, who)
	if err != nil {
		return err
	}
	link, label := d.linkURL(l.Slug), "Pay with USDT or USDC"
	if l.Amount > 0 {
		label = "Pay $" + l.Amount.Display() + " with USDT or USDC"
	} else if l.Price.Units > 0 {
		label = "Pay " + l.Price.Amount() + " " + string(l.Price.Currency) + " with USDT or USDC"
	}
	p := campaignview.LinkProps{
		Frame: d.Frame(c, who, "Payment link", linksPath), LinkRow: linkRow(l), Link: link, QR: d.Presenter.QR(link),
	}
	if p.Button, err = d.button(c.Request().Context(), l.KeyID, link, label); err != nil {
		return err
	}
	return d.Show(c, http.StatusOK, p.Frame, campaignview.Link(p))
}

func (d *Surface) postLinkPause(c echo.Context, who session.Principal) error {
	return d.pauseLink(c, who, true, "The link is paused. People who open it read that it is not in use.")
}

func (d *Surface) postLinkResume(c echo.Context, who session.Principal) error {
	return d.pauseLink(c, who, false, "The link works again.")
}

func (d *Surface) pauseLink(c echo.Context, who session.Principal, paused bool, said string) error {
	slug := c.Param("link")
	if err := d.Campaigns.PauseLink(
		c.Request().Context(), who.KeyIDs(), slug, paused, d.Act(c, who),
	); err != nil {
		return err
	}
	return d.Cookies.Redirect(c, linksPath+"/"+slug, said)
}
