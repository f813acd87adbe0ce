package backup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Mark is how far a database has come. It is kept in the database, and beside it in a file.
type Mark struct {
	Installation string `json:"installation"`
	Generation   int64  `json:"generation"`
	Ticks        int64  `json:"ticks"`
}

var (
	// ErrOlder: the database was served before in a later state.
	ErrOlder = errors.New("the database is older than when it was last served: an older copy, or a standby that lacked the last commits, took its place. " +
		"Stop every server, then run `florin restore --adopt`")
	// ErrMoved: the database was brought here by pg_restore, or copied, and not adopted.
	ErrMoved = errors.New("the database was served elsewhere: it was restored or copied. Stop every server, then run " +
		"`florin restore --adopt`")
	// ErrTimeline: the log of PostgreSQL is another one than when the database was served last.
	ErrTimeline = errors.New("PostgreSQL was recovered to a point in time, or upgraded, or a standby took over while no " +
		"server ran: what was committed last may be missing. Stop every server, then run `florin restore --adopt`. Where " +
		"FLORIN_DATABASE_URL names several hosts, or FLORIN_MARK a file that shows that nothing is missing, it is served as it is")
	// ErrForeign: the mark belongs to another database.
	ErrForeign = errors.New("the mark belongs to another database: if this one is new on purpose, remove the mark; " +
		"if not, restore a backup with `florin restore`")
)

// Check compares the mark with that of the database, which is never behind it: it is stored first.
func (m Mark) Check(database Mark) error {
	switch {
	case m == (Mark{}):
		return nil
	case m.Installation != database.Installation:
		return ErrForeign
	case m.Generation > database.Generation, m.Generation == database.Generation && m.Ticks > database.Ticks:
		return ErrOlder
	}
	return nil
}

// ReadMark reads the file; a file that does not exist is the zero Mark.
func ReadMark(path string) (m Mark, err error) {
	text, err := os.ReadFile(filepath.Clean(path))
	if errors.Is(err, fs.ErrNotExist) {
		return Mark{}, nil
	}
	if err != nil {
		return Mark{}, fmt.Errorf("read the mark: %w", err)
	}
	if err := json.Unmarshal(text, &m); err != nil || m.Installation == "" {
		return Mark{}, fmt.Errorf("the mark %s is damaged: remove it if the database is known to be the last one", path)
	}
	return m, nil
}

// Write replaces the file as a whole.
func (m Mark) Write(path string) error {
	text, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("mark: %w", err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return fmt.Errorf("mark: %w", err)
	}
	_, err = file.Write(append(text, '\n'))
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write the mark: %w", errors.Join(err, os.Remove(file.Name())))
	}
	return SyncDirectory(filepath.Dir(path))
}

// SyncDirectory makes renames in the directory durable.
func SyncDirectory(path string) error {
	dir, err := os.Open(filepath.Clean(path))
	if err != nil {
		return fmt.Errorf("sync the directory: %w", err)
	}
	if err := errors.Join(dir.Sync(), dir.Close()); err != nil {
		return fmt.Errorf("sync the directory: %w", err)
	}
	return nil
}
