package merchant

import (
	"context"
	"math"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/store/db"
)

// AuditLog lists what the user did to their own sign-in, and what was done for
// the merchant (0: none), before the line given (0: from the newest), the
// newest first.
func (s *Store) AuditLog(ctx context.Context, userID, merchantID, before int64, limit int) ([]audit.Entry, error) {
	if before <= 0 {
		before = math.MaxInt64
	}
	// Each half ends at its limit, so a long log is not read whole.
	half := func(name string) string {
		return `SELECT * FROM (SELECT id, user_id, at, actor, action, subject, detail, address FROM audit_log
			WHERE user_id = ? AND id < ? AND personal = ? ORDER BY id DESC LIMIT ?) AS ` + name
	}
	list, err := db.All[audit.Entry](ctx, s.db.Reader(),
		half("own")+" UNION ALL "+half("merchant")+" ORDER BY id DESC LIMIT ?",
		userID, before, true, limit, merchantID, before, false, limit, limit)
	return list, db.Wrap(err, "audit log of user %d", userID)
}
