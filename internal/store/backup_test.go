package store_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/testkit"
)

// TestCopyFile_DuringMigration: a backup that is made while a newer version changes the schema holds the schema of
// before, whole; one that is made after it says that it is newer.
func TestCopyFile_DuringMigration(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "florin.db")
	s := storetest.Open(t, "sqlite://"+path)
	testkit.Must(t, s.Migrate(t.Context()))
	newer, err := sql.Open("sqlite", path)
	testkit.Must(t, err)
	defer func() { testkit.Must(t, newer.Close()) }()
	newer.SetMaxOpenConns(1)
	migration, err := newer.BeginTx(t.Context(), nil)
	testkit.Must(t, err)
	const name = "20990101000000"
	for _, statement := range []string{
		"ALTER TABLE payments ADD COLUMN mood TEXT NOT NULL DEFAULT ''", "CREATE TABLE moods (id INTEGER PRIMARY KEY) STRICT",
		"INSERT INTO bun_migrations (name, group_id, migrated_at) VALUES ('" + name + "', 99, current_timestamp)",
	} {
		_, err := migration.ExecContext(t.Context(), statement)
		testkit.Must(t, err)
	}
	copied := func(file string) backup.Contents {
		t.Helper()
		to := filepath.Join(dir, file)
		testkit.Must(t, store.CopyFile(t.Context(), path, to))
		c, err := store.CheckFile(t.Context(), to)
		testkit.Must(t, err)
		return c
	}
	before := copied("before.db")
	if _, moods := before.Tables["moods"]; moods || slices.Contains(before.Schema, name) {
		t.Errorf("a copy made during the migration has %v and schema %v", before.Tables, before.Schema)
	}
	check := func(c backup.Contents) error {
		m := backup.Manifest{Format: backup.Format, Contents: c}.Sealed(storetest.Sealer(1))
		return m.Check(storetest.Sealer(1), store.KnownMigrations())
	}
	if err := check(before); err != nil {
		t.Errorf("it cannot be restored here: %v", err)
	}
	testkit.Must(t, migration.Commit())
	if err := check(copied("after.db")); !errors.Is(err, backup.ErrSchema) {
		t.Errorf("a copy made after the migration: %v", err)
	}
}
