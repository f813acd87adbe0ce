package campaign

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views"
	campaignview "github.com/florinpay/florin/views/campaign"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const campaignsPath = "/dashboard/campaigns"

func (d *Surface) getCampaigns(c echo.Context, who session.Principal) error {
	f := shell.EmptyForm(c)
	f.Values.Set("key", c.QueryParam("key"))
	return d.campaignsPage(c, who, http.StatusOK, f)
}

func (d *Surface) campaignsPage(c echo.Context, who session.Principal, status int, f *shell.Form) error {
	ok, choice, err := d.PayableChoice(c.Request().Context(), who, campaignsPath, f.Text("key"))
	if err != nil {
		return err
	}
	key, _, err := who.ChosenKey(choice.Current)
	if err != nil {
		return err
	}
	list, err := d.Campaigns.List(c.Request().Context(), who.KeyIDs())
	if err != nil {
		return err
	}
	p := campaignview.ListProps{
		Frame: d.Frame(c, who, "Campaigns", campaignsPath), Problem: f.Problem, HasKey: ok,
		Form: campaignForm(f, campaign.Campaign{}, key, choice, who.Zone()),
	}
	if p.Form.Reauth, err = d.GateFieldIfAsked(c, who, f); err != nil {
		return err
	}
	for _, s := range list {
		raised, goal, _ := figures(c.Request().Context(), s.Campaign, s.Totals)
		p.Rows = append(p.Rows, campaignview.Row{
			Slug: s.Slug, Title: s.Title, State: string(s.At(d.Shell.Now())), Raised: raised, Goal: goal,
			Donors: s.Donors, Waiting: s.Waiting,
		})
	}
	return d.Show(c, status, p.Frame, campaignview.List(p))
}

// figures are what a campaign has raised and its goal, in its currency, and what is raised in US dollars where that is
// another one.
func figures(ctx context.Context, c campaign.Campaign, t campaign.Totals) (raised, goal, dollars string) {
	l := views.LocaleOf(ctx)
	raised = l.Price(t.Raised.Display(), "USD")
	if c.Prices.None() {
		if c.Goal > 0 {
			goal = l.Price(c.Goal.Display(), "USD")
		}
		return raised, goal, ""
	}
	in := func(units int64) string {
		x := exchange.Sum{Currency: c.Prices.Currency, Units: units}
		return l.Price(x.Amount(), string(x.Currency))
	}
	if c.Prices.Goal > 0 {
		goal = in(c.Prices.Goal)
	}
	return in(t.Worth), goal, raised
}

func (d *Surface) postCampaignNew(c echo.Context, who session.Principal, f *shell.Form) error {
	key, err := who.Key(f.Text("key"))
	if err != nil {
		return err
	}
	in := draftOf(f, campaign.Campaign{}, who.Zone())
	if err := d.GateShown(c, who, f); err != nil {
		if !session.ReauthRefused(f, err) {
			return err
		}
		_, wrong := campaign.New(in, key.ID, d.Shell.Now())
		f.Refused(wrong, campaignSubjects...)
		return d.campaignsPage(c, who, session.ReauthStatus(err), f)
	}
	if !f.OK() {
		_, wrong := campaign.New(in, key.ID, d.Shell.Now())
		f.Refused(wrong, campaignSubjects...)
		return d.campaignsPage(c, who, http.StatusBadRequest, f)
	}
	made, err := d.Campaigns.Create(c.Request().Context(), key.ID, in, d.Act(c, who))
	if err != nil {
		if !f.Refused(err, campaignSubjects...) {
			return err
		}
		return d.campaignsPage(c, who, fault.KindOf(err).Code(), f)
	}
	return d.Cookies.Redirect(c, campaignsPath+"/"+made.Slug, "The campaign takes donations now. Share its page.")
}

// ownCampaign returns the campaign in the path, or campaign.ErrUnknown if it is another merchant's.
func (d *Surface) ownCampaign(c echo.Context, who session.Principal) (campaign.Campaign, campaign.Totals, error) {
	found, totals, err := d.Campaigns.Get(c.Request().Context(), c.Param("campaign"))
	if err == nil && !slices.Contains(who.KeyIDs(), found.KeyID) {
		err = campaign.ErrUnknown
	}
	return found, totals, err
}

func (d *Surface) getCampaignEdit(c echo.Context, who session.Principal) error {
	return d.campaignEditPage(c, who, http.StatusOK, shell.EmptyForm(c))
}

func (d *Surface) campaignEditPage(c echo.Context, who session.Principal, status int, f *shell.Form) error {
	found, _, err := d.ownCampaign(c, who)
	if err != nil {
		return err
	}
	_, ok, choice, err := who.KeyChoice(campaignsPath, f.Text("key"))
	if err != nil {
		return err
	}
	if f.Text("key") == "" {
		// A revoked key stays until an owner chooses another.
		if own := keyOf(who, found); own != "" || !who.Membership.Role.May(merchant.ActMoney) {
			choice.Current = own
		}
	}
	form := campaignForm(f, found, merchant.Key{}, choice, who.Zone())
	form.Stored = storedCampaign(shell.EmptyForm(c), who, found)
	form.Redirect = who.Membership.Role.May(merchant.ActMoney)
	form.KeyGone = !slices.ContainsFunc(who.Keys, func(k merchant.Key) bool { return k.ID == found.KeyID })
	if form.Reauth, err = d.GateField(c, who, f); err != nil {
		return err
	}
	form.Reauth.Required = false
	form.Reauth.Hint = "Only to change the title or the text, which donors read, or where the donations go."
	p := campaignview.EditProps{
		Frame: d.Frame(c, who, "Change a campaign", campaignsPath),
		Slug:  found.Slug, Name: found.Title, Problem: f.Problem, HasKey: ok, KeyGone: found.KeyRevoked, Form: form,
	}
	return d.Show(c, status, p.Frame, campaignview.Edit(p))
}

