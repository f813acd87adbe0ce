package store

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/store/db"
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
	if err != nil {
		return err
	}
	return s.probe.check(ctx, s.write)
}

// Works fails unless the database answers and takes writes.
func (s *Store) Works(ctx context.Context) error {
	if err := s.Ping(ctx); err != nil {
		return err
	}
	return s.probe.check(ctx, s.write)
}

// write takes room, and writes a row as it was.
func (s *Store) write(ctx context.Context) error {
	if err := s.db.Grow(ctx); err != nil {
		return db.Wrap(err, "take room on the disk of the database")
	}
	return db.Wrap(s.db.Write(ctx, func(ctx context.Context, t tx) error {
		_, err := t.NewRaw("UPDATE instance SET server = server").Exec(ctx)
		return err
	}), "write to the database")
}

const (
	// probeEvery is how often a write is tried at most, whoever asks.
	probeEvery = 5 * time.Second
	// probePatience is how long writes may take longer than who asks can wait, before they count as refused.
	probePatience = 15 * time.Second
)

// probe is the last write that was tried.
type probe struct {
	mu        sync.Mutex
	at, wrote time.Time
	err       error
}

// check returns the result of the last try, or of a new one.
func (p *probe) check(ctx context.Context, write func(context.Context) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); now.Sub(p.at) >= probeEvery {
		p.err = write(ctx)
		switch p.at = now; {
		case p.err == nil:
			p.wrote = now
		case ctx.Err() != nil && now.Sub(p.wrote) < probePatience:
			p.err = nil // it is slow, or nobody waits for the answer any more
		}
	}
	return p.err
}

// New reports whether no user is in the database: a new shop begins in it.
func (s *Store) New(ctx context.Context) (is bool, err error) {
	err = s.db.Reader().NewRaw("SELECT NOT EXISTS (SELECT 1 FROM users)").Scan(ctx, &is)
	return is, db.Wrap(err, "look for users in the database")
}

// settle makes the instance row of a new installation and checks the key of an
// old one.
func (s *Store) settle(ctx context.Context, t tx) error {
	check := keyCheck(s.sealer)
	server := bun.Safe(s.db.Dialect().Server)
	_, err := t.NewRaw("INSERT INTO instance (only_row, key_check, server, installation) VALUES (TRUE, ?, ?, ?) ON CONFLICT DO NOTHING",
		check, server, rand.Text()).Exec(ctx)
	if err != nil {
		return err
	}
	if err := settleKey(ctx, t, s.sealer); err != nil {
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
