package store

import (
	"context"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/report"
)

const selectPeople = "SELECT u.id, u.public_id, u.email, u.first_name, u.last_name, u.operator, u.created_at, u.disabled_at, " +
	"(SELECT count(*) FROM api_keys AS k WHERE k.user_id = u.id AND k.revoked_at IS NULL) AS keys, " +
	"EXISTS (SELECT 1 FROM payments AS p JOIN api_keys AS k ON k.id = p.key_id WHERE k.user_id = u.id) AS taken FROM users AS u "

type personRow struct {
	userRow

	Keys  int64
	Taken bool
}

func (r personRow) person() report.Person {
	return report.Person{User: r.user(), Keys: r.Keys, Payments: r.Taken}
}

// People lists users, the newest first.
func (s *Store) People(ctx context.Context, q report.PeopleQuery) ([]report.Person, error) {
	where, args := "WHERE u.id < ? ", []any{beforeOrLast(q.Before)}
	if q.Text != "" {
		ids, err := s.peopleByText(ctx, q.Text)
		if err != nil || len(ids) == 0 {
			return nil, wrapIf(err, "find users")
		}
		where, args = where+"AND u.id IN (?) ", append(args, bun.List(ids))
	}
	var rows []personRow
	if err := s.reader().NewRaw(selectPeople+where+"ORDER BY u.id DESC LIMIT ?", append(args, q.Limit)...).Scan(ctx, &rows); err != nil {
		return nil, wrapIf(err, "list users")
	}
	list := make([]report.Person, len(rows))
	for i, r := range rows {
		list[i] = r.person()
	}
	return list, nil
}

// Person returns the user of the public id, or identity.ErrUnknownUser.
func (s *Store) Person(ctx context.Context, publicID string) (report.Person, error) {
	if !storable(publicID) {
		return report.Person{}, identity.ErrUnknownUser
	}
	var rows []personRow
	if err := s.reader().NewRaw(selectPeople+"WHERE u.public_id = ?", publicID).Scan(ctx, &rows); err != nil {
		return report.Person{}, wrapIf(err, "user %s", publicID)
	}
	if len(rows) == 0 {
		return report.Person{}, identity.ErrUnknownUser
	}
	return rows[0].person(), nil
}

// lastChar sorts behind every text that begins as it does, byte by byte.
const lastChar = "\U0010FFFF"

// peopleByText returns the numbers of users the text may mean.
func (s *Store) peopleByText(ctx context.Context, text string) ([]int64, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	if !storable(text) {
		return nil, nil
	}
	bytewise, db := bun.Safe(s.db.Dialect().Bytewise), s.reader()
	var all []int64
	for _, way := range []*bun.RawQuery{
		db.NewRaw("SELECT id FROM users WHERE public_id = ?", strings.ToUpper(text)),
		db.NewRaw("SELECT user_id FROM api_keys WHERE public_id = ?", strings.ToUpper(text)),
		db.NewRaw("SELECT id FROM users WHERE email COLLATE ? >= ? AND email COLLATE ? < ? ORDER BY email COLLATE ? LIMIT ?",
			bytewise, text, bytewise, text+lastChar, bytewise, maxFound),
		db.NewRaw("SELECT user_id FROM api_keys WHERE lower(label) COLLATE ? >= ? AND lower(label) COLLATE ? < ? LIMIT ?",
			bytewise, text, bytewise, text+lastChar, maxFound),
	} {
		var found []int64
		if err := way.Scan(ctx, &found); err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// A delivery is tried within a second of being due, a sweep within some minutes
// of being planned.
const (
	lateDelivery = 5 * time.Minute
	lateSweep    = 10 * time.Minute
	lateRecharge = 10 * time.Minute // those looked after are looked at every few seconds
)

// Stuck tells what has waited longer than it should at now. Deposits below dust
// wait for more to come.
func (s *Store) Stuck(ctx context.Context, now time.Time, dust money.Micros) (report.Stuck, error) {
	var st report.Stuck
	var oldest instant
	err := s.reader().NewRaw("SELECT "+
		"(SELECT count(*) FROM deliveries WHERE state = 'WAITING' AND due_at < ?), "+
		"(SELECT min(due_at) FROM deliveries WHERE state = 'WAITING' AND due_at < ?), "+
		"(SELECT count(*) FROM sweeps WHERE ended_at IS NULL AND created_at < ?), "+
		"(SELECT count(*) FROM deposits AS d WHERE swept_at IS NULL AND state = 'FINAL' AND final_at < ? AND "+aboutUSD+" >= ?), "+
		"(SELECT count(*) FROM deposits AS d WHERE swept_at IS NULL AND state = 'FINAL' AND final_at < ? AND "+aboutUSD+" < ?), "+
		"(SELECT count(*) FROM recharges WHERE look_at < ?)",
		db.At(now.Add(-lateDelivery)), db.At(now.Add(-lateDelivery)), db.At(now.Add(-lateSweep)), db.At(now.Add(-day)), usd(dust), db.At(now.Add(-day)), usd(dust), db.At(now.Add(-lateRecharge))).
		Scan(ctx, &st.Deliveries, &oldest, &st.Sweeps, &st.Unswept, &st.Dust, &st.Recharges)
	st.OldestDue = oldest.Time
	return st, wrapIf(err, "stuck work")
}
