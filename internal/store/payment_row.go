package store

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

// payments generates the statements of paymentRow.
var payments = db.NewTable[paymentRow]()

// paymentRow is a payment without its routes and deposits. Columns are written
// as their tag says (db.Table).
type paymentRow struct {
	bun.BaseModel `bun:"table:payments,alias:p"`

	ID            int64  `bun:",pk,autoincrement"`
	PublicID      string `db:"fixed"`
	KeyID         int64  `db:"fixed"`
	Kind          string `db:"fixed"`
	Amount        int64  `db:"fixed"`
	Status        string
	Network       string
	Token         string
	CreatedAt     instant `db:"fixed"`
	ExpiresAt     instant
	StartedAt     instant
	EndedAt       instant
	ResumedAt     instant
	Hash          string
	Extended      bool
	Reorged       bool
	ByHand        bool
	ShortBasis    int64 `db:"fixed"`
	LateForUs     int64 `db:"fixed"`
	Credits       int64 `db:"fixed"`
	CampaignID    int64 `db:"fixed"`
	Seq           int64
	Reference     string `db:"fixed"`
	Description   string `db:"fixed"`
	SuccessURL    string `db:"fixed"`
	CancelURL     string `db:"fixed"`
	Metadata      string `db:"fixed"`
	CustomerEmail string `db:"fixed"`
	DonorName     string `db:"fixed"`
	DonorMessage  string `db:"fixed"`
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
		CreatedAt: db.At(p.CreatedAt), ExpiresAt: db.At(p.ExpiresAt), StartedAt: db.At(p.StartedAt), EndedAt: db.At(p.EndedAt),
		ResumedAt: db.At(p.ResumedAt), Hash: string(p.Hash), Extended: p.Extended, Reorged: p.Reorged, ByHand: p.ByHand,
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

// encodeMap writes a map as JSON, and an empty one as an empty text.
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
