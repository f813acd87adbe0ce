package store

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/report"
)

// People lists users before the one given (0: from the newest), the newest first.
func (s *Store) People(ctx context.Context, before int64, limit int) ([]report.Person, error) {
	q, args := "", []any{}
	if before > 0 {
		q, args = "WHERE u.id < ? ", []any{before}
	}
	var rows []struct {
		userRow
		Keys  int64
		Taken bool
	}
	err := s.reader().NewRaw("SELECT u.id, u.public_id, u.email, u.first_name, u.last_name, u.operator, u.created_at, "+
		"(SELECT count(*) FROM api_keys AS k WHERE k.user_id = u.id AND k.revoked_at IS NULL) AS keys, "+
		"EXISTS (SELECT 1 FROM payments AS p JOIN api_keys AS k ON k.id = p.key_id WHERE k.user_id = u.id) AS taken "+
		"FROM users AS u "+q+"ORDER BY u.id DESC LIMIT ?", append(args, limit)...).Scan(ctx, &rows)
	if err != nil {
		return nil, wrapIf(err, "list users")
	}
	list := make([]report.Person, len(rows))
	for i, r := range rows {
		list[i] = report.Person{User: r.user(), Keys: r.Keys, Payments: r.Taken}
	}
	return list, nil
}

// Stuck tells what has waited longer than it should at now. Deposits below dust
// wait for more to come.
func (s *Store) Stuck(ctx context.Context, now time.Time, dust money.Micros) (report.Stuck, error) {
	const late = 5 * time.Minute // a delivery is tried within a second of being due; a sweep within some minutes
	var st report.Stuck
	var oldest instant
	err := s.reader().NewRaw("SELECT "+
		"(SELECT count(*) FROM deliveries WHERE state = 'WAITING' AND due_at < ?), "+
		"(SELECT min(due_at) FROM deliveries WHERE state = 'WAITING' AND due_at < ?), "+
		"(SELECT count(*) FROM sweeps WHERE ended_at IS NULL AND created_at < ?), "+
		"(SELECT count(*) FROM deposits AS d WHERE swept_at IS NULL AND state = 'FINAL' AND final_at < ? AND "+aboutUSD+" >= ?), "+
		"(SELECT count(*) FROM deposits AS d WHERE swept_at IS NULL AND state = 'FINAL' AND final_at < ? AND "+aboutUSD+" < ?)",
		at(now.Add(-late)), at(now.Add(-late)), at(now.Add(-2*late)), at(now.Add(-day)), usd(dust), at(now.Add(-day)), usd(dust)).
		Scan(ctx, &st.Deliveries, &oldest, &st.Sweeps, &st.Unswept, &st.Dust)
	st.OldestDue = oldest.Time
	return st, wrapIf(err, "stuck work")
}
