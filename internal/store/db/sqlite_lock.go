package db

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// How long a server waits for the lock of the file: a command that starts looks at the lock for an instant, and the
// server before may still be closing the file.
const (
	lockWithin = time.Second
	lockPause  = 20 * time.Millisecond
)

var errLocked = errors.New("the file is locked")

// LockFile locks the SQLite file at the URL, which it creates if it is missing, for the one server that may use it,
// until the closer is called or the program ends, in whatever way. It fails if another server has it, under whatever
// name: the lock is on the file itself. Commands beside the server do not take it. PostgreSQL needs no such lock; it is
// nothing there.
func LockFile(url string) (io.Closer, error) {
	place, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	if place.path == "" {
		return nothing{}, nil
	}
	if err := makePrivate(place.path); err != nil {
		return nil, err
	}
	for end := time.Now().Add(lockWithin); ; time.Sleep(lockPause) { //nolint:forbidigo // bounded, before anything runs
		lock, err := lockExclusive(place.path)
		if !errors.Is(err, errLocked) {
			return lock, err
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("another `florin serve` uses the database %s: an SQLite file serves one at a time. "+
				"Stop that one, or use PostgreSQL for several", place.path)
		}
	}
}

// nothing is the lock of a database that needs none.
type nothing struct{}

func (nothing) Close() error { return nil }

// refuseOtherName fails if a server uses the file under another name, such as a hard link. SQLite finds the write-ahead
// log by the name of the file, so this program would miss what the server has written there, and damage the file.
func refuseOtherName(path string) error {
	real, err := filepath.EvalSymlinks(path) // as SQLite does
	if err != nil {
		return fmt.Errorf("path of the database: %w", err)
	}
	if _, err := os.Stat(real + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		return nil // the server's log, if there is a server, is found
	}
	locked, err := isLocked(real)
	if err != nil || !locked {
		return err
	}
	return fmt.Errorf("a server uses the database %s under another name; use the path of its FLORIN_DATABASE_URL", path)
}