// redirection says where the money of a campaign goes with its key of before and with
// the next one, one line each.
func (d *Surface) redirection(
	ctx context.Context, who session.Principal, before int64, next merchant.Key,
) ([]string, error) {
	old := "none"
	for _, k := range who.AllKeys {
		if k.ID == before {
			old = session.KeyLabel(k)
		}
	}
	var custodians [2]merchant.Custodian
	for i, id := range []int64{before, next.ID} {
		var err error
		if custodians[i], err = d.Merchants.Custodian(ctx, id); err != nil && !errors.Is(err, merchant.ErrNoCustodian) {
			return nil, err
		}
	}
	return append([]string{merchant.Changed(mail.T("API key"), old, session.KeyLabel(next))},
		custodians[1].WalletChanges(custodians[0])...), nil
}

// editKey compares the form with the campaign as it is stored now, and returns the key that the form chooses.
func (d *Surface) editKey(
	c echo.Context, who session.Principal, f *shell.Form, found campaign.Campaign,
) (merchant.Key, error) {
	if err := d.Since(c, who, f, func(e audit.Entry) bool {
		return e.Action == audit.ActionCampaign && e.Subject == found.Slug
	}, storedCampaign(shell.EmptyForm(c), who, found)...); err != nil {
		return merchant.Key{}, err
	}
	if text := f.Text("key"); text != "" {
		return who.Key(text)
	}
	return merchant.Key{ID: found.KeyID}, nil
}

func (d *Surface) postCampaignEdit(c echo.Context, who session.Principal) error {
	found, _, err := d.ownCampaign(c, who)
	if err != nil {
		return err
	}
	f, err := session.ReadForm(c)
	if err != nil {
		return err
	}
	key, err := d.editKey(c, who, f, found)
	if err != nil {
		return err
	}
	in := draftOf(f, found, who.Zone())
	in.AsOf = found.UpdatedAt
	edited, wrong := found.Edit(in, key.ID, d.Shell.Now())
	f.Refused(wrong, campaignSubjects...)
	shown, moved := []string(nil), key.ID != found.KeyID
	if wrong == nil {
		shown = edited.Shown(found)
	}
	status := f.Status()
	switch {
	case moved:
		err = d.Gate(c, who, f, session.Recently)
	case len(shown) > 0:
		err = d.GateShown(c, who, f)
	}
	if err != nil {
		if !session.ReauthRefused(f, err) {
			return err
		}
		status = session.ReauthStatus(err)
	}
	if !f.OK() {
		return d.campaignEditPage(c, who, status, f)
	}
	changes := shown
	if moved {
		lines, err := d.redirection(c.Request().Context(), who, found.KeyID, key)
		if err != nil {
			return err
		}
		changes = slices.Concat(lines, shown)
	}
	return d.editCampaign(c, who, f, found, in, campaign.Redirection{
		KeyID: key.ID, KeyName: session.KeyLabel(key), Moved: moved, Changes: changes,
	})
}

// editCampaign changes a campaign. On a locked account its key and texts change after 24 hours, unless an owner stops
// it, and the rest at once.
func (d *Surface) editCampaign(
	c echo.Context, who session.Principal, f *shell.Form, found campaign.Campaign, in campaign.Draft,
	to campaign.Redirection,
) error {
	ctx, said := c.Request().Context(), "The campaign is changed."
	locked, err := d.Locked(c, who)
	if err != nil {
		return err
	}
	if locked && len(to.Changes) > 0 {
		w := merchant.Waiting{Kind: merchant.WaitingCampaign, Subject: found.Slug, Changes: to.Changes}
		if to.Moved {
			w.KeyID = to.KeyID
		}
		edited, err := found.Edit(in, found.KeyID, d.Shell.Now())
		if err == nil {
			err = d.Wait(c, who, w, merchant.NewSettings{Title: &edited.Title, Text: &edited.Description}, found.Title)
		}
		if err != nil {
			return d.editRefused(c, who, f, err)
		}
		to = campaign.Redirection{KeyID: found.KeyID}
		in.Title, in.Description = found.Title, found.Description
		said = "The campaign is changed. Your account is locked: its key and its texts change in 24 hours, unless an owner stops it."
	}
	changed, err := d.Campaigns.Edit(ctx, who.KeyIDs(), found.Slug, to, in, d.Act(c, who))
	if err != nil {
		return d.editRefused(c, who, f, err)
	}
	return d.Cookies.Redirect(c, campaignsPath+"/"+changed.Slug, said)
}

func (d *Surface) editRefused(c echo.Context, who session.Principal, f *shell.Form, err error) error {
	if !f.Refused(err, campaignSubjects...) {
		return err
	}
	return d.campaignEditPage(c, who, fault.KindOf(err).Code(), f)
}
