package identity

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/store/db"
)

// AddChallenge stores a challenge in place of another of the same holder and
// purpose, and drops those that expired before now.
func (s *Store) AddChallenge(ctx context.Context, c identity.Challenge, now time.Time) error {
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		if _, err := t.NewRaw("DELETE FROM passkey_challenges WHERE expires_at <= ?", now).Exec(ctx); err != nil {
			return err
		}
		_, err := t.NewRaw(`INSERT INTO passkey_challenges (holder, purpose, state, expires_at) VALUES (?, ?, ?, ?)
			ON CONFLICT (holder, purpose) DO UPDATE SET state = excluded.state, expires_at = excluded.expires_at`,
			c.Holder[:], string(c.Purpose), c.State, c.ExpiresAt).Exec(ctx)
		return err
	})
	return db.Wrap(err, "store a challenge")
}

// TakeChallenge uses a challenge up. One that there is not is over.
func (s *Store) TakeChallenge(
	ctx context.Context, holder identity.Hash, p identity.Purpose,
) (c identity.Challenge, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, t db.Tx) (err error) {
		c, err = db.First[identity.Challenge](ctx, t, nil, `DELETE FROM passkey_challenges WHERE holder = ? AND purpose = ?
			RETURNING holder, purpose, state, expires_at`, holder[:], p)
		return err
	})
	return c, db.Wrap(err, "take a challenge")
}
