package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/checkout"
	"github.com/florinpay/florin/web/shell"
)

// Campaigning is what the dashboard asks of campaigns and payment links.
type Campaigning interface {
	Create(ctx context.Context, keyID int64, in campaign.Draft, trail ...audit.Entry) (campaign.Campaign, error)
	Edit(ctx context.Context, keys []int64, slug string, keyID int64, in campaign.Draft, trail ...audit.Entry) (campaign.Campaign, error)
	Pause(ctx context.Context, keys []int64, slug string, trail ...audit.Entry) (campaign.Campaign, error)
	Resume(ctx context.Context, keys []int64, slug string, trail ...audit.Entry) (campaign.Campaign, error)
	End(ctx context.Context, keys []int64, slug string, trail ...audit.Entry) (campaign.Campaign, error)
	List(ctx context.Context, keys []int64) ([]campaign.Summary, error)
	Donations(ctx context.Context, q campaign.DonationQuery) ([]campaign.Donation, int64, error)
	Review(ctx context.Context, c campaign.Campaign, donation int64, r campaign.Review, trail ...audit.Entry) error
	CreateLink(ctx context.Context, keyID int64, in campaign.LinkDraft, trail ...audit.Entry) (campaign.Link, error)
	Links(ctx context.Context, keys []int64) ([]campaign.Link, error)
	PauseLink(ctx context.Context, keys []int64, slug string, paused bool, trail ...audit.Entry) error
}

var _ Campaigning = (*campaign.Service)(nil)

const campaignsPath = "/dashboard/campaigns"

func (d *desk) getCampaigns(c echo.Context, v visitor) error {
	return d.campaignsPage(c, v, http.StatusOK, shell.NewForm(url.Values{"key": {c.QueryParam("key")}}))
}

func (d *desk) campaignsPage(c echo.Context, v visitor, status int, f *shell.Form) error {
	_, ok, choice, err := d.chosenKey(v, campaignsPath, f.Text("key"))
	if err != nil {
		return err
	}
	list, err := d.d.Campaigns.List(c.Request().Context(), v.ids())
	if err != nil {
		return err
	}
	p := dashboard.CampaignsProps{Frame: d.frame(c, v, "Campaigns", campaignsPath), Problem: f.Problem, HasKey: ok, Form: campaignForm(f, campaign.Campaign{}, choice)}
	for _, s := range list {
		p.Rows = append(p.Rows, dashboard.CampaignRow{
			Slug: s.Slug, Title: s.Title, State: string(s.At(d.d.Now())), Raised: s.Raised.Display(), Goal: checkout.Positive(s.Goal), Donors: s.Donors, Waiting: s.Waiting,
		})
	}
	return d.show(c, status, p.Frame, dashboard.Campaigns(p))
}

// campaignForm asks what a campaign says; present is what it says now, zero
// for a new one.
func campaignForm(f *shell.Form, present campaign.Campaign, choice panel.KeyChoice) dashboard.CampaignForm {
	var suggested []string
	for _, m := range present.Suggested {
		suggested = append(suggested, m.String())
	}
	form := dashboard.CampaignForm{Key: choice, AtOnce: present.ShowAtOnce}
	if _, posted := f.Values["title"]; posted {
		form.AtOnce = f.Values.Get("atOnce") != ""
	}
	form.Title = f.Field(panel.Field{Name: "title", Label: "Title", Required: true, Max: strconv.Itoa(campaign.MaxTitle), Value: present.Title, Placeholder: "A new roof for the shelter"})
	form.Story = f.Field(panel.Field{
		Name: "description", Label: "What it is for (optional)", Max: strconv.Itoa(campaign.MaxDescription), Value: present.Description,
		Hint: "Plain text; an empty line begins a paragraph.",
	})
	if present.Slug == "" {
		form.Fields = append(form.Fields, f.Field(panel.Field{
			Name: "slug", Label: "Address (optional)", Max: strconv.Itoa(campaign.MaxSlug), Mono: true, Placeholder: "winter-shelter",
			Hint: "The last part of the page's address; it cannot be changed later. Left empty, it is made of the title.",
		}))
	}
	form.Fields = append(form.Fields,
		f.Field(panel.Field{Name: "goal", Label: "Goal in US dollars (optional)", Mode: "decimal", Max: "24", Value: plainAmount(present.Goal), Placeholder: "5000"}),
		f.Field(panel.Field{
			Name: "suggested", Label: "Suggested amounts (optional)", Max: "120", Value: strings.Join(suggested, " "), Placeholder: "5 25 100",
			Hint: "Up to " + strconv.Itoa(campaign.MaxSuggested) + " amounts in US dollars, with spaces between them.",
		}),
		f.Field(panel.Field{Name: "ends", Label: "Last day (optional)", Type: "date", Value: lastDay(present.EndsAt), Hint: "Donations can be started until midnight UTC at the end of it."}),
	)
	return form
}

// plainAmount is an amount as it is typed; empty for none.
func plainAmount(m money.Micros) string {
	if m <= 0 {
		return ""
	}
	return m.String()
}

