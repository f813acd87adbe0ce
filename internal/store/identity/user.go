package identity

import (
	"context"
	"database/sql"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

var sessions = db.NewTable[sessionRow]("sessions",
	"fixed: token user_id created_at expires_at used_at=CreatedAt user_agent merchant_id=Merchant").
	Else(identity.ErrBadSession)

// sessionRow is a session with who it acts for.
type sessionRow struct {
	identity.Session

	Merchant sql.NullInt64
}

// CreateSession stores a session, which acts for the merchant its user chose last.
func (s *Store) CreateSession(ctx context.Context, n identity.Session, r audit.Record) error {
	if err := db.CheckTexts("the user agent", n.UserAgent); err != nil {
		return err
	}
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
		*a = table.AuditFields{User: n.UserID}
		chosen, err := chosenMerchant(ctx, t, n.UserID)
		if err != nil {
			return err
		}
		_, err = sessions.Into(t, "", sessionRow{n, sql.NullInt64{Int64: chosen, Valid: chosen != 0}}).Exec(ctx)
		return err
	})
	return db.Wrap(err, "create session")
}

// NoteGuesses stores that the user with the address is notified at now that sign-in guesses at them are slowed. It
// returns false if there is no such user, or if they were notified at another time after since.
func (s *Store) NoteGuesses(ctx context.Context, email string, now, since time.Time) (bool, error) {
	noted, err := db.WriteOne(ctx, s.db, `INSERT INTO guess_notices (user_id, notified_at) SELECT id, ? FROM users WHERE email = ?
		ON CONFLICT (user_id) DO UPDATE SET notified_at = excluded.notified_at
		WHERE guess_notices.notified_at <= ? OR guess_notices.notified_at = excluded.notified_at`, now, email, since)
	return noted, db.Wrap(err, "note guesses")
}
