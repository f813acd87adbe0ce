package report

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

// TopUp is a purchase of credits.
type TopUp struct {
	ID        int64
	TxnID     payment.ID `bun:"public_id"`
	Email     string     // of the key's owner
	Label     string     // of the key
	Credits   int64      // asked for
	Credited  int64      // bought so far by what was received
	Amount    money.Micros
	Status    payment.Status
	Network   chain.Network // empty until started
	Token     money.Token
	Hash      chain.TxHash
	CreatedAt time.Time
}

// TopUps lists purchases of credits before the one given (0: from the newest),
// the newest first.
func (r *Reader) TopUps(ctx context.Context, before int64, limit int) ([]TopUp, error) {
	// The kind is a literal: with a parameter the partial index could not be used.
	list, err := db.All[TopUp](ctx, r.db.Reader(), `SELECT p.id, p.public_id, u.email, k.label, p.credits, p.credited, p.amount,
		p.status, p.network, p.token, p.hash, p.created_at
		FROM payments AS p JOIN api_keys AS k ON k.id = p.key_id JOIN users AS u ON u.id = k.user_id
		WHERE p.kind = 'TOPUP' AND p.id < ? ORDER BY p.id DESC LIMIT ?`, beforeOrLast(before), limit)
	return list, db.Wrap(err, "list top-ups")
}
