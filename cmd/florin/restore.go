package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"filippo.io/age"

	"github.com/florinpay/florin/internal/app"
	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
)

type restore struct {
	File     string `arg:""                                                                                               help:"The backup." optional:""`
	Identity string `help:"A file of age's private keys that opens the backup, instead of a passphrase."                  placeholder:"PATH"`
	Force    bool   `help:"Restore although there is a database; it is kept under another name."`
	Adopt    bool   `help:"Restore nothing: the database was brought back by other means, such as pg_restore."`
	Before   string `help:"With --adopt: the database as it was, if it can be read; orders that only it knows are named." placeholder:"URL"`
}

// Help returns the text that --help adds to the flags.
func (restore) Help() string {
	return `
Restores a SQLite database from a backup that florin backup wrote. The backup is
verified as a whole before anything is touched; FLORIN_SECRET_KEY must be the one
of then. No server may be running. A database that exists is kept under another
name, and only with --force.

With --adopt it takes over a database that came back by other means: pg_restore,
recovery to a point in time, a copied file, Litestream.

Then florin serve reads every network from where the backup stands before it
sells anything. The command lists what no backup can know, to be done by hand. It
names the orders that were created or started since, if it can read the database
as it was: the one that it replaces, or that of --before.

Examples:

    florin restore florin-2026-11-22.age --identity key.txt
    florin restore florin-2026-11-22.age --force < passphrase
    florin restore --adopt
    florin restore --adopt --before postgres://florin@old-host/florin
`
}

// Run restores or adopts.
func (c restore) Run(ctx context.Context, p *process) error {
	if c.Adopt != (c.File == "") || c.Before != "" && !c.Adopt {
		return fault.New(fault.Invalid, "give either the file of a backup or --adopt; --before belongs to --adopt")
	}
	cfg, err := p.config()
	if err != nil {
		return err
	}
	if c.Adopt {
		return c.adopt(ctx, p, cfg)
	}
	path, err := store.SQLiteFile(cfg.DatabaseURL.Reveal())
	if err != nil {
		return fmt.Errorf("restore PostgreSQL with its own tools, then run `florin restore --adopt`: %w", err)
	}
	if path, err = target(path); err != nil {
		return err
	}
	if _, err := os.Lstat(path); err == nil && !c.Force {
		return fmt.Errorf("there is a database at %s; --force keeps it under another name", path)
	}
	dir, err := privateDirectory(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "florin.db")
	m, err := c.extract(ctx, p, cfg, file)
	if err != nil {
		return err
	}
	adopted, mark, err := adoptFile(ctx, p, cfg, file)
	if err != nil {
		return err
	}
	kept, err := store.ReplaceFile(ctx, file, path, app.Now())
	if err != nil {
		return err
	}
	if err := writeMark(cfg, mark); err != nil {
		return err
	}
	if kept != "" {
		if err := p.say("The database that was there is now %s.", kept); err != nil {
			return err
		}
	}
	if err := p.say("Restored the backup of %s, written by version %s.", m.CreatedAt.Format(time.RFC3339), m.Program); err != nil {
		return err
	}
	before := ""
	if kept != "" {
		before = store.FileURL(kept)
	}
	return p.withStore(ctx, cfg, func(s *store.Store) error {
		return reportRestore(ctx, p, s, restored{adopted, m.CreatedAt, before})
	})
}

// extract decrypts the backup into a file and verifies everything about it.
func (c restore) extract(ctx context.Context, p *process, cfg config.Config, to string) (m backup.Manifest, err error) {
	sealer, err := cfg.Sealer()
	if err != nil {
		return m, err
	}
	with, err := c.identities(p)
	if err != nil {
		return m, err
	}
	in, err := os.Open(filepath.Clean(c.File))
	if err != nil {
		return m, fmt.Errorf("backup: %w", err)
	}
	defer func() { _ = in.Close() }()
	a, err := backup.Open(in, with...)
	if err != nil {
		return m, err
	}
	defer a.Close()
	if err := a.Manifest.Check(sealer, store.KnownMigrations()); err != nil {
		return m, err
	}
	if err := extractTo(a, to); err != nil {
		return m, err
	}
	contents, err := store.CheckFile(ctx, to)
	if err != nil {
		return m, err
	}
	return a.Manifest, a.Manifest.CheckContents(contents)
}

func extractTo(a *backup.Archive, to string) error {
	if free, _, err := backup.Space(filepath.Dir(to)); err != nil || free < a.Manifest.Size+spareBytes {
		return errors.Join(err, fmt.Errorf(
			"the database needs %d MB, and %d MB are free", a.Manifest.Size>>20, free>>20,
		))
	}
	out, err := os.OpenFile(filepath.Clean(to), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("restored database: %w", err)
	}
	return errors.Join(a.Extract(out), out.Sync(), out.Close())
}

func (c restore) identities(p *process) ([]age.Identity, error) {
	if c.Identity == "" {
		passphrase, err := p.readSecret("Passphrase of the backup")
		if err != nil {
			return nil, err
		}
		with, err := backup.PassphraseIdentity(passphrase)
		return []age.Identity{with}, err
	}
	f, err := os.Open(filepath.Clean(c.Identity))
	if err != nil {
		return nil, fmt.Errorf("--identity: %w", err)
	}
	defer func() { _ = f.Close() }()
	return backup.Identities(io.LimitReader(f, maxIdentities))
}

// maxIdentities bounds a file of private keys, in bytes.
const maxIdentities = 1 << 20

// adoptFile brings the restored file up to date and adopts it, before it stands where a server finds it.
func adoptFile(
	ctx context.Context, p *process, cfg config.Config, path string,
) (a backup.Adopted, m backup.Mark, err error) {
	last, err := lastMark(cfg)
	if err != nil {
		return a, m, err
	}
	cfg.DatabaseURL = secret.New(store.FileURL(path))
	err = p.withStore(ctx, cfg, func(s *store.Store) error {
		if a, err = s.Adopt(ctx, last, app.Now()); err != nil {
			return err
		}
		m, err = s.Mark(ctx)
		return err
	})
	return a, m, err
}

// lastMark returns the mark of the database that was served last; the zero Mark if it is lost.
func lastMark(cfg config.Config) (backup.Mark, error) {
	if path := app.MarkPath(cfg); path != "" {
		return backup.ReadMark(path)
	}
	return backup.Mark{}, nil
}

func writeMark(cfg config.Config, m backup.Mark) error {
	if path := app.MarkPath(cfg); path != "" {
		return m.Write(path)
	}
	return nil
}

// adopt takes over a database that was brought back by other means.
func (c restore) adopt(ctx context.Context, p *process, cfg config.Config) error {
	last, err := lastMark(cfg)
	if err != nil {
		return err
	}
	if path, err := store.SQLiteFile(cfg.DatabaseURL.Reveal()); err == nil {
		if err := store.CheckClosed(ctx, path); err != nil {
			return err
		}
	}
	return p.withStore(ctx, cfg, func(s *store.Store) error {
		now := app.Now()
		if served, err := s.Served(ctx); err != nil || served {
			return errors.Join(err, errors.New("a server runs on the database: stop it, and try again"))
		}
		a, err := s.Adopt(ctx, last, now)
		if err != nil {
			return err
		}
		m, err := s.Mark(ctx)
		if err == nil {
			err = writeMark(cfg, m)
		}
		if err != nil {
			return err
		}
		return reportRestore(ctx, p, s, restored{a, a.Newest, c.Before})
	})
}
