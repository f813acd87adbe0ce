package store

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/rotation"
)

// Migrate brings the schema up to date and checks that the sealer has the key of this database (secret.ErrSealed
// otherwise). Any number of programs may call it at once.
func (s *Store) Migrate(ctx context.Context) error {
	waits := func(forWhat string) {
		s.log.Warn("the migration of the database waits for a lock that another program holds", "holder", forWhat)
	}
	if err := s.db.Migrate(ctx, s.migrations, waits); err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	if err := s.db.Write(ctx, s.settle); err != nil {
		return fmt.Errorf("database: %w", err)
	}
	return nil
}

// Schema compares the database with the migrations of this program. It changes nothing.
func (s *Store) Schema(ctx context.Context) (db.Schema, error) {
	schema, err := s.db.Schema(ctx, s.migrations)
	return schema, db.Wrap(err, "schema of the database")
}

// Ready fails unless the database answers, takes writes and has a schema that this program can use.
func (s *Store) Ready(ctx context.Context) error {
	schema, err := s.Schema(ctx)
	if err == nil {
		err = schema.Ready()
	}
	return err
}

// settle makes the instance row of a new installation and checks the key of an
// old one.
func (s *Store) settle(ctx context.Context, t tx) error {
	check := rotation.Check(s.sealer)
	server := bun.Safe(s.db.Dialect().Server)
	_, err := t.NewRaw("INSERT INTO instance (only_row, key_check, server, installation) VALUES (TRUE, ?, ?, ?) ON CONFLICT DO NOTHING",
		check, server, rand.Text()).Exec(ctx)
	if err != nil {
		return err
	}
	if err := rotation.Settle(ctx, t, s.sealer); err != nil {
		return err
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
