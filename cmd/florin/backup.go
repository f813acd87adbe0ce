package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"filippo.io/age"

	"github.com/florinpay/florin/internal/app"
	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/store"
)

type backUp struct {
	File      string   `arg:""                                                                                         help:"The file to write; it must not exist."`
	Recipient []string `help:"Encrypt to this public key of age instead of a passphrase; may be given more than once." placeholder:"age1…"`
}

// Help returns the text that --help adds to the flags.
func (backUp) Help() string {
	return `
Writes a backup of a SQLite database, while the server runs: one moment of it,
verified, compressed and encrypted with age. Without --recipient it asks for a
passphrase, or reads it from the first line of standard input. For PostgreSQL use
pg_dump or continuous archiving.

The database's secrets stay sealed in it: keep FLORIN_SECRET_KEY and
FLORIN_SOL_SEED as well, apart from the backup. A copy of the database lies
beside it until the backup is written.

Examples:

    florin backup florin-2026-11-22.age --recipient age1…
    florin backup florin-2026-11-22.age < passphrase
`
}

// Run writes the backup.
func (c backUp) Run(ctx context.Context, p *process) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	path, err := store.SQLiteFile(cfg.DatabaseURL.Reveal())
	if err != nil {
		return fmt.Errorf("only SQLite is backed up here; use pg_dump or continuous archiving: %w", err)
	}
	if _, err := os.Lstat(c.File); err == nil {
		return fmt.Errorf("%s exists already", c.File)
	}
	to, err := c.recipients(p)
	if err != nil {
		return err
	}
	sealer, err := cfg.Sealer()
	if err != nil {
		return err
	}
	if path, err = target(path); err != nil {
		return err
	}
	dir, err := scratch(path)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	copied, begun := filepath.Join(dir, "florin.db"), app.Now()
	if err := store.CopyFile(ctx, path, copied); err != nil {
		return err
	}
	m, err := manifest(ctx, copied)
	if err != nil {
		return err
	}
	if err := c.write(to, m.Sealed(sealer), copied); err != nil {
		return err
	}
	if err := store.RecordBackup(ctx, path, begun); err != nil {
		return fmt.Errorf("%s is written; %w", c.File, err)
	}
	return p.say("Backed up %s, %s, to %s.", counted(m.Contents.Tables["payments"], "payment"),
		counted(m.Contents.Tables["ledger_entries"], "ledger entry"), c.File)
}

func (c backUp) recipients(p *process) ([]age.Recipient, error) {
	if len(c.Recipient) > 0 {
		return backup.Recipients(c.Recipient)
	}
	passphrase, err := p.chooseSecret("Passphrase of the backup")
	if err != nil {
		return nil, err
	}
	to, err := backup.PassphraseRecipient(passphrase)
	return []age.Recipient{to}, err
}

// maxLinks is how many symbolic links may lead to a database.
const maxLinks = 40

// target returns the file that symbolic links at the path lead to, which need not exist: the operator chose its disk.
func target(path string) (string, error) {
	for range maxLinks {
		to, err := os.Readlink(path)
		if err != nil {
			return path, nil //nolint:nilerr // it is no link
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", fmt.Errorf("%s is a link that leads to itself", path)
}

// spareBytes is what a copy must leave free for the server, which refuses payments on a full disk.
const spareBytes = 64 << 20

// scratch makes a private directory beside the database for a copy of it: where the database lies in plain text
// anyway.
func scratch(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("database: %w", err)
	}
	need := info.Size() + spareBytes
	if log, err := os.Stat(path + "-wal"); err == nil {
		need += log.Size()
	}
	if free, _, err := backup.Space(filepath.Dir(path)); err != nil || free < need {
		return "", errors.Join(err, fmt.Errorf(
			"a copy of the database needs %d MB beside it, and %d MB are free", need>>20, free>>20,
		))
	}
	return privateDirectory(filepath.Dir(path))
}

// maxRun is longer than any backup or restore takes.
const maxRun = 24 * time.Hour

// privateDirectory makes a directory that only the user of the program may open, in the given one. What killed runs
// left there is removed.
func privateDirectory(in string) (string, error) {
	const pattern = ".florin-backup-*"
	old, err := filepath.Glob(filepath.Join(in, pattern))
	if err != nil {
		return "", fmt.Errorf("look for old copies: %w", err)
	}
	for _, dir := range old {
		if info, err := os.Lstat(dir); err == nil && info.IsDir() && time.Since(info.ModTime()) > maxRun {
			if err := os.RemoveAll(dir); err != nil {
				return "", fmt.Errorf("remove an old copy: %w", err)
			}
		}
	}
	dir, err := os.MkdirTemp(in, pattern) // mode 0700
	if err != nil {
		return "", fmt.Errorf("make room for a copy: %w", err)
	}
	return dir, nil
}

// manifest describes the copy.
func manifest(ctx context.Context, copied string) (backup.Manifest, error) {
	m := backup.Manifest{Format: backup.Format, Program: buildVersion(), CreatedAt: app.Now()}
	var err error
	if m.Contents, err = store.ReadContents(ctx, copied); err != nil {
		return m, err
	}
	f, err := os.Open(filepath.Clean(copied))
	if err != nil {
		return m, fmt.Errorf("copy of the database: %w", err)
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	if m.Size, err = io.Copy(sum, f); err != nil {
		return m, fmt.Errorf("hash of the copy: %w", err)
	}
	m.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return m, nil
}

// write writes the backup under another name, and gives it its own when it is whole.
func (c backUp) write(to []age.Recipient, m backup.Manifest, copied string) (err error) {
	from, err := os.Open(filepath.Clean(copied))
	if err != nil {
		return fmt.Errorf("copy of the database: %w", err)
	}
	defer func() { _ = from.Close() }()
	out, err := os.CreateTemp(filepath.Dir(c.File), "."+filepath.Base(c.File)+"-*") // mode 0600
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	defer func() { _ = os.Remove(out.Name()) }()
	err = backup.Write(out, to, m, from)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return fmt.Errorf("write the backup: %w", err)
	}
	if err := os.Link(out.Name(), c.File); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already", c.File)
	} else if err != nil {
		if err := os.Rename(out.Name(), c.File); err != nil { // a file system without links
			return fmt.Errorf("name the backup: %w", err)
		}
	}
	return backup.SyncDirectory(filepath.Dir(c.File))
}
