package store

import (
	"context"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/report"
)

// again makes a delivery due now, whatever its state, unless it is being sent.
// Attempts go on being counted, so one whose attempts were used up is tried
// once. It goes to the current callback URL.
const again = "UPDATE deliveries SET state = 'WAITING', due_at = ?, holder = NULL, " +
	"lane = (SELECT lane FROM custodians WHERE id = deliveries.custodian_id) " +
	"WHERE custodian_id IN (SELECT id FROM custodians WHERE key_id IN (?)) AND (holder IS NULL OR state <> 'WAITING')"

// Resend makes a delivery of the keys due now, or fails with fault.NotFound.
func (s *Store) Resend(ctx context.Context, keys []int64, id int64, now time.Time, trail ...audit.Entry) error {
	if len(keys) == 0 {
		return report.ErrUnknownDelivery
	}
	ok, err := s.actOne(ctx, trail, about{}, again+" AND id = ?", db.At(now), bun.List(keys), id)
	if err == nil && !ok {
		return report.ErrUnknownDelivery
	}
	return err
}

// ResendFailed makes the deliveries of the key due now whose event came at since
// or later and whose attempts were used up or stopped, and returns how many.
func (s *Store) ResendFailed(ctx context.Context, keyID int64, since, now time.Time, trail ...audit.Entry) (int64, error) {
	var n int64
	err := s.act(ctx, trail, about{}, func(ctx context.Context, t tx, a *about) error {
		res, err := t.NewRaw(again+" AND state IN ('FAILED', 'STOPPED') AND "+
			"(SELECT e.at FROM events AS e WHERE e.payment_id = deliveries.payment_id AND e.seq = deliveries.seq) >= ?",
			db.At(now), bun.List([]int64{keyID}), db.At(since)).Exec(ctx)
		if err != nil {
			return err
		}
		n, err = res.RowsAffected()
		a.detail, a.nothing = strconv.FormatInt(n, 10), n == 0
		return err
	})
	return n, wrapIf(err, "send failed webhooks of key %d again", keyID)
}
