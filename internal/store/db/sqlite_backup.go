package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"modernc.org/sqlite"
)

// ErrNotSQLite: only a SQLite database is one file.
var ErrNotSQLite = errors.New("the database is not SQLite")

// SQLitePath returns the file of the database at the URL, or fails with ErrNotSQLite.
func SQLitePath(url string) (string, error) {
	place, err := parseURL(url)
	if err == nil && place.path == "" {
		err = ErrNotSQLite
	}
	return place.path, err
}

// SQLiteURL returns the URL of the database in the file.
func SQLiteURL(path string) string { return "sqlite://" + url.PathEscape(path) }

// SQLiteFiles lists the files that a SQLite database may consist of.
func SQLiteFiles(path string) []string {
	list := make([]string, len(companions))
	for i, end := range companions {
		list[i] = path + end
	}
	return list
}

// openFile opens a SQLite database that exists.
func openFile(path string, more ...string) (*bun.DB, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("path of the database: %w", err)
	}
	settings := url.Values{
		"mode": {"rw"}, // without it a missing file is made
		"_dqs": {"0"}, "_pragma": append([]string{fmt.Sprintf("busy_timeout(%d)", busyTimeoutMillis)}, more...),
	}
	name := url.URL{Scheme: "file", Path: full, RawQuery: settings.Encode()}
	pool, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	pool.SetMaxOpenConns(1)
	return newDB(pool, sqlitedialect.New()), nil
}

// ReadFile runs fn on a SQLite database that exists. fn only reads.
func ReadFile(ctx context.Context, path string, fn func(context.Context, bun.IDB) error) error {
	db, err := openFile(path, "query_only(1)")
	if err != nil {
		return err
	}
	return errors.Join(fn(ctx, db), db.Close())
}

// WriteFile runs fn on a SQLite database that exists, which other programs may be using.
func WriteFile(ctx context.Context, path string, fn func(context.Context, bun.IDB) error) error {
	db, err := openFile(path)
	if err != nil {
		return err
	}
	return errors.Join(fn(ctx, db), db.Close())
}

// CheckFile verifies the structure of a SQLite database: pages, indexes, and references between rows.
func CheckFile(ctx context.Context, path string) error {
	return ReadFile(ctx, path, func(ctx context.Context, db bun.IDB) error {
		var problems []string
		if err := db.NewRaw("SELECT integrity_check FROM pragma_integrity_check LIMIT 10").Scan(ctx, &problems); err != nil {
			return fmt.Errorf("integrity check: %w", err)
		}
		if len(problems) != 1 || problems[0] != "ok" {
			return fmt.Errorf("the database is damaged: %q", problems)
		}
		var orphans int64
		err := db.NewRaw("SELECT count(*) FROM pragma_foreign_key_check").Scan(ctx, &orphans)
		if err == nil && orphans > 0 {
			err = fmt.Errorf("%d rows refer to rows that do not exist", orphans)
		}
		return Wrap(err, "check the references")
	})
}

// Seclude turns the write-ahead log of a database into part of its file, so that the file alone is the database. It
// fails while any program has the database open.
func Seclude(ctx context.Context, path string) error {
	db, err := openFile(path, "busy_timeout(1000)") // commands and backups end sooner, servers later
	if err != nil {
		return err
	}
	var mode string
	err = db.NewRaw("PRAGMA journal_mode = DELETE").Scan(ctx, &mode)
	if err == nil && mode != "delete" {
		err = fmt.Errorf("its journal mode is %s", mode)
	}
	return errors.Join(Wrap(err, "take the database from other programs"), db.Close())
}

// copyPages is how many pages are copied between two looks at the context.
const copyPages = 1_000

// CopyFile copies one moment of a SQLite database, which programs may be writing to, into a new file that is a database
// on its own. Only the user that runs the program may read it. Writers do not wait for it; the write-ahead log grows
// meanwhile.
func CopyFile(ctx context.Context, path, to string) (err error) {
	file, err := os.OpenFile(filepath.Clean(to), os.O_RDWR|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return fmt.Errorf("create the copy: %w", err)
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			RemoveFile(to)
		}
	}()
	if err := copySnapshot(ctx, path, to); err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	if err := Seclude(ctx, to); err != nil {
		return err
	}
	return file.Sync()
}

// copySnapshot holds a read transaction, so that all steps copy the same moment: without it a write of another process
// would begin the copy anew, and a busy database would never be copied.
func copySnapshot(ctx context.Context, path, to string) error {
	db, err := openFile(path, "query_only(1)")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	var tables int64
	if _, err := conn.ExecContext(ctx, "BEGIN"); err != nil {
		return err
	}
	if err := conn.NewRaw("SELECT count(*) FROM sqlite_schema").Scan(ctx, &tables); err != nil { // takes the snapshot
		return err
	}
	err = conn.Raw(func(c any) error { return copySteps(ctx, c, to) })
	_, end := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	return errors.Join(err, end)
}

func copySteps(ctx context.Context, conn any, to string) error {
	source, ok := conn.(interface {
		NewBackup(to string) (*sqlite.Backup, error)
	})
	if !ok {
		return fmt.Errorf("the driver's %T has no backup", conn)
	}
	full, err := filepath.Abs(to)
	if err != nil {
		return err
	}
	b, err := source.NewBackup((&url.URL{Scheme: "file", Path: full, RawQuery: "mode=rw"}).String())
	if err != nil {
		return err
	}
	for more := true; more && err == nil; {
		if err = context.Cause(ctx); err == nil {
			more, err = b.Step(copyPages)
		}
	}
	return errors.Join(err, b.Finish())
}

// RemoveFile removes a SQLite database, as far as it exists.
func RemoveFile(path string) {
	for _, name := range SQLiteFiles(path) {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			continue // the next start reports what is left
		}
	}
}
