package store

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// paymentRow is a payment without its routes and deposits.
type paymentRow struct {
	bun.BaseModel `bun:"table:payments,alias:p"`

	ID            int64
	PublicID      string
	KeyID         int64
	Kind          string
	Amount        int64
	Status        string
	Network       string
	Token         string
	CreatedAt     instant
	ExpiresAt     instant
	StartedAt     instant
	EndedAt       instant
	ResumedAt     instant
	Hash          string
	Extended      bool
	Reorged       bool
	ByHand        bool
	ShortBasis    int64
	LateForUs     int64
	Credits       int64
	CampaignID    int64
	Seq           int64
	Reference     string
	Description   string
	SuccessURL    string
	CancelURL     string
	Metadata      string
	CustomerEmail string
	DonorName     string
	DonorMessage  string
}

// paymentColumns are the columns in the order of fields and values, which
// leave out the number: the database gives it.
const paymentColumns = "public_id, key_id, kind, amount, status, network, token, created_at, expires_at, started_at, " +
	"ended_at, resumed_at, hash, extended, reorged, by_hand, short_basis, late_for_us, credits, campaign_id, seq, " +
	"reference, description, success_url, cancel_url, metadata, customer_email, donor_name, donor_message"

// paymentMarks is a question mark for each of them.
const paymentMarks = "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"

// fields are where "id, " + paymentColumns is read to.
func (r *paymentRow) fields() []any {
	return []any{
		&r.ID, &r.PublicID, &r.KeyID, &r.Kind, &r.Amount, &r.Status, &r.Network, &r.Token,
		&r.CreatedAt, &r.ExpiresAt, &r.StartedAt, &r.EndedAt, &r.ResumedAt, &r.Hash,
		&r.Extended, &r.Reorged, &r.ByHand, &r.ShortBasis, &r.LateForUs, &r.Credits, &r.CampaignID, &r.Seq,
		&r.Reference, &r.Description, &r.SuccessURL, &r.CancelURL, &r.Metadata, &r.CustomerEmail, &r.DonorName, &r.DonorMessage,
	}
}

// values are the arguments of paymentMarks.
func (r *paymentRow) values() []any {
	return []any{
		r.PublicID, r.KeyID, r.Kind, r.Amount, r.Status, r.Network, r.Token,
		r.CreatedAt, r.ExpiresAt, r.StartedAt, r.EndedAt, r.ResumedAt, r.Hash,
		r.Extended, r.Reorged, r.ByHand, r.ShortBasis, r.LateForUs, r.Credits, r.CampaignID, r.Seq,
		r.Reference, r.Description, r.SuccessURL, r.CancelURL, r.Metadata, r.CustomerEmail, r.DonorName, r.DonorMessage,
	}
}

// rowOf returns the payment as it is stored.
func rowOf(p payment.Payment) (*paymentRow, error) {
	metadata, err := encodeMap(p.Metadata)
	if err != nil {
		return nil, err
	}
	return &paymentRow{
		ID: p.Number, PublicID: string(p.ID), KeyID: p.KeyID, Kind: string(p.Kind), Amount: int64(p.Amount),
		Status: string(p.Status), Network: string(p.Choice.Network), Token: string(p.Choice.Token),
		CreatedAt: at(p.CreatedAt), ExpiresAt: at(p.ExpiresAt), StartedAt: at(p.StartedAt), EndedAt: at(p.EndedAt),
		ResumedAt: at(p.ResumedAt), Hash: string(p.Hash), Extended: p.Extended, Reorged: p.Reorged, ByHand: p.ByHand,
		ShortBasis: p.Terms.ShortBasis, LateForUs: p.Terms.LateFor.Microseconds(),
		Credits: p.Credits, CampaignID: p.CampaignID, Seq: int64(p.Seq),
		Reference: p.Reference, Description: p.Description, SuccessURL: p.SuccessURL, CancelURL: p.CancelURL,
		Metadata: metadata, CustomerEmail: p.CustomerEmail, DonorName: p.DonorName, DonorMessage: p.DonorMessage,
	}, nil
}

// payment returns the payment without routes and deposits.
func (r *paymentRow) payment() (payment.Payment, error) {
	metadata, err := decodeMap(r.Metadata)
	if err != nil {
		return payment.Payment{}, fmt.Errorf("metadata of payment %s: %w", r.PublicID, err)
	}
	return payment.Payment{
		ID: payment.ID(r.PublicID), Number: r.ID, KeyID: r.KeyID, Kind: payment.Kind(r.Kind),
		Amount: money.Micros(r.Amount), Status: payment.Status(r.Status),
		Choice:    payment.Choice{Network: chain.Network(r.Network), Token: money.Token(r.Token)},
		CreatedAt: r.CreatedAt.Time, ExpiresAt: r.ExpiresAt.Time, StartedAt: r.StartedAt.Time, EndedAt: r.EndedAt.Time,
		ResumedAt: r.ResumedAt.Time, Hash: chain.TxHash(r.Hash), Extended: r.Extended, Reorged: r.Reorged, ByHand: r.ByHand,
		Terms:   payment.Terms{ShortBasis: r.ShortBasis, LateFor: time.Duration(r.LateForUs) * time.Microsecond},
		Credits: r.Credits, CampaignID: r.CampaignID, Seq: int(r.Seq),
		Details: payment.Details{
			Reference: r.Reference, Description: r.Description, SuccessURL: r.SuccessURL, CancelURL: r.CancelURL,
			Metadata: metadata, CustomerEmail: r.CustomerEmail, DonorName: r.DonorName, DonorMessage: r.DonorMessage,
		},
	}, nil
}

// encodeMap writes a map as JSON; an empty one as nothing.
func encodeMap(m map[string]string) (string, error) {
	if len(m) == 0 {
		return "", nil
	}
	raw, err := json.Marshal(m)
	return string(raw), err
}

func decodeMap(text string) (map[string]string, error) {
	var m map[string]string
	if text == "" {
		return m, nil
	}
	err := json.Unmarshal([]byte(text), &m)
	return m, err
}
