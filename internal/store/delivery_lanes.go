package store

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/store/db"
)

// lane is a receiver that has deliveries due.
type lane struct {
	Lane  int64
	DueAt instant // when the first of them was due
	Held  int     // how many are being sent
}

// dueLanes visits each lane that has something waiting once: a loose scan of
// deliveries_by_lane. Its cost grows with the number of receivers, not with
// what waits for them.
const dueLanes = "WITH RECURSIVE lanes (lane) AS (" +
	"SELECT * FROM (SELECT lane FROM deliveries WHERE state = 'WAITING' ORDER BY lane LIMIT 1) AS first " +
	"UNION ALL " +
	"SELECT (SELECT d.lane FROM deliveries AS d WHERE d.state = 'WAITING' AND d.lane > lanes.lane ORDER BY d.lane LIMIT 1) " +
	"FROM lanes WHERE lanes.lane IS NOT NULL), " +
	"heads (lane, due_at) AS (SELECT lane, " +
	"(SELECT d.due_at FROM deliveries AS d WHERE d.state = 'WAITING' AND d.lane = lanes.lane ORDER BY d.due_at LIMIT 1) " +
	"FROM lanes WHERE lanes.lane IS NOT NULL) " +
	"SELECT lane, due_at, (SELECT count(*) FROM deliveries AS d " +
	"WHERE d.holder IS NOT NULL AND d.lane = heads.lane AND d.due_at > ?0) AS held FROM heads WHERE due_at <= ?0"

// maxUnion is how many lanes one statement asks: SQLite takes at most 500
// parts in a UNION.
const maxUnion = 100

// candidate is a delivery that could be claimed.
type candidate struct {
	ID    int64
	Lane  int64
	DueAt instant
	rank  int // how many of its lane come before it, those being sent included
}

// candidates returns what to claim. A lane's first delivery comes before any
// lane's second, so that a receiver with a long queue delays nobody.
func (s *Store) candidates(ctx context.Context, now time.Time, limit, perURL int) ([]int64, error) {
	var lanes []lane
	if err := s.reader().NewRaw(dueLanes, db.At(now)).Scan(ctx, &lanes); err != nil {
		return nil, err
	}
	lanes = slices.DeleteFunc(lanes, func(l lane) bool { return l.Held >= perURL })
	slices.SortFunc(lanes, func(a, b lane) int { return cmp.Or(a.Held-b.Held, a.DueAt.Compare(b.DueAt.Time)) })
	var all []candidate
	for part := range slices.Chunk(lanes[:min(len(lanes), limit)], maxUnion) {
		found, err := s.headsOf(ctx, part, now, min(perURL, limit))
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Or(a.rank-b.rank, a.DueAt.Compare(b.DueAt.Time)) })
	ids := make([]int64, min(len(all), limit))
	for i := range ids {
		ids[i] = all[i].ID
	}
	return ids, nil
}

// headsOf returns the first deliveries of each lane, as many as it may hold.
func (s *Store) headsOf(ctx context.Context, lanes []lane, now time.Time, perLane int) ([]candidate, error) {
	var text strings.Builder
	var args []any
	ranks := make(map[int64]int, len(lanes))
	for i, l := range lanes {
		if i > 0 {
			text.WriteString(" UNION ALL ")
		}
		text.WriteString("SELECT * FROM (SELECT id, lane, due_at FROM deliveries WHERE state = 'WAITING' AND lane = ? AND due_at <= ? " +
			"ORDER BY due_at LIMIT ?) AS l" + strconv.Itoa(i))
		args = append(args, l.Lane, db.At(now), max(perLane-l.Held, 0))
		ranks[l.Lane] = l.Held
	}
	var found []candidate
	if err := s.reader().NewRaw(text.String()+" ORDER BY lane, due_at", args...).Scan(ctx, &found); err != nil {
		return nil, err
	}
	for i := range found {
		found[i].rank = ranks[found[i].Lane]
		ranks[found[i].Lane]++
	}
	return found, nil
}
