package store

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/migrations"
)

// SQLiteFile returns the file of the database at the URL, or fails if it is not SQLite.
func SQLiteFile(url string) (string, error) { return db.SQLitePath(url) }

// SeveralHosts reports whether the URL names several PostgreSQL servers, of which one takes over from another.
func SeveralHosts(url string) bool { return db.SeveralHosts(url) }

// These are those of db.
var (
	ErrOtherSchema = db.ErrOtherSchema
	ErrStandby     = db.ErrStandby
)

// Host is a PostgreSQL server of a database URL, as Hosts finds it.
type Host = db.Host

// Hosts asks each PostgreSQL server of the URL by itself whether it takes writes.
func Hosts(ctx context.Context, url string) ([]Host, error) { return db.Hosts(ctx, url) }

// CheckURL refuses the URL of a database that cannot be used, with the reason, which does not repeat it.
func CheckURL(url string) error { return db.CheckURL(url) }

// FileURL returns the URL of the SQLite database in the file.
func FileURL(path string) string { return db.SQLiteURL(path) }

// ReplaceFile puts a SQLite database where another one may be, which is kept under the name it returns. It fails while
// a program has either open. At no moment is there no database in the place.
func ReplaceFile(ctx context.Context, from, path string, now time.Time) (kept string, err error) {
	return db.ReplaceFile(ctx, from, path, now.UTC().Format("20060102T150405Z"))
}

// CheckClosed fails while a program has the SQLite database at the path open.
func CheckClosed(ctx context.Context, path string) error {
	if err := db.Seclude(ctx, path); db.IsConflict(err) {
		return fmt.Errorf("a server runs on the database; stop it: %w", err)
	}
	return nil // what else is wrong with it is found by opening it
}

// MarkFile returns where the mark of the database at the URL is by default: beside a SQLite database; empty for
// PostgreSQL, whose servers are elsewhere.
func MarkFile(url string) string {
	path, err := db.SQLitePath(url)
	if err != nil {
		return ""
	}
	return path + db.MarkEnding
}

// CopyFile copies one moment of the SQLite database at the path into a new file, while other programs use it, and
// verifies the copy. It neither makes nor migrates a database.
func CopyFile(ctx context.Context, path, to string) error {
	if err := db.CopyFile(ctx, path, to); err != nil {
		return err
	}
	if err := db.CheckFile(ctx, to); err != nil {
		db.RemoveFile(to)
		return fmt.Errorf("copy the database: %w", err)
	}
	return nil
}

// RecordBackup stores in the SQLite database at the path that there is a backup of the moment.
func RecordBackup(ctx context.Context, path string, at time.Time) error {
	err := db.WriteFile(ctx, path, func(ctx context.Context, t bun.IDB) error {
		_, err := t.NewRaw("UPDATE instance SET backed_up_at = ? WHERE backed_up_at IS NULL OR backed_up_at < ?",
			at, at).Exec(ctx)
		return err
	})
	return db.Wrap(err, "record the backup in the database")
}

// KnownMigrations lists the migrations of this program by name.
func KnownMigrations() []string {
	files, err := fs.Glob(migrations.SQLite(), "*.up.sql")
	if err != nil {
		panic(fmt.Sprintf("store: the pattern of migrations: %v", err))
	}
	names := make([]string, len(files))
	for i, f := range files {
		names[i], _, _ = strings.Cut(f, "_") // as bun names them
	}
	return names
}

// CheckFile verifies the structure of the SQLite database at the path and returns what it holds.
func CheckFile(ctx context.Context, path string) (backup.Contents, error) {
	if err := db.CheckFile(ctx, path); err != nil {
		return backup.Contents{}, err
	}
	return ReadContents(ctx, path)
}

// ReadContents returns what the SQLite database at the path holds, of any schema of a released version. It must not be
// in use: its parts are read one after the other.
func ReadContents(ctx context.Context, path string) (c backup.Contents, err error) {
	err = db.ReadFile(ctx, path, func(ctx context.Context, t bun.IDB) error {
		c = backup.Contents{Tables: make(map[string]int64)}
		if err := t.NewRaw("SELECT name FROM bun_migrations ORDER BY name").Scan(ctx, &c.Schema); err != nil {
			return err
		}
		if err := t.NewRaw("SELECT generation FROM instance").Scan(ctx, &c.Generation); err != nil {
			return err
		}
		if err := readCounts(ctx, t, c.Tables); err != nil {
			return err
		}
		if c.Ledger, err = ledgerSums(ctx, t); err != nil {
			return err
		}
		return t.NewRaw(`SELECT network, scanned_number AS scanned, scanned_hash AS hash, rechecked_number AS rechecked
			FROM cursors ORDER BY network`).Scan(ctx, &c.Cursors)
	})
	return c, db.Wrap(err, "read the contents of the database")
}

func readCounts(ctx context.Context, t bun.IDB, counts map[string]int64) error {
	var tables []string
	// An index of words is neither read nor counted: it is a virtual table, with tables of its own.
	err := t.NewRaw(`SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
		AND name NOT LIKE 'sqlite!_%' ESCAPE '!'`).Scan(ctx, &tables)
	if err != nil {
		return err
	}
	for _, name := range tables {
		var n int64
		if err := t.NewRaw("SELECT count(*) FROM ?", bun.Ident(name)).Scan(ctx, &n); err != nil {
			return err
		}
		counts[name] = n
	}
	return nil
}

// accountSums adds up the entries of every account.
const accountSums = `SELECT unit, account, CAST(sum(delta) AS bigint) AS balance FROM (
	SELECT unit, to_account AS account, count AS delta FROM ledger_entries UNION ALL
	SELECT unit, from_account, -count FROM ledger_entries) AS sides GROUP BY unit, account ORDER BY unit, account`

// ledgerSums adds the entries of each unit up, by the kind of account.
func ledgerSums(ctx context.Context, t bun.IDB) ([]backup.Sum, error) {
	var sums []struct {
		Unit, Account string
		Balance       int64
	}
	if err := t.NewRaw(accountSums).Scan(ctx, &sums); err != nil {
		return nil, err
	}
	var list []backup.Sum
	for _, a := range sums {
		if len(list) == 0 || list[len(list)-1].Unit != a.Unit {
			list = append(list, backup.Sum{Unit: a.Unit})
		}
		s := &list[len(list)-1]
		account := ledger.Account(a.Account)
		switch _, held := account.HeldID(); {
		case account == ledger.Issued:
			s.Issued += a.Balance
		case account == ledger.Spent:
			s.Spent += a.Balance
		case held:
			s.Held += a.Balance
		default:
			s.Balance += a.Balance
		}
	}
	return list, nil
}
