package store

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/uptrace/bun"
)

// posting is ledger.Posting with its loads and writes. It loads balances and locks them, decides in memory, and then
// writes, so entries that a balance does not cover are refused before anything is written.
type posting struct{ ledger.Posting }

// post loads, posts and writes the entries.
func post(ctx context.Context, c conn, list []ledger.Entry) error {
	if len(list) == 0 {
		return nil
	}
	var p posting
	if err := p.load(ctx, c, list); err != nil {
		return err
	}
	if err := p.post(list); err != nil {
		return err
	}
	return db.RunEach(ctx, c, p.writes())
}

// load locks the accounts of the entries, always in the same order, and reads which entries are posted already. Two
// postings of one entry touch the same account, so the later one finds the earlier.
func (p *posting) load(ctx context.Context, c conn, list []ledger.Entry) error {
	var accounts []ledger.KeyAccount
	for _, e := range list {
		accounts = append(accounts, e.KeyAccounts()...)
	}
	slices.SortFunc(accounts, func(a, b ledger.KeyAccount) int {
		return cmp.Or(cmp.Compare(a.KeyID, b.KeyID), cmp.Compare(a.Unit, b.Unit))
	})
	var calls []*db.Stmt
	for _, a := range slices.Compact(accounts) {
		calls = append(calls, p.lock(c, a))
	}
	// Entries are looked up only when the accounts are locked: on PostgreSQL every statement sees what is committed
	// when it begins.
	for _, e := range list {
		calls = append(calls, p.lookUp(e))
	}
	return c.Run(ctx, calls...)
}

func (p *posting) lock(c conn, a ledger.KeyAccount) *db.Stmt {
	return db.Query(func(scan scan) error {
		var balance int64
		err := scan(&balance)
		p.SetBalance(a, balance)
		return err
	}, "SELECT balance FROM balances WHERE key_id = ? AND unit = ?"+c.ForUpdate(), a.KeyID, string(a.Unit))
}

// entries generates the statements of entryRow.
var entries = db.NewTable[entryRow]()

// entryRow is one entry of the ledger. Entries are never changed.
type entryRow struct {
	bun.BaseModel `bun:"table:ledger_entries,alias:e"`

	Ref         string
	Unit        string
	FromAccount string
	ToAccount   string
	Count       int64
	Reason      string
	At          instant
}

func rowOfEntry(e ledger.Entry) *entryRow {
	return &entryRow{
		Ref: e.Ref, Unit: string(e.Unit), FromAccount: string(e.From), ToAccount: string(e.To), Count: e.Count,
		Reason: string(e.Reason), At: db.At(e.At),
	}
}

func (r *entryRow) entry() ledger.Entry {
	return ledger.Entry{
		Ref: r.Ref, Unit: ledger.Unit(r.Unit), From: ledger.Account(r.FromAccount), To: ledger.Account(r.ToAccount),
		Count:  r.Count,
		Reason: ledger.Reason(r.Reason), At: r.At.Time,
	}
}

var (
	selectEntry = db.ForRows("SELECT "+entries.Columns("e")+" FROM {rows} JOIN ledger_entries AS e ON e.ref = n.ref AND e.unit = n.unit",
		"ref text", "unit text")
	insertEntry = entries.Insert("")
)

func (p *posting) lookUp(e ledger.Entry) *db.Stmt {
	return selectEntry.Query(func(scan scan) error {
		var row entryRow
		err := scan(entries.Dest(&row)...)
		p.SetPosted(row.entry())
		return err
	}, e.Ref, string(e.Unit))
}

// post is Post with the refusal that callers know.
func (p *posting) post(list []ledger.Entry) error {
	err := p.Post(list)
	if errors.Is(err, ledger.ErrNoAccount) {
		return merchant.ErrUnknownKey
	}
	return err
}

// writes returns the statements that write what was posted; each writes one row.
func (p *posting) writes() []*db.Stmt {
	var calls []*db.Stmt
	for _, e := range p.Posted() {
		calls = append(calls, insertEntry.With(entries.Values(rowOfEntry(e))...))
	}
	for a, n := range p.Changes() {
		calls = append(calls, db.Exec("UPDATE balances SET balance = balance + ? WHERE key_id = ? AND unit = ?",
			n, a.KeyID, string(a.Unit)))
		if p.FellLow(a) {
			calls = append(calls, fallsLow(a.KeyID, p.Posted()))
		}
	}
	return calls
}
