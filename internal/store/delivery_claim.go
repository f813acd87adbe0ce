package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/webhook"
)

// dueReceivers visits each receiver that has a delivery waiting once: a loose
// index scan of deliveries_by_lane, whose cost grows with the receivers and not
// with their queues.
const dueReceivers = "WITH RECURSIVE receivers (id) AS (" +
	"SELECT * FROM (SELECT lane FROM deliveries WHERE state = 'WAITING' ORDER BY lane LIMIT 1) AS first " +
	"UNION ALL " +
	"SELECT (SELECT d.lane FROM deliveries AS d WHERE d.state = 'WAITING' AND d.lane > receivers.id ORDER BY d.lane LIMIT 1) " +
	"FROM receivers WHERE receivers.id IS NOT NULL), " +
	"heads (id, due_at) AS (SELECT id, " +
	"(SELECT d.due_at FROM deliveries AS d WHERE d.state = 'WAITING' AND d.lane = receivers.id ORDER BY d.due_at LIMIT 1) " +
	"FROM receivers WHERE receivers.id IS NOT NULL) " +
	"SELECT id, due_at, (SELECT count(*) FROM deliveries AS d " +
	"WHERE d.holder IS NOT NULL AND d.lane = heads.id AND d.due_at > ?0) AS held FROM heads WHERE due_at <= ?0"

// DueReceivers lists the receivers with deliveries that are due at now.
func (s *Store) DueReceivers(ctx context.Context, now time.Time) ([]webhook.DueReceiver, error) {
	var rows []struct {
		ID    int64
		DueAt instant
		Held  int
	}
	if err := s.reader().NewRaw(dueReceivers, db.At(now)).Scan(ctx, &rows); err != nil {
		return nil, fmt.Errorf("receivers of due deliveries: %w", err)
	}
	list := make([]webhook.DueReceiver, len(rows))
	for i, r := range rows {
		list[i] = webhook.DueReceiver{ID: webhook.ReceiverID(r.ID), Since: r.DueAt.Time, Held: r.Held}
	}
	return list, nil
}

// maxUnion is how many receivers one statement asks for: SQLite takes at most
// 500 parts in a UNION.
const maxUnion = 100

// firstDue returns the first due deliveries of each receiver, as many as its share.
func (s *Store) firstDue(ctx context.Context, shares []webhook.Share, now time.Time) ([]int64, error) {
	var text strings.Builder
	var args []any
	for i, share := range shares {
		if i > 0 {
			text.WriteString(" UNION ALL ")
		}
		text.WriteString("SELECT * FROM (SELECT id FROM deliveries WHERE state = 'WAITING' AND lane = ? AND due_at <= ? " +
			"ORDER BY due_at LIMIT ?) AS r" + strconv.Itoa(i))
		args = append(args, int64(share.Receiver), db.At(now), share.N)
	}
	var ids []int64
	return ids, s.reader().NewRaw(text.String(), args...).Scan(ctx, &ids)
}
