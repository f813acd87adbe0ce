package donate

import (
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/web/live"
	"github.com/florinpay/florin/web/present"
	"github.com/florinpay/florin/web/shell"
)

// Programs answer who asks for JSON on the paths of a campaign's page and of its form.
type Programs struct{ Get, Post echo.HandlerFunc }

// Services are what the surface uses.
type Services struct {
	Shell      *shell.Shell
	Campaigns  *campaign.Service
	Payments   *payment.Service
	Operations *operation.Operations
	Presenter  *present.Presenter
	Hub        *live.Hub
	Programs   Programs
	// NoteShown records that a page showed a payment.
	NoteShown func(c echo.Context, p payment.Payment)
	// NewID makes the id by which a form that is sent twice is known.
	NewID func(time.Time) payment.ID
}

// Surface serves campaigns and payment links.
type Surface struct {
	Services

	cards *cardCache
	parts *partCache
}

// New returns the surface.
func New(s Services) *Surface {
	return &Surface{Services: s, cards: newCardCache(), parts: newPartCache(s.Shell.Now)}
}

// Routes adds the routes of campaigns and payment links.
func (s *Surface) Routes(r shell.Router) {
	d := r.Renders(campaignFailure)
	d.AnyOrigin().Read("/donate/:campaignId", s.getDonate)
	d.POST("/donate/:campaignId/pay", s.postDonate)
	d.GET("/donate/:campaignId/live", s.getLive)
	r.Renders(shell.JSON).GET("/donate/:campaignId/now", s.getNow)
	d.Read("/donate/:campaignId/widget", s.getWidget)
	d.Read("/donate/:campaignId/card.png", s.getCard)
	l := r.Renders(linkFailure)
	l.Read("/link/:slug", s.getLink)
	l.With(s.Shell.SameSite).POST("/link/:slug", func(c echo.Context) error {
		return s.Shell.Once(c, "link:"+c.Param("slug"), maxForm, func() error { return s.postLink(c) })
	})
}

// campaignFailure is a page for a browser, and JSON for a program.
func campaignFailure(c echo.Context, r operation.Refusal) error {
	return formFailure(c, r, views.DonatePath(c.Param("campaignId"), c.QueryParam("lang")))
}

// linkFailure is campaignFailure for payment links.
func linkFailure(c echo.Context, r operation.Refusal) error {
	return formFailure(c, r, views.LinkPath(c.Param("slug"), c.QueryParam("lang")))
}

func formFailure(c echo.Context, r operation.Refusal, page string) error {
	if shell.Reads(c) || !shell.IsForm(c) {
		return shell.Negotiated(c, r)
	}
	return shell.FailurePage(c, r, views.FailureProps{Again: page})
}
