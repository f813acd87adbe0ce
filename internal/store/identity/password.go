package identity

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// end ends sessions. Where all end, so do links to a new password that are still under way, and the changes that wait
// in the user's name: whoever asked for them may have been somebody else.
func (s *Store) end(ctx context.Context, t db.Tx, userID int64, e identity.Ending) error {
	const revoke = "UPDATE sessions SET revoked_at = ? WHERE revoked_at IS NULL AND user_id = ?"
	var writes []*db.Stmt
	switch {
	case e.At.IsZero():
		return nil
	case e.One != identity.Hash{}:
		writes = []*db.Stmt{db.Exec(revoke+" AND token = ?", e.At, userID, e.One[:])}
	case e.All:
		writes = []*db.Stmt{
			db.Exec(revoke, e.At, userID),
			db.Exec("UPDATE password_resets SET used_at = ? WHERE user_id = ? AND used_at IS NULL", e.At, userID),
		}
	default:
		writes = []*db.Stmt{db.Exec(revoke+" AND token <> ?", e.At, userID, e.Keep[:])}
	}
	if e.One == (identity.Hash{}) { // links that would make another address the one the user signs in with
		writes = append(writes, db.Exec(
			"DELETE FROM sign_ups WHERE user_id = ? AND email <> (SELECT email FROM users WHERE id = ?)", userID, userID))
	}
	for _, x := range writes {
		x.AnyNumber()
	}
	if err := db.RunEach(ctx, t, writes); err != nil || !e.All {
		return err
	}
	return table.StopChanges(ctx, t, s.sealer, e.At, "all sessions of who asked for it were ended", "author_id = ?", userID)
}

// Logins lists the user's sessions that are neither over, idle nor revoked, the
// newest first.
func (s *Store) Logins(ctx context.Context, userID int64, now time.Time) ([]identity.Session, error) {
	list, err := db.All[identity.Session](ctx, s.db.Reader(), `SELECT token, user_id, created_at, expires_at, user_agent FROM sessions
		WHERE user_id = ? AND revoked_at IS NULL AND expires_at > ? AND used_at > ? ORDER BY created_at DESC LIMIT ?`,
		userID, now, now.Add(-identity.SessionIdle), maxLogins)
	return list, db.Wrap(err, "sessions of user %d", userID)
}

// maxLogins is more than anybody looks through.
const maxLogins = 200

// ShopNames returns the names of the shops of the merchants that the user belongs to.
func (s *Store) ShopNames(ctx context.Context, userID int64) ([]string, error) {
	var names []string
	err := s.db.Reader().NewRaw(`SELECT DISTINCT c.name FROM memberships AS m JOIN api_keys AS k ON k.user_id = m.merchant_id
		JOIN custodians AS c ON c.key_id = k.id WHERE m.user_id = ? AND c.name <> ''`, userID).Scan(ctx, &names)
	return names, db.Wrap(err, "shops of user %d", userID)
}

// chosenMerchant is who a new session of the user acts for; 0 for a user who
// belongs to no merchant.
func chosenMerchant(ctx context.Context, t db.Tx, userID int64) (int64, error) {
	return db.First[int64](ctx, t, nil, "SELECT merchant_id FROM memberships WHERE user_id = ? ORDER BY chosen_at DESC, merchant_id LIMIT 1", userID)
}
