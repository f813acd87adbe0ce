package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/proof"
	"github.com/florinpay/florin/internal/store/table"
)

// LedgerCheck returns the last check of the book that was asked for; ok is
// false if there was none.
func (s *Store) LedgerCheck(ctx context.Context) (c ledger.Check, ok bool, err error) {
	var rows []struct {
		AskedAt     instant
		AskedBy     string
		EndedAt     instant
		Entries     int64
		Differences string
		Found       int64
		Problem     string
	}
	err = s.db.Reader().NewRaw("SELECT asked_at, asked_by, ended_at, entries, differences, found, problem FROM ledger_checks WHERE only_row = 1").Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return ledger.Check{}, false, db.Wrap(err, "last check of the ledger")
	}
	r := rows[0]
	c = ledger.Check{
		AskedAt: r.AskedAt.Time, AskedBy: r.AskedBy, EndedAt: r.EndedAt.Time, Entries: r.Entries,
		Found: r.Found, Problem: r.Problem,
	}
	err = json.Unmarshal([]byte(r.Differences), &c.Differences)
	return c, err == nil, db.Wrap(err, "last check of the ledger")
}

// AskLedgerCheck asks for the book to be added up; asked is false while another
// check is under way that was asked for after stale, before which one counts as
// given up.
func (s *Store) AskLedgerCheck(
	ctx context.Context, by string, now, stale time.Time, trail ...audit.Entry,
) (asked bool, err error) {
	return table.WriteOneAudited(ctx, s.db, trail, table.AuditFields{}, "INSERT INTO ledger_checks (only_row, asked_at, asked_by, entries, differences, found, problem) VALUES (1, ?, ?, 0, '[]', 0, '') "+
		"ON CONFLICT (only_row) DO UPDATE SET asked_at = excluded.asked_at, asked_by = excluded.asked_by, ended_at = NULL, entries = 0, differences = '[]', "+
		"found = 0, problem = '' WHERE ledger_checks.ended_at IS NOT NULL OR ledger_checks.asked_at <= ?", db.At(now), db.Shown(by), db.At(stale))
}

// EndLedgerCheck stores what came of the check that was asked for at c.AskedAt.
func (s *Store) EndLedgerCheck(ctx context.Context, c ledger.Check) error {
	texts, err := json.Marshal(append([]string{}, c.Differences...))
	if err != nil {
		return db.Wrap(err, "end the check of the ledger")
	}
	_, err = db.WriteOne(ctx, s.db, "UPDATE ledger_checks SET ended_at = ?, entries = ?, differences = ?, found = ?, problem = ? WHERE only_row = 1 AND asked_at = ? AND ended_at IS NULL",
		db.At(c.EndedAt), c.Entries, string(texts), c.Found, c.Problem, db.At(c.AskedAt))
	return db.Wrap(err, "end the check of the ledger")
}

// ProveLedger is proof.Since.
func (s *Store) ProveLedger(ctx context.Context, now time.Time) (proof.Result, error) {
	return proof.Since(ctx, s.db, now)
}

// accountSum is what the entries of an account add up to.
type accountSum struct {
	Unit    string
	Account string
	Balance int64
}

// VerifyLedger adds the whole book up and returns what does not agree: each
// balance must be the sum of its entries, all accounts of a unit must add up
// to nothing, each start of a payment must be paid for once, each top-up must
// have brought its key what is recorded with it, and the sales of each day must
// be those of its payments.
func (s *Store) VerifyLedger(ctx context.Context) (entries int64, differences []string, err error) {
	err = s.db.Snapshot(ctx, func(ctx context.Context, t tx) error {
		differences = nil
		if err := t.NewRaw("SELECT count(*) FROM ledger_entries").Scan(ctx, &entries); err != nil {
			return err
		}
		for _, check := range []func(context.Context, tx) ([]string, error){
			checkAccounts, checkStarts, checkTopUps, s.checkSales,
		} {
			found, err := check(ctx, t)
			if err != nil {
				return err
			}
			differences = append(differences, found...)
		}
		return nil
	})
	if err != nil {
		return 0, nil, fmt.Errorf("verify the ledger: %w", err)
	}
	return entries, differences, nil
}

// accountSums reads the accountSum of every account.
const accountSums = "SELECT unit, account, CAST(sum(delta) AS bigint) AS balance FROM (" +
	"SELECT unit, to_account AS account, count AS delta FROM ledger_entries UNION ALL " +
	"SELECT unit, from_account, -count FROM ledger_entries) AS sides GROUP BY unit, account ORDER BY unit, account"

