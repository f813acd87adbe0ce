// Package settle serves when the money of a merchant is settled: what waits, for how long, and what waiting saves.
//
// It never changes where money goes, so it asks for no re-authentication.
package settle

import (
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// Services are what the surface uses.
type Services struct {
	*session.Guard

	Payments *payment.Service
	settlement.Schedules
}

// Surface serves when money is settled.
type Surface struct{ Services }

// New returns the surface.
func New(s Services) *Surface { return &Surface{s} }

// Routes adds the page.
func (s *Surface) Routes(r shell.Router) {
	p := s.Pages(r)
	p.Get(path, merchant.ActRead, s.getSettlement)
	p.Post(path, merchant.ActMoney, s.postSchedule)
	p.Post(path+"/now", merchant.ActMoney, s.postNow)
}
