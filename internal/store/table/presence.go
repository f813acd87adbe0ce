package table

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

// Presence stores who looks at payments, for the instance that reads their networks (watch.PresenceStore).
type Presence struct{ engine db.Engine }

// NewPresence returns the presence of an open database.
func NewPresence(e db.Engine) Presence { return Presence{e} }

// Attend stores that a payer looks at a payment with an address on the network until the time given.
func (p Presence) Attend(ctx context.Context, n chain.Network, until time.Time) error {
	err := p.engine.Write(ctx, func(ctx context.Context, t db.Tx) error {
		_, err := t.NewRaw(`INSERT INTO presence (network, until) VALUES (?0, ?1) ON CONFLICT (network) DO UPDATE
			SET until = excluded.until WHERE presence.until < excluded.until`, string(n), until).Exec(ctx)
		return err
	})
	return db.Wrap(err, "attend %s", n)
}

// Attended stores that the pages of payments of strangers were open at a time.
func (p Presence) Attended(ctx context.Context, ids []payment.ID, at time.Time) error {
	listed := make(db.Texts, len(ids))
	for i, id := range ids {
		listed[i] = string(id)
	}
	err := p.engine.Write(ctx, func(ctx context.Context, t db.Tx) error {
		_, err := t.NewRaw(`UPDATE payments SET attended_at = ? WHERE ended_at IS NULL AND attended_at < ?
			AND `+p.engine.Dialect().Listed("public_id"), at, at, listed).Exec(ctx)
		return err
	})
	return db.Wrap(err, "note open pages of payments")
}

// lookKept is how long it is kept that a page was open.
const lookKept = time.Hour

// LookAt stores that the page of a payment that ended, with an address on the network, was open at a time.
func (p Presence) LookAt(ctx context.Context, n chain.Network, id payment.ID, at time.Time) error {
	err := p.engine.Write(ctx, func(ctx context.Context, t db.Tx) error {
		if _, err := t.NewRaw("DELETE FROM looks WHERE at < ?", at.Add(-lookKept)).Exec(ctx); err != nil {
			return err
		}
		_, err := t.NewRaw(`INSERT INTO looks (payment_id, network, at) SELECT id, ?0, ?1 FROM payments WHERE public_id = ?2
			ON CONFLICT (payment_id) DO UPDATE SET network = excluded.network, at = excluded.at WHERE looks.at < excluded.at`,
			string(n), at, string(id)).Exec(ctx)
		return err
	})
	return db.Wrap(err, "note an open page")
}
