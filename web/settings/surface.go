// Package settings serves where the money of a merchant settles, what counts as
// paid, the lock on both, the secrets of webhooks, and how the checkout looks.
//
// What changes where money goes passes session.Guard.Gate.
package settings

import (
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

// Routes adds the pages of the settings.
func (s *Surface) Routes(r shell.Router) {
	r.Read(logoPath+":file", s.getLogo)
	own := r.With(s.Shell.OwnForms).Renders(session.Failure)
	own.GET("/stop", s.getStop)
	own.POST("/stop", s.postStop)
	p := s.Pages(r)
	p.Get(custodianPath, merchant.ActRead, s.getCustodian)
	p.Post(custodianPath, merchant.ActCallback, s.postCustodian)
	p.Post(custodianPath+"/options", merchant.ActMoney, s.postOptions)
	p.Post(custodianPath+"/secret", merchant.ActCallback, s.postSecret)
	p.Post(custodianPath+"/rotate", merchant.ActCallback, s.postRotateSigning)
	p.Post(custodianPath+"/retire", merchant.ActCallback, s.postRetireSigning)
	p.Post(lockPath, merchant.ActMoney, s.postLock)
	p.Post(unlockPath, merchant.ActMoney, s.postUnlock)
	p.Post(changesPath+"/:change/stop", merchant.ActMoney, s.postStopChange)
	p.Get(brandingPath, merchant.ActRead, s.getBranding)
	p.Post(brandingPath, merchant.ActBranding, s.postBranding)
	p.Post(brandingPath+"/logo", merchant.ActBranding, s.postLogo)
	p.Post(brandingPath+"/logo/remove", merchant.ActBranding, s.postRemoveLogo)
	p.Get(brandingPath+"/preview", merchant.ActRead, s.getPreview)
	p.Get(brandingPath+"/contrast", merchant.ActRead, s.getContrast)
}
