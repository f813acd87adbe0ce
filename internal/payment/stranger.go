package payment

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/fault"
)

// ErrManyWaiting refuses to start another payment that a stranger opens.
var ErrManyWaiting = fault.Retry(fault.Limited, retryWaiting, "too many payments of this kind are waiting to be paid; try again in some minutes")

// MaxWaiting is room for five payers a minute who each take an hour: how many
// payments of one campaign or one link may wait for money at once. MaxWaitingOfKey
// is the same for all campaigns and links of a key. The credits they hold are
// bounded by ledger.Reserve besides.
const (
	MaxWaiting      = 300
	MaxWaitingOfKey = 1_000
)

// retryWaiting is after how long some waiting payments have likely ended.
const retryWaiting = 5 * time.Minute

// Group is a set of payments that strangers opened. One field is set.
type Group struct {
	CampaignID int64
	LinkID     int64
	KeyID      int64 // those of the key that hold a credit
}

// groups returns the groups whose limits a start of the payment counts against.
func (p Payment) groups() []Group {
	switch {
	case p.Kind == KindDonation:
		return []Group{{CampaignID: p.CampaignID}, {KeyID: p.KeyID}}
	case p.LinkID > 0:
		return []Group{{LinkID: p.LinkID}, {KeyID: p.KeyID}}
	}
	return nil
}

// roomFor fails with ErrManyWaiting when too many payments of a stranger's
// payment's groups are unpaid. Concurrent requests may exceed the limits by a few:
// they only bound a flood.
func (s *Service) roomFor(ctx context.Context, p Payment) error {
	for _, g := range p.groups() {
		most := s.opts.MaxWaiting
		if g.KeyID != 0 {
			most = s.opts.MaxWaitingOfKey
		}
		waiting, err := s.store.Waiting(ctx, g, s.now(), most)
		if err != nil {
			return err
		}
		if waiting >= most {
			return ErrManyWaiting
		}
	}
	return nil
}
