package store

import (
	"context"
	"fmt"

	"github.com/florinpay/florin/internal/merchant"
)

// KeysOfUser returns the user's API keys in use, the oldest first.
func (s *Store) KeysOfUser(ctx context.Context, userID int64) ([]merchant.Key, error) {
	var list keyList
	if err := s.read(ctx, list.read(userID)); err != nil {
		return nil, fmt.Errorf("API keys of user %d: %w", userID, err)
	}
	return list.keys, nil
}

// keyList collects keys.
type keyList struct {
	keys []merchant.Key
	next keyScan
}

func (l *keyList) read(userID int64) *call {
	c := l.next.read("k.user_id = ? AND k.revoked_at IS NULL ORDER BY k.id", userID)
	c.row = l.scan
	return c
}

func (l *keyList) scan(scan func(...any) error) error {
	if err := l.next.scan(scan); err != nil {
		return err
	}
	l.keys = append(l.keys, l.next.key)
	return nil
}
