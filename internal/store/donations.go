package store

import (
	"context"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// Donations lists the donations of a campaign, the newest first.
func (s *Store) Donations(ctx context.Context, q campaign.DonationQuery) ([]campaign.Donation, error) {
	if q.Limit < 1 || q.Limit > campaign.MaxPage+1 {
		return nil, fault.New(fault.Invalid, "limit must be between 1 and %d", campaign.MaxPage)
	}
	// Its proof is the deposit that completed it or, if it was completed by hand,
	// the first deposit that counts.
	text := "SELECT d.id, d.received, d.review, p.public_id, coalesce(x.network, p.network) AS network, coalesce(x.token, p.token) AS token, " +
		"coalesce(x.tx_hash, p.hash) AS hash, p.ended_at, p.donor_name, p.donor_message " +
		"FROM donations AS d JOIN payments AS p ON p.id = d.payment_id LEFT JOIN deposits AS x ON x.id = " +
		"(SELECT y.id FROM deposits AS y WHERE y.payment_id = p.id AND y.state = 'FINAL' AND y.token <> '' " +
		"ORDER BY CASE WHEN y.tx_hash = p.hash THEN 0 ELSE 1 END, y.id LIMIT 1) WHERE d.campaign_id = ?"
	args := []any{q.Campaign}
	if q.Before > 0 {
		text, args = text+" AND d.id < ?", append(args, q.Before)
	}
	if q.Proven {
		text += " AND d.received > 0"
	}
	if q.Review != "" {
		text, args = text+" AND d.review = ?", append(args, string(q.Review))
	}
	var rows []struct {
		ID           int64
		Received     int64
		Review       string
		PublicID     string
		Network      string
		Token        string
		Hash         string
		EndedAt      instant
		DonorName    string
		DonorMessage string
	}
	if err := s.reader().NewRaw(text+" ORDER BY d.id DESC LIMIT ?", append(args, q.Limit)...).Scan(ctx, &rows); err != nil {
		return nil, wrapIf(err, "donations of campaign %d", q.Campaign)
	}
	list := make([]campaign.Donation, len(rows))
	for i, r := range rows {
		list[i] = campaign.Donation{
			Number: r.ID, PaymentID: payment.ID(r.PublicID), Name: r.DonorName, Message: r.DonorMessage, Review: campaign.Review(r.Review),
			Received: money.Micros(r.Received), Network: chain.Network(r.Network), Token: money.Token(r.Token), Hash: chain.TxHash(r.Hash),
			At: r.EndedAt.Time,
		}
	}
	return list, nil
}

// ReviewDonation sets the merchant's review of a donation, or fails with
// campaign.ErrUnknownGift.
func (s *Store) ReviewDonation(ctx context.Context, number, donation int64, r campaign.Review, trail ...audit.Entry) error {
	ok, err := s.actOne(ctx, trail, about{}, "UPDATE donations SET review = ? WHERE id = ? AND campaign_id = ?", string(r), donation, number)
	if err == nil && !ok {
		return campaign.ErrUnknownGift
	}
	return err
}
