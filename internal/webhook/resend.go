package webhook

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/mail"
)

// Resends has deliveries sent again, or stops them, by methods of the store. What each returns as a number, how many
// deliveries it changed, is added to the detail of the record.
type Resends struct {
	One    func(ctx context.Context, keys []int64, id int64, now time.Time, r audit.Record) error
	Failed func(ctx context.Context, keyID int64, since, now time.Time, r audit.Record) (int64, error)
	Parked func(ctx context.Context, keyID int64, now time.Time, r audit.Record) (int64, error)
	Wake   func() // starts the delivery; nil: it starts within a second
}

// Resend sends a delivery of one of the keys again; it fails with fault.NotFound for another merchant's.
func (s Resends) Resend(ctx context.Context, keys []int64, id int64, act audit.Act) error {
	err := s.One(ctx, keys, id, act.At, act.Record(act.Account, audit.ActionResendWebhooks,
		mail.T("webhook {{.Number}}", "Number", id).Kept(), ""))
	s.wake(err)
	return err
}

// ResendFailed sends the failed deliveries of a key since then again, and returns how many. The audit log names the
// day in the zone of since.
func (s Resends) ResendFailed(ctx context.Context, keyID int64, since time.Time, act audit.Act) (int64, error) {
	n, err := s.Failed(ctx, keyID, since, act.At, act.Record(act.Account, audit.ActionResendWebhooks, act.Key,
		mail.T("failed since {{.Day}}", "Day", mail.Date(since)).Kept()+": "))
	s.wake(err)
	return n, err
}

// StopParked stops the deliveries of a key that wait for a callback URL, and returns how many.
func (s Resends) StopParked(ctx context.Context, keyID int64, act audit.Act) (int64, error) {
	return s.Parked(ctx, keyID, act.At, act.Record(act.Account, audit.ActionStopWebhooks, act.Key,
		mail.T("that waited for an address").Kept()+": "))
}

func (s Resends) wake(err error) {
	if err == nil && s.Wake != nil {
		s.Wake()
	}
}
