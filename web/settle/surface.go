// Package settle serves when the money of a merchant is settled: what waits, for how long, and what waiting saves.
//
// It never changes where money goes, so it asks for no re-authentication.
package settle

import (
	"context"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
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
	Schedules
}

// Schedules is how long money waits, by policy and by the wish of merchants.
type Schedules struct {
	Policy func(chain.Network) settlement.Policy
	// Balances, Schedule and Reschedule are methods of the store of settlement.
	Balances   func(context.Context, chain.Network, settlement.Query) ([]settlement.DepositBalance, error)
	Schedule   func(ctx context.Context, keyID int64) (settlement.Schedule, error)
	Reschedule func(
		ctx context.Context, keyID int64, change func(settlement.Schedule) (settlement.Schedule, error),
		record audit.Record,
	) error
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
