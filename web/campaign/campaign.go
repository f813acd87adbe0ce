package campaign

import (
	"context"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/views"
	campaignview "github.com/florinpay/florin/views/campaign"
	"github.com/florinpay/florin/views/donate"
	"github.com/florinpay/florin/web/session"
)

// giftsPage is how many donations the dashboard shows at once.
const giftsPage = 50

// getCampaign shows one campaign: what came in, what donors wrote, and how to
// spread it.
func (d *Surface) getCampaign(c echo.Context, who session.Principal) error {
	found, totals, err := d.ownCampaign(c, who)
	if err != nil {
		return err
	}
	q := campaign.DonationQuery{Campaign: found.Number, Limit: giftsPage}
	if c.QueryParam("show") == "waiting" {
		q.Review = campaign.Waiting
	}
	if text := c.QueryParam("before"); text != "" {
		if q.Before, err = strconv.ParseInt(text, 10, 64); err != nil || q.Before < 1 {
			return fault.New(fault.Invalid, "before must be the number of a donation")
		}
	}
	list, next, err := d.Campaigns.Donations(c.Request().Context(), q)
	if err != nil {
		return err
	}
	link, now := d.Operations.DonateLink(found.Slug), d.Shell.Now()
	p := campaignview.Props{
		Frame: d.Frame(c, who, found.Title, campaignsPath),
		Slug:  found.Slug, Name: found.Title, State: string(found.At(now)), KeyGone: found.KeyRevoked,
		Percent: found.Percent(totals), Donors: totals.Donors, Waiting: totals.Waiting,
		EndsAt: found.EndsAt, AtOnce: found.ShowAtOnce, OnlyWaiting: q.Review != "", Paged: q.Before > 0,
		Link: link, QR: d.Presenter.QR(link), Embed: donate.EmbedHTML(link, found.Title),
	}
	p.Raised, p.Goal, p.Dollars = figures(c.Request().Context(), found, totals)
	if p.Button, err = d.button(c.Request().Context(), found.KeyID, link, p.T("Donate")); err != nil {
		return err
	}
	for _, g := range list {
		p.Rows = append(p.Rows, d.giftRow(found, g))
	}
	if next > 0 {
		p.NextURL = p.Path() + "?before=" + strconv.FormatInt(next, 10)
		if p.OnlyWaiting {
			p.NextURL += "&show=waiting"
		}
	}
	return d.Show(c, http.StatusOK, p.Frame, campaignview.Page(p))
}

func (d *Surface) giftRow(found campaign.Campaign, g campaign.Donation) campaignview.GiftRow {
	row := campaignview.GiftRow{
		Number: strconv.FormatInt(g.Number, 10), TxnID: string(g.PaymentID),
		Name: g.Name, Message: g.Message, Review: string(g.Review),
		Amount: g.Received.Display(), Token: string(g.Token),
		At: g.At, Proven: g.Received > 0, TxURL: d.Presenter.TxURL(g.Network, g.Hash),
	}
	shown := g.Public(found)
	row.Shown = shown.Name != "" || shown.Message != ""
	return row
}

// changeState pauses, resumes or ends a campaign.
type changeState func(ctx context.Context, keys []int64, slug string, act audit.Act) (campaign.Campaign, error)

// campaignAct changes the state of the campaign in the address.
func (d *Surface) campaignAct(
	c echo.Context, who session.Principal, act changeState, said string,
) error {
	changed, err := act(c.Request().Context(), who.KeyIDs(), c.Param("campaign"), d.Act(c, who))
	if err != nil {
		return err
	}
	return d.Cookies.Redirect(c, campaignsPath+"/"+changed.Slug, said)
}

func (d *Surface) postCampaignPause(c echo.Context, who session.Principal) error {
	return d.campaignAct(c, who, d.Campaigns.Pause, "The campaign is paused. Payments that were started can still complete, and count.")
}

func (d *Surface) postCampaignResume(c echo.Context, who session.Principal) error {
	return d.campaignAct(c, who, d.Campaigns.Resume, "The campaign takes donations again.")
}

func (d *Surface) postCampaignEnd(c echo.Context, who session.Principal) error {
	return d.campaignAct(c, who, d.Campaigns.End, "The campaign has ended. Its page stays, with what was raised.")
}

// postReview approves or hides what donors wrote, several at once. Each review is
// a transaction of its own; repeating one changes nothing.
func (d *Surface) postReview(c echo.Context, who session.Principal) error {
	found, _, err := d.ownCampaign(c, who)
	if err != nil {
		return err
	}
	f, err := session.ReadForm(c)
	if err != nil {
		return err
	}
	review, err := campaign.ParseReview(f.Values.Get("review"))
	if err != nil {
		return err
	}
	chosen := f.Values["donation"]
	if len(chosen) > campaign.MaxPage {
		return fault.New(fault.Invalid, "at most %d donations can be reviewed at once", campaign.MaxPage)
	}
	numbers := make([]int64, len(chosen))
	for i, text := range chosen {
		if numbers[i], err = strconv.ParseInt(text, 10, 64); err != nil {
			return campaign.ErrUnknownGift
		}
	}
	back := campaignsPath + "/" + found.Slug
	if f.Values.Get("show") == "waiting" {
		back += "?show=waiting"
	}
	if len(numbers) == 0 {
		return d.Cookies.Redirect(c, back, "Nothing was selected. Tick the donations first.")
	}
	for _, n := range numbers {
		if err := d.Campaigns.Review(c.Request().Context(), found, n, review, d.Act(c, who)); err != nil {
			return err
		}
	}
	ctx := c.Request().Context()
	said := views.N(ctx, "What {{.N}} donors wrote is visible to all visitors now.", len(numbers))
	if review == campaign.Hidden {
		said = views.N(ctx, "What {{.N}} donors wrote is hidden now. The amounts still count and stay visible.", len(numbers))
	}
	return d.Cookies.Redirect(c, back, said)
}
