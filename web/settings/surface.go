// Package settings serves where the money of a merchant settles, what counts as
// paid, the lock on both, where the shop is notified, and how the checkout looks.
//
// What changes where money goes passes session.Guard.Gate.
package settings

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// Services are what the surface uses.
type Services struct {
	*session.Guard

	Payments *payment.Service
}

// Surface serves the settings of merchants.
type Surface struct {
	Services

	decoding chan struct{} // held while a picture is decoded
}

// New returns the surface.
func New(s Services) *Surface { return &Surface{Services: s, decoding: make(chan struct{}, 1)} }

// Addresses of the pages. That of the callback and its secrets is listed under Developers.
const (
	settingsPath = "/dashboard/settings"
	payoutsPath  = settingsPath + "/payouts"
	checkoutPath = settingsPath + "/checkout"
	webhooksPath = settingsPath + "/webhooks"
)

// Routes adds the pages of the settings.
func (s *Surface) Routes(r shell.Router) {
	r.Read(logoPath+":file", s.getLogo)
	own := r.With(s.Shell.OwnForms).Renders(session.Failure)
	own.GET("/stop", s.getStop)
	own.POST("/stop", s.postStop)
	p := s.Pages(r)
	p.Get(settingsPath, merchant.ActRead, getSettings)
	p.Get(payoutsPath, merchant.ActRead, s.getPayouts)
	p.Form(payoutsPath, merchant.ActMoney, s.postPayouts)
	p.Post(payoutsPath+"/options", merchant.ActMoney, s.postOptions)
	p.Post(lockPath, merchant.ActMoney, s.postLock)
	p.Post(unlockPath, merchant.ActMoney, s.postUnlock)
	p.Post(changesPath+"/:change/stop", merchant.ActMoney, s.postStopChange)
	p.Get(webhooksPath, merchant.ActRead, s.getWebhooks)
	p.Post(webhooksPath, merchant.ActCallback, s.postCallback)
	p.Post(webhooksPath+"/secret", merchant.ActCallback, s.postSecret)
	p.Post(webhooksPath+"/rotate", merchant.ActCallback, s.postRotateSigning)
	p.Post(webhooksPath+"/retire", merchant.ActCallback, s.postRetireSigning)
	p.Get(newsPath, merchant.ActRead, s.getNews)
	p.Form(newsPath, merchant.ActRead, s.postNews)
	p.Form(newsPath+"/chat", merchant.ActCallback, s.postChat)
	p.Get(checkoutPath, merchant.ActRead, s.getBranding)
	p.Post(checkoutPath, merchant.ActBranding, s.postBranding)
	p.Post(checkoutPath+"/logo", merchant.ActBranding, s.postLogo)
	p.Post(checkoutPath+"/logo/remove", merchant.ActBranding, s.postRemoveLogo)
	p.Get(checkoutPath+"/preview", merchant.ActRead, s.getPreview)
	p.Get(checkoutPath+"/contrast", merchant.ActRead, s.getContrast)
}

// getSettings opens the first of the sections.
func getSettings(c echo.Context, _ session.Principal) error {
	return c.Redirect(http.StatusSeeOther, payoutsPath)
}
