package campaign

import (
	"strconv"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	campaignview "github.com/florinpay/florin/views/campaign"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// campaignForm returns the form of a campaign; present is its state now, zero for
// a new one, which begins with the currency of the key. Days are those of the zone.
func campaignForm(
	f *shell.Form, present campaign.Campaign, key merchant.Key, choice panel.KeyChoice, zone *time.Location,
) campaignview.Form {
	goal, suggested := plainAmount(present.Goal), []string(nil)
	for _, m := range present.Suggested {
		suggested = append(suggested, m.String())
	}
	in := f.Locale.T("US dollars")
	if x := present.Prices; !x.None() {
		goal, in = x.Text(x.Goal), string(x.Currency)
		for _, units := range x.Suggested {
			suggested = append(suggested, x.Text(units))
		}
	}
	goalLabel := f.Locale.T("Goal in {{.Currency}} (optional)", "Currency", in)
	most := strconv.Itoa(campaign.MaxSuggested)
	suggestedHint := f.Locale.T("Up to {{.Most}} amounts in {{.Currency}}, with spaces between them.", "Most", most, "Currency", in)
	form := campaignview.Form{Key: choice, New: present.Slug == "", AtOnce: present.ShowAtOnce}
	if _, posted := f.Values["title"]; posted {
		form.AtOnce = f.Values.Get("atOnce") != ""
	}
	form.Title = f.Field(panel.Field{Setting: true, Name: "title", Label: "Title", Required: true, Max: strconv.Itoa(campaign.MaxTitle), Value: present.Title, Placeholder: "A new roof for the shelter"})
	form.Story = f.Field(panel.Field{
		Setting: true, Name: "description", Label: "What it is for (optional)",
		Max: strconv.Itoa(campaign.MaxDescription), Value: present.Description,
		Hint: "Plain text; an empty line begins a paragraph.",
	})
	if present.Slug == "" {
		form.Fields = append(form.Fields, f.Field(panel.Field{
			Name: "slug", Label: "Address (optional)", Max: strconv.Itoa(campaign.MaxSlug), Mono: true, Placeholder: "winter-shelter",
			Hint: "The last part of the page's address; it cannot be changed later. If you leave it empty, Florin makes it from the title.",
		}), f.Field(session.CurrencyField(key, panel.Field{
			Label: "Currency of goal and amounts",
			Hint: "US dollars if you leave it empty; it cannot be changed later. In another one, each donation takes the rate of " +
				"its time, and the page shows both.",
		})))
		goalLabel = "Goal (optional)"
		suggestedHint = f.Locale.T("Up to {{.Most}} amounts, with spaces between them.", "Most", most)
	}
	form.Fields = append(form.Fields,
		f.Field(panel.Field{
			Setting: true, Name: "goal", Label: goalLabel, Mode: "decimal", Max: "24",
			Value: goal, Placeholder: "5000",
		}),
		f.Field(panel.Field{
			Setting: true, Name: "suggested", Label: "Suggested amounts (optional)", Max: "120",
			Value: strings.Join(suggested, " "), Placeholder: "5 25 100", Hint: suggestedHint,
		}),
		f.Field(panel.Field{
			Setting: true, Name: "ends", Label: "Last day (optional)", Type: "date",
			Value: lastDay(present.EndsAt, zone), Hint: "Donations can be started until the end of this day.",
		}),
	)
	return form
}

// storedCampaign is what the form of a campaign that exists holds; none is a form that nobody filled in.
func storedCampaign(none *shell.Form, who session.Principal, c campaign.Campaign) []panel.Field {
	form := campaignForm(none, c, merchant.Key{}, panel.KeyChoice{}, who.Zone())
	box := panel.Field{Name: "atOnce", Label: "Show names and messages at once", Type: "checkbox"}
	if c.ShowAtOnce {
		box.Value = "1"
	}
	key := panel.Field{Name: "key", Label: "API key", Type: "select", Value: keyOf(who, c)}
	return append([]panel.Field{key, box, form.Title, form.Story}, form.Fields...)
}

// keyOf is the public id of the key that a campaign pays to; empty if the key was revoked.
func keyOf(who session.Principal, c campaign.Campaign) string {
	for _, k := range who.Keys {
		if k.ID == c.KeyID {
			return k.PublicID
		}
	}
	return ""
}

// plainAmount writes an amount for an input; empty for none.
func plainAmount(m money.Micros) string {
	if m <= 0 {
		return ""
	}
	return m.String()
}

// lastDay is the day of the zone on which something ends at a time.
func lastDay(ends time.Time, zone *time.Location) string {
	if ends.IsZero() {
		return ""
	}
	return ends.In(zone).Add(-time.Nanosecond).Format(session.DayFormat)
}

// draftOf reads a campaign's form. An unchanged last day keeps the
// exact end.
func draftOf(f *shell.Form, present campaign.Campaign, zone *time.Location) campaign.Draft {
	in := campaign.Draft{
		Slug: f.Text("slug"), Title: f.Values.Get("title"), Description: f.Values.Get("description"),
		Goal:       f.Amount("goal"),
		Suggested:  f.Amounts("suggested"),
		Currency:   strings.ToUpper(f.Text("currency")),
		ShowAtOnce: f.Values.Get("atOnce") != "",
	}
	if strings.TrimSpace(in.Title) == "" {
		// Without a title the address is missing too, and the service would name that.
		f.Bad("title", "The title is required.")
	}
	if in.Slug == "" {
		in.Slug = campaign.Slug(in.Title)
	}
	switch day := f.Text("ends"); day {
	case "":
	case lastDay(present.EndsAt, zone):
		in.EndsAt = present.EndsAt
	default:
		at, err := time.ParseInLocation(session.DayFormat, day, zone)
		if err != nil {
			f.Bad("ends", "The last day must be a date such as 2027-01-31.")
		}
		in.EndsAt = at.AddDate(0, 0, 1)
	}
	return in
}

// campaignSubjects map the fields a refusal can name to inputs.
var campaignSubjects = []shell.Subject{
	{Service: "campaignId", Input: "slug", Label: "The address"},
	{Service: "title", Input: "title", Label: "The title"},
	{Service: "description", Input: "description", Label: "The text"},
	{Service: "goalAmount", Input: "goal", Label: "The goal"},
	{Service: "suggestedAmounts", Input: "suggested", Label: "The suggested amounts"},
	{Service: "price.currency", Input: "currency", Label: "The currency"},
	{Service: "endsAt", Input: "ends", Label: "The end"},
}
