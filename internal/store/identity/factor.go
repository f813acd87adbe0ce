package identity

import (
	"context"
	"fmt"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// SecondFactor returns the user's; ok is false if there is none.
func (s *Store) SecondFactor(ctx context.Context, userID int64) (f identity.SecondFactor, ok bool, err error) {
	rows, err := db.All[factorRow](ctx, s.db.Reader(), "SELECT * FROM second_factors WHERE user_id = ?", userID)
	if err != nil || len(rows) == 0 {
		return identity.SecondFactor{}, false, db.Wrap(err, "second factor of user %d", userID)
	}
	f = rows[0].SecondFactor
	if f.Secret, err = s.sealer.Open(table.FactorPlace(userID), rows[0].Sealed); err != nil {
		return identity.SecondFactor{}, false, fmt.Errorf("second factor of user %d: %w", userID, err)
	}
	return f, true, nil
}