// lastDay is the day, in UTC, on which something ends at a time.
func lastDay(ends time.Time) string {
	if ends.IsZero() {
		return ""
	}
	return ends.UTC().Add(-time.Nanosecond).Format(dayFormat)
}

// draftOf reads a campaign's form. A last day that was not touched keeps the
// end to the second.
func draftOf(f *shell.Form, present campaign.Campaign) campaign.Draft {
	in := campaign.Draft{
		Slug: f.Text("slug"), Title: f.Values.Get("title"), Description: f.Values.Get("description"), Goal: f.Text("goal"),
		Suggested:  strings.FieldsFunc(strings.ReplaceAll(f.Values.Get("suggested"), ", ", " "), func(r rune) bool { return r == ' ' || r == ';' || r == '\t' }),
		ShowAtOnce: f.Values.Get("atOnce") != "",
	}
	if strings.TrimSpace(in.Title) == "" {
		// Said here, because without a title the address is missing, too.
		f.Bad("title", "The title is required.")
	}
	if in.Slug == "" {
		in.Slug = campaign.Slug(in.Title)
	}
	switch day := f.Text("ends"); day {
	case "":
	case lastDay(present.EndsAt):
		in.EndsAt = present.EndsAt
	default:
		at, err := time.Parse(dayFormat, day)
		if err != nil {
			f.Bad("ends", "The last day must be a date such as 2027-01-31.")
		}
		in.EndsAt = at.AddDate(0, 0, 1)
	}
	return in
}

// campaignSubjects are the inputs a refusal of a campaign can be about.
var campaignSubjects = []shell.Subject{
	{Service: "campaignId", Input: "slug", Label: "The address"},
	{Service: "title", Input: "title", Label: "The title"},
	{Service: "description", Input: "description", Label: "The text"},
	{Service: "goalAmount", Input: "goal", Label: "The goal"},
	{Service: "suggestedAmounts", Input: "suggested", Label: "The suggested amounts"},
	{Service: "endsAt", Input: "ends", Label: "The end"},
}

func (d *desk) postCampaignNew(c echo.Context, v visitor) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	f := shell.NewForm(values)
	key, err := v.key(f.Text("key"))
	if err != nil {
		return err
	}
	in := draftOf(f, campaign.Campaign{})
	if !f.OK() {
		return d.campaignsPage(c, v, http.StatusBadRequest, f)
	}
	made, err := d.d.Campaigns.Create(c.Request().Context(), key.ID, in, d.auditEntry(c, v, audit.ActionCampaignNew, "", ""))
	if err != nil {
		if !f.Refused(err, campaignSubjects...) {
			return err
		}
		return d.campaignsPage(c, v, fault.KindOf(err).Code(), f)
	}
	return d.cookies.Redirect(c, campaignsPath+"/"+made.Slug, "The campaign takes donations now. Share its page.")
}

// ownCampaign is the campaign of the address; another merchant's is unknown.
func (d *desk) ownCampaign(c echo.Context, v visitor) (campaign.Campaign, campaign.Totals, error) {
	found, totals, err := d.d.Campaigns.Get(c.Request().Context(), c.Param("campaign"))
	if err == nil && !slices.Contains(v.ids(), found.KeyID) {
		err = campaign.ErrUnknown
	}
	return found, totals, err
}

func (d *desk) getCampaignEdit(c echo.Context, v visitor) error {
	return d.campaignEditPage(c, v, http.StatusOK, shell.NewForm(url.Values{}))
}

func (d *desk) campaignEditPage(c echo.Context, v visitor, status int, f *shell.Form) error {
	found, _, err := d.ownCampaign(c, v)
	if err != nil {
		return err
	}
	_, ok, choice, err := d.chosenKey(v, campaignsPath, f.Text("key"))
	if err != nil {
		return err
	}
	if f.Text("key") == "" {
		for _, k := range v.keys {
			if k.ID == found.KeyID {
				choice.Current = k.PublicID
			}
		}
	}
	p := dashboard.CampaignEditProps{
		Frame: d.frame(c, v, "Change a campaign", campaignsPath), Slug: found.Slug, Name: found.Title, Problem: f.Problem, HasKey: ok,
		KeyGone: found.KeyRevoked, Form: campaignForm(f, found, choice),
	}
	return d.show(c, status, p.Frame, dashboard.CampaignEdit(p))
}

func (d *desk) postCampaignEdit(c echo.Context, v visitor) error {
	found, _, err := d.ownCampaign(c, v)
	if err != nil {
		return err
	}
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	f := shell.NewForm(values)
	key, err := v.key(f.Text("key"))
	if err != nil {
		return err
	}
	in := draftOf(f, found)
	if !f.OK() {
		return d.campaignEditPage(c, v, http.StatusBadRequest, f)
	}
	changed, err := d.d.Campaigns.Edit(c.Request().Context(), v.ids(), found.Slug, key.ID, in, d.auditEntry(c, v, audit.ActionCampaign, "", ""))
	if err != nil {
		if !f.Refused(err, campaignSubjects...) {
			return err
		}
		return d.campaignEditPage(c, v, fault.KindOf(err).Code(), f)
	}
	return d.cookies.Redirect(c, campaignsPath+"/"+changed.Slug, "The campaign is changed.")
}
