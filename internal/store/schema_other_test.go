package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

// refusesDatabase fails unless every way to the database says the sentence, and none of them changes it.
func refusesDatabase(t *testing.T, url, sentence string) {
	t.Helper()
	s, err := store.Open(t.Context(), url, storetest.Sealer(1), store.Options{})
	testkit.Must(t, err)
	defer s.Close()
	_, inspected := s.Inspect(t.Context())
	for way, err := range map[string]error{
		"migrate": s.Migrate(t.Context()), "ready": s.Ready(t.Context()), "doctor": inspected,
	} {
		if err == nil || !strings.Contains(err.Error(), sentence) {
			t.Errorf("%s: %v, want %q", way, err, sentence)
		}
	}
}

// TestStore_OtherSchema: a database of another build, whose schema has the same name, is refused before anything uses
// it; with and without the digest that tells them apart.
func TestStore_OtherSchema(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.Must(w.Migrate(t.Context())) // its own is fine
		for _, change := range []string{
			"UPDATE schema_versions SET digest = 'another'", "ALTER TABLE schema_versions DROP COLUMN digest",
		} {
			w.MustDo(w.SQL().Exec(change))
			refusesDatabase(t, w.URL, "made by another build")
			if err := w.Migrate(t.Context()); !errors.Is(err, store.ErrOtherSchema) {
				t.Errorf("%s: %v", change, err)
			}
		}
	})
}

// TestStore_ForeignDatabase: tables of another program are named, also if it uses the same library of migrations.
func TestStore_ForeignDatabase(t *testing.T) {
	t.Parallel()
	for _, d := range storetest.Databases() {
		for name, tables := range map[string][]string{
			"Tables":     {"CREATE TABLE wp_users (id integer)", "CREATE TABLE wp_posts (id integer)"},
			"Migrations": {"CREATE TABLE bun_migrations (name text)", "CREATE TABLE wp_users (id integer)"},
		} {
			t.Run(d.Name+name, func(t *testing.T) {
				t.Parallel()
				url := d.Empty(t)
				w := &storetest.World{T: t, URL: url}
				for _, table := range tables {
					w.MustDo(w.SQL().Exec(table))
				}
				refusesDatabase(t, url, "tables of another program (wp_")
				if name == "Tables" {
					if _, err := w.SQL().Exec("SELECT 1 FROM bun_migrations"); err == nil {
						t.Error("the database was changed")
					}
				}
			})
		}
	}
}

// TestStore_Encoding: texts are in UTF-8, or refused by the name of what they are in.
func TestStore_Encoding(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		url := "sqlite://" + t.TempDir() + "/florin.db"
		w := &storetest.World{T: t, URL: url}
		w.MustDo(w.SQL().Exec("PRAGMA encoding = 'UTF-16le'; CREATE TABLE x (y); DROP TABLE x"))
		refusesDatabase(t, url, "texts in UTF-16le")
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		url := postgres.URL(t)
		config, err := pgx.ParseConfig(url)
		testkit.Must(t, err)
		name := config.Database + "_latin"
		testkit.Must(t, execOn(url, "CREATE DATABASE "+name+" ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'"))
		t.Cleanup(func() { testkit.Must(t, execOn(url, "DROP DATABASE "+name+" WITH (FORCE)")) })
		refusesDatabase(t, strings.Replace(url, config.Database, name, 1), "texts in LATIN1")
	})
}

func execOn(url, statement string) error {
	admin, err := pgx.Connect(context.Background(), url)
	if err != nil {
		return err
	}
	_, err = admin.Exec(context.Background(), statement)
	return errors.Join(err, admin.Close(context.Background()))
}
