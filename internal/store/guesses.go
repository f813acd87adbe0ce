package store

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/store/db"
)

// NoteGuesses notes that the user with the address is told at now that sign-in
// guesses at them are slowed. tell is false if there is no such user, or if
// they were told after since.
func (s *Store) NoteGuesses(ctx context.Context, email string, now, since time.Time) (user identity.User, tell bool, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, t tx) error {
		tell = false
		var rows []userRow
		if err := t.NewSelect().Model(&rows).Where("email = ?", email).Scan(ctx); err != nil || len(rows) == 0 {
			return err
		}
		user = rows[0].user()
		res, err := t.NewRaw("INSERT INTO guess_notices (user_id, told_at) VALUES (?, ?) "+
			"ON CONFLICT (user_id) DO UPDATE SET told_at = excluded.told_at WHERE guess_notices.told_at <= ?", user.ID, db.At(now), db.At(since)).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		tell = n == 1
		return err
	})
	return user, tell && err == nil, wrapIf(err, "note guesses")
}
