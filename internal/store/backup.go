package store

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/migrations"
)

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
		return t.NewRaw("SELECT network, scanned_number AS scanned, scanned_hash AS hash, rechecked_number AS rechecked "+
			"FROM cursors ORDER BY network").Scan(ctx, &c.Cursors)
	})
	return c, db.Wrap(err, "read the contents of the database")
}

func readCounts(ctx context.Context, t bun.IDB, counts map[string]int64) error {
	var tables []string
	err := t.NewRaw("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'").
		Scan(ctx, &tables)
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

// ledgerSums adds the entries of each unit up, by the kind of account.
func ledgerSums(ctx context.Context, t bun.IDB) ([]backup.Sum, error) {
	var sums []accountSum
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
