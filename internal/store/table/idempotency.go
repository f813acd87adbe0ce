package table

import (
	"time"

	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/store/db"
)

// FinishIdempotent returns the statement that stores the answer of a request. The first answer stays.
func FinishIdempotent(keyID int64, key string, a idempotency.Answer, now time.Time) *db.Stmt {
	return db.Exec("UPDATE idempotency SET status = ?, answer = ?, finished_at = ? "+
		"WHERE key_id = ? AND key = ? AND finished_at IS NULL", int64(a.Status), a.Body, db.At(now), keyID, key)
}
