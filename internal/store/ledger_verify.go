package store

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/store/db"
)

// verifyMargin is how much earlier than the last check payments are read: clocks of servers differ, and a payment may
// have been on its way into the database.
const verifyMargin = time.Hour

// LedgerResult is what a check found.
type LedgerResult struct {
	Entries     int64     // that were read
	Since       time.Time // of the check that it went on from; zero: everything was read
	Differences []string
}

// verifiedHead is the last check.
type verifiedHead struct {
	ThroughID int64 // entries up to it are proven: their sums are kept
	ProvenAt  time.Time
	NextID    int64 // the newest entry then
	NextAt    time.Time
}

// VerifyNews verifies what was posted, started, bought and sold since the last check, all balances against all
// entries, and keeps the check if nothing differs. Without a check it reads everything. An entry is proven once, and
// only after every transaction that could still store one with a smaller id has ended: entries are append-only, so what
// they added up to then stays so.
func (s *Store) VerifyNews(ctx context.Context, now time.Time) (LedgerResult, error) {
	last, bound, err := beginVerify(ctx, s.db)
	if err != nil {
		return LedgerResult{}, db.Wrap(err, "last check of the ledger")
	}
	c := newLedgerCheck(s.db)
	c.last, c.bound = last, bound
	if err := c.run(ctx, s.db); err != nil {
		return LedgerResult{}, db.Wrap(err, "verify the ledger since the last check")
	}
	if len(c.Differences) == 0 {
		err = c.keep(ctx, s.db, now)
	}
	return c.LedgerResult, db.Wrap(err, "keep the check of the ledger")
}

// VerifyLedger adds the whole ledger up, and keeps no check. Each balance must be the sum of its entries, all accounts
// of a unit must add up to nothing, each start of a payment must be paid for once, each top-up must have brought its
// key what is recorded with it, and the sales of each quarter of an hour must be those of its payments.
func (s *Store) VerifyLedger(ctx context.Context) (entries int64, differences []string, err error) {
	c := newLedgerCheck(s.db)
	err = c.run(ctx, s.db)
	return c.Entries, c.Differences, db.Wrap(err, "verify the ledger")
}

// beginVerify returns the last check, and the entry up to which nothing can be stored any more.
func beginVerify(ctx context.Context, e db.Engine) (last verifiedHead, bound int64, err error) {
	var rows []verifiedHead
	err = e.Reader().NewRaw("SELECT through_id, proven_at, next_id, next_at FROM ledger_proofs WHERE only_row = 1").Scan(ctx, &rows)
	if err != nil {
		return verifiedHead{}, 0, err
	}
	if len(rows) > 0 {
		last = rows[0]
	}
	if !e.Dialect().ManyWriters {
		return last, last.NextID, nil // there is one writer: ids grow in the order of commits
	}
	newest := last
	if err := e.Reader().NewRaw("SELECT coalesce(max(id), ?0) FROM ledger_entries WHERE id > ?0", last.NextID).
		Scan(ctx, &newest.NextID); err != nil {
		return verifiedHead{}, 0, err
	}
	if err := e.Reader().NewRaw("SELECT clock_timestamp()").Scan(ctx, db.Time(&newest.NextAt)); err != nil {
		return verifiedHead{}, 0, err
	}
	for _, h := range []verifiedHead{newest, last} {
		if h.NextID == 0 {
			continue
		}
		ended, err := postingsEnded(ctx, e, h.NextAt)
		if err != nil || ended {
			return last, h.NextID, err
		}
	}
	return last, last.ThroughID, nil
}

// postingsEnded reports whether every transaction of before has ended that can post: one may hold a smaller id than
// those that were seen then. This is asked before the snapshot is taken, so that what has ended is in it. Of other
// roles it may not be shown.
func postingsEnded(ctx context.Context, e db.Engine, before time.Time) (bool, error) {
	var running int64
	err := e.Reader().NewRaw(`SELECT (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
		AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND (xact_start < ? OR state IS NULL OR state = 'disabled')
		AND has_table_privilege(usesysid, 'ledger_entries'::regclass, 'INSERT')) +
		(SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database())`, before).Scan(ctx, &running)
	return running == 0, err
}

// ledgerCheck is one verification.
type ledgerCheck struct {
	LedgerResult

	last    verifiedHead
	bound   int64
	many    bool
	quarter string // db.Dialect.QuarterOf
	proven  map[account]int64
	newest  int64
	at      time.Time // of the snapshot, by the clock of the database
}

func newLedgerCheck(e db.Engine) ledgerCheck {
	return ledgerCheck{many: e.Dialect().ManyWriters, quarter: e.Dialect().QuarterOf}
}

// run reads one snapshot.
func (c *ledgerCheck) run(ctx context.Context, e db.Engine) error {
	return e.Snapshot(db.Unhurried(ctx), func(ctx context.Context, t db.Tx) error {
		c.LedgerResult = LedgerResult{Since: c.last.ProvenAt}
		for _, part := range []func(context.Context, db.Tx) error{c.accounts, c.starts, c.topUps, c.sales, c.end} {
			if err := part(ctx, t); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *ledgerCheck) differf(format string, args ...any) {
	c.Differences = append(c.Differences, fmt.Sprintf(format, args...))
}

// from is since when payments are read.
func (c *ledgerCheck) from() time.Time {
	if c.last.ProvenAt.IsZero() {
		return time.Unix(0, 0)
	}
	return c.last.ProvenAt.Add(-verifyMargin)
}

// end takes the time of the database once the snapshot is taken.
func (c *ledgerCheck) end(ctx context.Context, t db.Tx) error {
	if !c.many {
		c.bound = c.newest
		return nil
	}
	return t.NewRaw("SELECT clock_timestamp()").Scan(ctx, db.Time(&c.at))
}

var keepSum = db.ForRows(`INSERT INTO ledger_proof_sums (unit, account, balance)
	SELECT n.unit, n.account, n.balance FROM {rows} WHERE TRUE
	ON CONFLICT (unit, account) DO UPDATE SET balance = excluded.balance`,
	"unit text", "account text", "balance bigint")

// keep stores the check, unless another check has stored one meanwhile.
func (c *ledgerCheck) keep(ctx context.Context, e db.Engine, now time.Time) error {
	at := c.at
	if !c.many {
		at = now
	}
	return e.Write(ctx, func(ctx context.Context, t db.Tx) error {
		if _, err := t.NewRaw(`INSERT INTO ledger_proofs (only_row, through_id, proven_at, next_id, next_at) VALUES (1, 0, ?, 0, ?)
			ON CONFLICT (only_row) DO NOTHING`, now, at).Exec(ctx); err != nil {
			return err
		}
		res, err := t.NewRaw(`UPDATE ledger_proofs SET through_id = ?, proven_at = ?, next_id = ?, next_at = ?
			WHERE only_row = 1 AND through_id = ? AND next_id = ?`,
			c.bound, now, c.newest, at, c.last.ThroughID, c.last.NextID).Exec(ctx)
		if err != nil {
			return err
		}
		if kept, err := res.RowsAffected(); err != nil || kept == 0 {
			return err
		}
		var sums []*db.Stmt
		for a, sum := range c.proven {
			sums = append(sums, keepSum.With(a.unit, a.name, sum).AnyNumber())
		}
		return t.Run(ctx, sums...)
	})
}
