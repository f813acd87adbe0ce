package store

import (
	"context"
	"fmt"

	"github.com/florinpay/florin/internal/merchant"
)

// KeysOfUser returns the user's API keys in use, the oldest first.
func (s *Store) KeysOfUser(ctx context.Context, userID int64) ([]merchant.Key, error) {
	var list []merchant.Key
	add := func(k merchant.Key) { list = append(list, k) }
	if err := s.db.Read(ctx, readKeys(add, "k.user_id = ? AND k.revoked_at IS NULL ORDER BY k.id", userID)); err != nil {
		return nil, fmt.Errorf("API keys of user %d: %w", userID, err)
	}
	return list, nil
}
