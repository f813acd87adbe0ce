package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// LedgerCheck returns the last check of the ledger that was asked for; ok is
// false if there was none.
func (s *Store) LedgerCheck(ctx context.Context) (c ledger.Check, ok bool, err error) {
	rows, err := db.All[ledgerCheckRow](ctx, s.db.Reader(), "SELECT * FROM ledger_checks WHERE only_row = 1")
	if err != nil || len(rows) == 0 {
		return ledger.Check{}, false, db.Wrap(err, "last check of the ledger")
	}
	c = rows[0].Check
	err = json.Unmarshal([]byte(rows[0].Texts), &c.Differences)
	return c, err == nil, db.Wrap(err, "last check of the ledger")
}

// ledgerCheckRow is a check whose differences are a JSON list.
type ledgerCheckRow struct {
	ledger.Check

	Texts string
}

var _ = db.NewTable[ledgerCheckRow]("ledger_checks", "read: asked_at asked_by ended_at entries differences=Texts found problem")

// AskLedgerCheck asks for the ledger to be added up; asked is false while another
// check is under way that was asked for after stale, before which one counts as
// given up.
func (s *Store) AskLedgerCheck(
	ctx context.Context, by string, now, stale time.Time, r audit.Record,
) (asked bool, err error) {
	return table.WriteOneAudited(ctx, s.db, s.sealer, r, table.AuditFields{}, `INSERT INTO ledger_checks (only_row, asked_at, asked_by, entries, differences, found, problem) VALUES (1, ?, ?, 0, '[]', 0, '')
		ON CONFLICT (only_row) DO UPDATE SET asked_at = excluded.asked_at, asked_by = excluded.asked_by, ended_at = NULL, entries = 0, differences = '[]',
		found = 0, problem = '' WHERE ledger_checks.ended_at IS NOT NULL OR ledger_checks.asked_at <= ?`, now, db.Shown(by), stale)
}

// EndLedgerCheck stores what came of the check that was asked for at c.AskedAt.
func (s *Store) EndLedgerCheck(ctx context.Context, c ledger.Check) error {
	texts, err := json.Marshal(append([]string{}, c.Differences...))
	if err != nil {
		return db.Wrap(err, "end the check of the ledger")
	}
	_, err = db.WriteOne(ctx, s.db, "UPDATE ledger_checks SET ended_at = ?, entries = ?, differences = ?, found = ?, problem = ? WHERE only_row = 1 AND asked_at = ? AND ended_at IS NULL",
		c.EndedAt, c.Entries, string(texts), c.Found, c.Problem, c.AskedAt)
	return db.Wrap(err, "end the check of the ledger")
}
