package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/uptrace/bun"
)

// purse is one balance: what a key has of a unit.
type purse struct {
	keyID int64
	unit  ledger.Unit
}

// posting books entries in one transaction: load locks the purses they touch,
// post decides in memory, save writes. So entries that a balance does not
// cover are refused before anything is written.
type posting struct {
	balances map[purse]int64
	changes  map[purse]int64
	known    map[entryKey]ledger.Entry
	posted   []ledger.Entry
}

type entryKey struct {
	ref  string
	unit ledger.Unit
}

// book loads, posts and saves the entries.
func book(ctx context.Context, c conn, list []ledger.Entry) error {
	if len(list) == 0 {
		return nil
	}
	var l posting
	if err := l.load(ctx, c, list); err != nil {
		return err
	}
	if err := l.post(list); err != nil {
		return err
	}
	return db.RunEach(ctx, c, l.save())
}

// load locks the purses of the entries, in one order for everybody, and reads
// which entries are booked already. Two bookings of one entry touch the same
// purse, so the later one finds the earlier.
func (l *posting) load(ctx context.Context, c conn, list []ledger.Entry) error {
	l.balances, l.changes = make(map[purse]int64), make(map[purse]int64)
	l.known = make(map[entryKey]ledger.Entry)
	var purses []purse
	for _, e := range list {
		purses = append(purses, pursesOf(e)...)
	}
	slices.SortFunc(purses, func(a, b purse) int {
		return cmp.Or(cmp.Compare(a.keyID, b.keyID), cmp.Compare(a.unit, b.unit))
	})
	var calls []*db.Stmt
	for _, p := range slices.Compact(purses) {
		calls = append(calls, l.lockPurse(c, p))
	}
	// The entries are looked up only when the purses are locked: on
	// PostgreSQL every statement sees what is committed when it begins.
	for _, e := range list {
		calls = append(calls, l.lookUp(e))
	}
	return c.Run(ctx, calls...)
}

func (l *posting) lockPurse(c conn, p purse) *db.Stmt {
	return db.Query(func(scan scan) error {
		var balance int64
		err := scan(&balance)
		l.balances[p] = balance
		return err
	}, "SELECT balance FROM balances WHERE key_id = ? AND unit = ?"+c.ForUpdate(), p.keyID, string(p.unit))
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

func (l *posting) lookUp(e ledger.Entry) *db.Stmt {
	return selectEntry.Query(func(scan scan) error {
		var row entryRow
		err := scan(entries.Dest(&row)...)
		l.known[entryKey{row.Ref, ledger.Unit(row.Unit)}] = row.entry()
		return err
	}, e.Ref, string(e.Unit))
}

// post books all of the entries or none of them, in memory. One that is booked
// already is left out.
func (l *posting) post(list []ledger.Entry) error {
	before := len(l.posted)
	for _, e := range list {
		if err := l.postOne(e); err != nil {
			for _, e := range l.posted[before:] {
				l.shift(e.From, e.Unit, e.Count)
				l.shift(e.To, e.Unit, -e.Count)
				delete(l.known, entryKey{e.Ref, e.Unit})
			}
			l.posted = l.posted[:before]
			return err
		}
	}
	return nil
}

func (l *posting) postOne(e ledger.Entry) error {
	key := entryKey{e.Ref, e.Unit}
	if known, ok := l.known[key]; ok {
		if known.From != e.From || known.To != e.To || known.Count != e.Count {
			return fmt.Errorf("entry %s in %s is booked already with another content", e.Ref, e.Unit)
		}
		return nil
	}
	if e.Count < 1 || e.Ref == "" || e.From == e.To {
		return fmt.Errorf("entry %q moves %d from %s to %s", e.Ref, e.Count, e.From, e.To)
	}
	for _, p := range pursesOf(e) {
		if _, ok := l.balances[p]; !ok {
			return merchant.ErrUnknownKey
		}
	}
	if id, ok := keyOf(e.From); ok && l.balances[purse{id, e.Unit}] < e.Count {
		return ledger.Shortage(e.Unit)
	}
	l.shift(e.From, e.Unit, -e.Count)
	l.shift(e.To, e.Unit, e.Count)
	l.known[key] = e
	l.posted = append(l.posted, e)
	return nil
}

// shift changes the balance of a key; the accounts of the house have none.
func (l *posting) shift(a ledger.Account, unit ledger.Unit, count int64) {
	if id, ok := keyOf(a); ok {
		l.balances[purse{id, unit}] += count
		l.changes[purse{id, unit}] += count
	}
}

// save returns the calls that write what was posted; each writes one row.
func (l *posting) save() []*db.Stmt {
	var calls []*db.Stmt
	for _, e := range l.posted {
		calls = append(calls, insertEntry.With(entries.Values(rowOfEntry(e))...))
	}
	for p, n := range l.changes {
		calls = append(calls, db.Exec("UPDATE balances SET balance = balance + ? WHERE key_id = ? AND unit = ?",
			n, p.keyID, string(p.unit)))
		if left := l.balances[p]; p.unit == ledger.Credit && ledger.IsLow(left) && !ledger.IsLow(left-n) {
			calls = append(calls, fallsLow(p.keyID, l.posted))
		}
	}
	return calls
}

func pursesOf(e ledger.Entry) []purse {
	var purses []purse
	for _, a := range []ledger.Account{e.From, e.To} {
		if id, ok := keyOf(a); ok {
			purses = append(purses, purse{id, e.Unit})
		}
	}
	return purses
}

// keyOf returns the number of the key whose account it is.
func keyOf(a ledger.Account) (int64, bool) {
	digits, ok := strings.CutPrefix(string(a), "key:")
	if !ok {
		return 0, false
	}
	id, err := strconv.ParseInt(digits, 10, 64)
	return id, err == nil && ledger.Key(id) == a
}
