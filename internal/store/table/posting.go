package table

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
)

// Posting is ledger.Posting with its loads and writes. It loads balances and locks them, decides in memory, and then
// writes, so entries that a balance does not cover are refused before anything is written.
type Posting struct{ ledger.Posting }

// Post loads, posts and writes the entries.
func Post(ctx context.Context, c db.Conn, list []ledger.Entry) error {
	if len(list) == 0 {
		return nil
	}
	var p Posting
	if err := p.Load(ctx, c, list); err != nil {
		return err
	}
	if err := p.Post(list); err != nil {
		return err
	}
	return db.RunEach(ctx, c, p.Writes())
}

// Load locks the accounts of the entries, always in the same order, and reads which entries are posted already. Two
// postings of one entry touch the same account, so the later one finds the earlier.
func (p *Posting) Load(ctx context.Context, c db.Conn, list []ledger.Entry) error {
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

func (p *Posting) lock(c db.Conn, a ledger.KeyAccount) *db.Stmt {
	return db.Query(func(scan db.Scan) error {
		var f ledger.Funds
		err := scan(&f.Balance, &f.Held)
		p.SetBalance(a, f)
		return err
	}, "SELECT balance, held FROM balances WHERE key_id = ? AND unit = ?"+c.ForUpdate(), a.KeyID, string(a.Unit))
}

// entries generates the statements of ledger entries, which are never changed.
var entries = db.NewTable[ledger.Entry]("ledger_entries", "fixed: ref unit from_account=From to_account=To count reason at")

var (
	selectEntry = db.ForRows("SELECT "+entries.Columns("e")+" FROM {rows} JOIN ledger_entries AS e ON e.ref = n.ref AND e.unit = n.unit",
		"ref text", "unit text")
	insertEntry = entries.Insert("")
)

func (p *Posting) lookUp(e ledger.Entry) *db.Stmt {
	return selectEntry.Query(func(scan db.Scan) error {
		var posted ledger.Entry
		err := scan(entries.Dest(&posted)...)
		p.SetPosted(posted)
		return err
	}, e.Ref, string(e.Unit))
}

// Post is ledger.Posting.Post, to which an account is that of a key.
func (p *Posting) Post(list []ledger.Entry) error {
	err := p.Posting.Post(list)
	if errors.Is(err, ledger.ErrNoAccount) {
		return merchant.ErrUnknownKey
	}
	return err
}

// Writes returns the statements that write what was posted; each writes one row.
func (p *Posting) Writes() []*db.Stmt {
	var calls []*db.Stmt
	for _, e := range p.Posted() {
		calls = append(calls, insertEntry.With(entries.Values(&e)...))
	}
	for a, n := range p.Changes() {
		calls = append(calls, db.Exec("UPDATE balances SET balance = balance + ?, held = held + ? WHERE key_id = ? AND unit = ?",
			n.Balance, n.Held, a.KeyID, string(a.Unit)))
		if p.FellLow(a) {
			calls = append(calls, fallsLow(a.KeyID, p.Posted()))
		}
	}
	return calls
}

// fallsLow stores a mail about the credits of a key that have fallen to ledger.Low, in the transaction of the entries
// that cause it.
func fallsLow(keyID int64, posted []ledger.Entry) *db.Stmt {
	var when time.Time
	for _, e := range posted {
		if e.At.After(when) {
			when = e.At
		}
	}
	return CreditMail(mail.Low, keyID, when)
}
