package store

import (
	"context"
	"fmt"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

// OpenPayment stores a new payment and starts it, both or neither. If a payment
// of that ID exists, that one is started.
func (s *Store) OpenPayment(
	ctx context.Context, c payment.Change, start func(payment.Payment) (payment.Change, error),
) (payment.Payment, error) {
	created, err := newCreateOp(c)
	if err != nil {
		return payment.Payment{}, err
	}
	started := &changeOp{id: c.Payment.ID, decide: start}
	err = s.db.Hot(ctx, func(ctx context.Context, c conn) error {
		if err := created.insert(ctx, c); err != nil {
			return err
		}
		return s.changeOne(ctx, c, started)
	})
	db.Repanic(err)
	if err != nil {
		return payment.Payment{}, fmt.Errorf("open payment %s: %w", c.Payment.ID, err)
	}
	s.changed(c.Payment.ID, started)
	return started.result, nil
}

// WaitingDonations counts the donations to a campaign that have not ended, up
// to most.
func (s *Store) WaitingDonations(ctx context.Context, campaign int64, most int) (int, error) {
	var n int
	err := s.reader().NewRaw("SELECT count(*) FROM (SELECT 1 FROM payments WHERE campaign_id = ? AND campaign_id > 0 AND ended_at IS NULL LIMIT ?) AS w",
		campaign, most).Scan(ctx, &n)
	return n, wrapIf(err, "donations that wait for campaign %d", campaign)
}

// saveDonation returns the statement that records the money a completed donation
// received; none for any other payment. The merchant's review of it stays.
func saveDonation(p payment.Payment) []*db.Stmt {
	if p.Kind != payment.KindDonation || p.Status != payment.Completed {
		return nil
	}
	review := "WAITING"
	if p.DonorName == "" && p.DonorMessage == "" {
		review = "APPROVED" // there is nothing to look at
	}
	return []*db.Stmt{db.Exec("INSERT INTO donations (payment_id, campaign_id, received, review) VALUES (?, ?, ?, ?) "+
		"ON CONFLICT (payment_id) DO UPDATE SET received = EXCLUDED.received",
		p.Number, p.CampaignID, int64(max(p.Received().Micros(), 0)), review)}
}
