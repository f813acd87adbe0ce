package db

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/migrate"
)

// maxRaces bounds how often migrateUp starts over because another program
// applied a migration first: each lost race means progress.
const maxRaces = 100

// errAlreadyApplied: another program applied this migration first.
var errAlreadyApplied = errors.New("another program applied this migration first")

// migrateUp applies what is missing. bun marks a migration as applied after its
// transaction; here it is marked inside, so that a crash between the two cannot
// make it run twice.
func migrateUp(ctx context.Context, db *bun.DB, files fs.FS) error {
	all := migrate.NewMigrations()
	if err := all.Discover(files); err != nil {
		return err
	}
	m := migrate.NewMigrator(db, all, migrate.WithMarkAppliedOnSuccess(true), migrate.WithUpsert(true),
		migrate.BeforeMigration(refuseApplied), migrate.AfterMigration(markApplied))
	if err := retry(ctx, func() error { return m.Init(ctx) }); err != nil {
		return err
	}
	for range maxRaces {
		err := retry(ctx, func() error {
			_, err := m.Migrate(ctx)
			return err
		})
		if !errors.Is(err, errAlreadyApplied) {
			return err
		}
	}
	return errAlreadyApplied
}

// pending lists the names of the migrations that are not applied. There is no list of them in an empty database.
func pending(ctx context.Context, db bun.IDB, files fs.FS, listed bool) ([]string, error) {
	all := migrate.NewMigrations()
	if err := all.Discover(files); err != nil {
		return nil, err
	}
	var applied []string
	if listed {
		if err := db.NewRaw("SELECT name FROM bun_migrations").Scan(ctx, &applied); err != nil {
			return nil, err
		}
	}
	var missing []string
	for _, m := range all.Sorted() {
		if !slices.Contains(applied, m.Name) {
			missing = append(missing, m.Name)
		}
	}
	return missing, nil
}

func (e *postgresEngine) Pending(ctx context.Context, m Migrations) ([]string, error) {
	var standby, listed bool
	err := e.db.NewRaw("SELECT pg_is_in_recovery(), to_regclass('bun_migrations') IS NOT NULL").Scan(ctx, &standby, &listed)
	switch {
	case err != nil:
		return nil, err
	case standby:
		return nil, ErrStandby
	}
	return pending(ctx, e.db, m.Postgres, listed)
}

func (e *sqliteEngine) Pending(ctx context.Context, m Migrations) ([]string, error) {
	var listed bool
	err := e.db.NewRaw("SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'bun_migrations')").Scan(ctx, &listed)
	if err != nil {
		return nil, err
	}
	return pending(ctx, e.db, m.SQLite, listed)
}

func refuseApplied(ctx context.Context, db bun.IConn, m *migrate.Migration) error {
	var n int
	err := db.QueryRowContext(ctx, "SELECT count(*) FROM bun_migrations WHERE name = ?", m.Name).Scan(&n)
	if err == nil && n > 0 {
		return errAlreadyApplied
	}
	return err
}

func markApplied(ctx context.Context, db bun.IConn, m *migrate.Migration) error {
	_, err := db.ExecContext(ctx, "INSERT INTO bun_migrations (name, group_id) VALUES (?, ?)", m.Name, m.GroupID)
	return err
}

// advisoryLock is the key of PostgreSQL's lock around migrations.
const advisoryLock int64 = 0x466c6f72696e // "Florin"

// Migrate holds an advisory lock on a connection of its own. A crash closes the
// connection, and with it the lock.
func (e *postgresEngine) Migrate(ctx context.Context, m Migrations) (err error) {
	lock, err := pgx.ConnectConfig(ctx, e.config.Copy())
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close(context.WithoutCancel(ctx)) }()
	if _, err := lock.Exec(ctx, "SELECT pg_advisory_lock($1)", advisoryLock); err != nil {
		return err
	}
	// A migration is many statements in one text, which only the simple protocol
	// accepts.
	db := e.openBun(pgx.QueryExecModeSimpleProtocol, 1)
	defer func() { err = errors.Join(err, db.Close()) }()
	return migrateUp(ctx, db, m.Postgres)
}
