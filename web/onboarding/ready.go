package onboarding

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/onboarding"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// slugTail is how many characters of the key's id tell shops of one name apart.
const slugTail = 6

// makeLink makes the shop's first payment link, unless it has one.
func (s *Surface) makeLink(c echo.Context, who session.Principal, key merchant.Key, shop string) error {
	ctx := c.Request().Context()
	have, err := s.Campaigns.Links(ctx, []int64{key.ID})
	if err != nil || len(have) > 0 {
		return err
	}
	for _, slug := range slugs(shop, key) {
		_, err = s.Campaigns.CreateLink(ctx, key.ID, campaign.LinkDraft{
			Slug: slug, Description: views.T(ctx, "Payment to {{.Shop}}", "Shop", shop),
		}, s.Act(c, who))
		if !errors.Is(err, campaign.ErrLinkTaken) {
			return err
		}
	}
	return err
}

// slugs are the addresses to try for the link of a shop: its name and, as other shops
// may have that, the name with the end of the key's id.
func slugs(shop string, key merchant.Key) []string {
	id := strings.ToLower(key.PublicID)
	tail := id[len(id)-slugTail:]
	slug := campaign.Slug(shop)
	if slug == "" {
		return []string{"shop-" + tail}
	}
	long := slug[:min(len(slug), campaign.MaxSlug-slugTail-1)]
	return []string{slug, strings.TrimRight(long, "-") + "-" + tail}
}

// getReady shows the payment link of the shop, and offers to try it.
func (s *Surface) getReady(c echo.Context, who session.Principal) error {
	links, err := s.Campaigns.Links(c.Request().Context(), who.KeyIDs())
	if err != nil {
		return err
	}
	if len(links) == 0 {
		return c.Redirect(http.StatusSeeOther, shell.HomePath)
	}
	oldest := slices.MinFunc(links, func(a, b campaign.Link) int { return a.CreatedAt.Compare(b.CreatedAt) })
	link := s.Shell.CheckoutURL + "/link/" + oldest.Slug
	p := onboarding.ReadyProps{
		Frame: s.Frame(c, who, "Your shop is ready", shell.HomePath), Link: link,
		QR: s.Presenter.QR(link), Slug: oldest.Slug,
	}
	return s.Show(c, http.StatusOK, p.Frame, onboarding.Ready(p))
}

// postDollar makes a payment of one dollar, with which the merchant pays themselves.
func (s *Surface) postDollar(c echo.Context, who session.Principal) error {
	key, has, err := s.shop(c.Request().Context(), who)
	if err != nil {
		return err
	}
	if !has {
		return c.Redirect(http.StatusSeeOther, shell.HomePath)
	}
	p, err := s.Payments.Create(c.Request().Context(), payment.CreateInput{
		KeyID: key.ID, Amount: "1", Details: payment.Details{
			Reference: "first-dollar", Description: views.T(c.Request().Context(), "A dollar to yourself"),
		},
	}, s.Act(c, who))
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/dashboard/create/"+string(p.ID))
}
