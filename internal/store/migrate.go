package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/migrate"

	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/migrations"
)

// instanceIDLen is the length of the installation's random id in bytes.
const instanceIDLen = 16

// keyCheck is what is sealed to recognise the operator's key, and where.
const (
	keyCheckPlace = "instance/key_check"
	keyCheckText  = "florin"
)

// Migrate brings the schema up to date and checks that the sealing key is the
// one this database was made with (secret.ErrSealed otherwise). Any number of
// programs may call it at once.
func (s *Store) Migrate(ctx context.Context) error {
	if err := s.engine.migrate(ctx); err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	if err := s.write(ctx, s.settle); err != nil {
		return fmt.Errorf("database: %w", err)
	}
	return nil
}

// settle makes the instance row of a new installation and checks the key of an
// old one.
func (s *Store) settle(ctx context.Context, t tx) error {
	id := make([]byte, instanceIDLen)
	_, _ = rand.Read(id) // crypto/rand never fails; it ends the program instead
	check := s.sealer.Seal(keyCheckPlace, secret.New(keyCheckText))
	server := bun.Safe(s.dialect().server)
	_, err := t.NewRaw("INSERT INTO instance (only_row, id, key_check, server) VALUES (TRUE, ?, ?, ?) ON CONFLICT DO NOTHING",
		id, check, server).Exec(ctx)
	if err != nil {
		return err
	}
	var stored string
	if err := t.NewRaw("SELECT key_check FROM instance").Scan(ctx, &stored); err != nil {
		return err
	}
	if _, err := s.sealer.Open(keyCheckPlace, stored); err != nil {
		return fmt.Errorf("it was made with another FLORIN_SECRET_KEY: %w", err)
	}
	return welcome(ctx, t, server)
}

// welcome prepares data that has come from another server: its transaction
// numbers mean nothing here.
func welcome(ctx context.Context, t tx, server bun.Safe) error {
	res, err := t.NewRaw("UPDATE instance SET server = ? WHERE server <> ?", server, server).Exec(ctx)
	if err != nil {
		return err
	}
	if moved, err := res.RowsAffected(); err != nil || moved == 0 {
		return err
	}
	_, err = t.NewRaw("UPDATE routes SET xact = 0 WHERE xact <> 0").Exec(ctx)
	return err
}

// InstanceID returns the random id of this installation, which was made with
// the first migration and goes into every deposit address.
func (s *Store) InstanceID(ctx context.Context) ([instanceIDLen]byte, error) {
	var raw []byte
	err := s.reader().NewRaw("SELECT id FROM instance").Scan(ctx, &raw)
	if err != nil {
		return [instanceIDLen]byte{}, fmt.Errorf("instance id: %w", err)
	}
	return [instanceIDLen]byte(raw), nil
}

// maxRaces bounds how often migrateUp starts over because another program ran
// a migration first: each race is lost only to progress.
const maxRaces = 100

// errAlreadyApplied: another program ran this migration first.
var errAlreadyApplied = errors.New("another program applied this migration first")

// migrateUp applies what is missing. bun marks a migration as applied after
// its transaction; here it is marked inside, so that a crash between the two
// cannot make it run twice.
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

// migrate holds an advisory lock on a connection of its own. A crash closes
// the connection, and with it the lock.
func (e *postgresEngine) migrate(ctx context.Context) (err error) {
	lock, err := pgx.ConnectConfig(ctx, e.config.Copy())
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close(context.WithoutCancel(ctx)) }()
	if _, err := lock.Exec(ctx, "SELECT pg_advisory_lock($1)", advisoryLock); err != nil {
		return err
	}
	// A migration is many statements in one text, which only the simple
	// protocol takes.
	db := e.openBun(pgx.QueryExecModeSimpleProtocol, 1)
	defer func() { err = errors.Join(err, db.Close()) }()
	return migrateUp(ctx, db, migrations.Postgres())
}
