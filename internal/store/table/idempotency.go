package table

import (
	"context"

	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/store/db"
)

// FinishIdempotent returns the statement that stores the answer of a request. It writes no row if the try has lost its
// claim, or the request is answered.
func FinishIdempotent(k idempotency.Kept) *db.Stmt {
	return db.Exec(`UPDATE idempotency SET status = ?, answer = ?, finished_at = ?
		WHERE key_id = ? AND key = ? AND holder = ? AND finished_at IS NULL`,
		int64(k.Answer.Status), k.Answer.Body, k.At, k.KeyID, k.Key, k.Holder)
}

// KeepAnswer stores the answer of a request in the transaction of its write; nil stores nothing. It fails, and
// the write with it, if another try has taken the request over.
func KeepAnswer(ctx context.Context, c db.Conn, k *idempotency.Kept) error {
	if k == nil {
		return nil
	}
	finish := FinishIdempotent(*k)
	if err := c.Run(ctx, finish); err != nil {
		return err
	}
	if finish.Affected() != 1 {
		return idempotency.ErrRunning
	}
	return nil
}