func checkAccounts(ctx context.Context, t tx) ([]string, error) {
	var sums []accountSum
	err := t.NewRaw(accountSums).Scan(ctx, &sums)
	if err != nil {
		return nil, err
	}
	var kept []struct {
		KeyID   int64
		Unit    string
		Balance int64
		Held    int64
	}
	if err := t.NewRaw("SELECT key_id, unit, balance, held FROM balances ORDER BY unit, key_id").Scan(ctx, &kept); err != nil {
		return nil, err
	}
	var texts []string
	total := make(map[string]int64)
	posted := make(map[ledger.KeyAccount]ledger.Funds)
	for _, a := range sums {
		total[a.Unit] += a.Balance
		id, isKey := ledger.Account(a.Account).KeyID()
		holder, isHeld := ledger.Account(a.Account).HeldID()
		account := ledger.KeyAccount{KeyID: max(id, holder), Unit: ledger.Unit(a.Unit)}
		funds := posted[account]
		switch {
		case isKey:
			funds.Balance = a.Balance
			posted[account] = funds
		case isHeld:
			funds.Held = a.Balance
			posted[account] = funds
		case a.Account != string(ledger.Issued) && a.Account != string(ledger.Spent):
			texts = append(texts, fmt.Sprintf("account %q in %s belongs to no key", a.Account, a.Unit))
		}
	}
	for unit, sum := range total {
		if sum != 0 {
			texts = append(texts, fmt.Sprintf("all accounts in %s add up to %d, not to 0", unit, sum))
		}
	}
	for _, k := range kept {
		p := ledger.KeyAccount{KeyID: k.KeyID, Unit: ledger.Unit(k.Unit)}
		if k.Balance != posted[p].Balance {
			texts = append(texts, fmt.Sprintf("key %d has a balance of %d in %s, and its entries add up to %d",
				k.KeyID, k.Balance, k.Unit, posted[p].Balance))
		}
		if k.Held != posted[p].Held {
			texts = append(texts, fmt.Sprintf("key %d has %d held in %s, and its entries add up to %d",
				k.KeyID, k.Held, k.Unit, posted[p].Held))
		}
		delete(posted, p)
	}
	for p, sum := range posted {
		texts = append(texts, fmt.Sprintf("key %d has entries of %d in %s and no balance", p.KeyID, sum.Balance+sum.Held, p.Unit))
	}
	return texts, nil
}

// checkStarts: a start costs the key one credit, top-ups excepted.
func checkStarts(ctx context.Context, t tx) ([]string, error) {
	var unpaid []string
	err := t.NewRaw("SELECT p.public_id FROM payments AS p WHERE p.started_at IS NOT NULL AND p.kind <> ? AND NOT EXISTS ("+
		"SELECT 1 FROM ledger_entries AS e WHERE e.ref = 'start:' || p.public_id AND e.unit = ? AND e.count = 1 "+
		"AND e.from_account = 'key:' || p.key_id AND e.to_account IN (?, 'held:' || p.key_id)) ORDER BY p.id",
		string(payment.KindTopUp), string(ledger.Credit), string(ledger.Spent)).Scan(ctx, &unpaid)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, id := range unpaid {
		texts = append(texts, fmt.Sprintf("payment %s was started, and its key did not pay one credit for it", id))
	}
	return texts, nil
}

// checkTopUps: the entries of a top-up add up to the credits recorded with it, and
// each belongs to a top-up of the key that received it.
func checkTopUps(ctx context.Context, t tx) ([]string, error) {
	var wrong []struct {
		PublicID string
		Credited int64
		Posted   int64
	}
	err := t.NewRaw("SELECT public_id, CAST(sum(credited) AS bigint) AS credited, CAST(sum(posted) AS bigint) AS posted FROM ("+
		"SELECT public_id, 'key:' || key_id AS account, credited, 0 AS posted FROM payments WHERE kind = 'TOPUP' UNION ALL "+
		"SELECT substr(ref, 7, 26), to_account, 0, count FROM ledger_entries WHERE ref LIKE 'topup:%' AND unit = ?"+
		") AS sides GROUP BY public_id, account HAVING sum(credited) <> sum(posted) ORDER BY public_id, account",
		string(ledger.Credit)).Scan(ctx, &wrong)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, w := range wrong {
		texts = append(texts, fmt.Sprintf("top-up %s is recorded to have bought %d credits, and its entries add up to %d",
			w.PublicID, w.Credited, w.Posted))
	}
	return texts, nil
}
