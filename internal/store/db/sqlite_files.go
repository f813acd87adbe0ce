package db

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The modes of the database and of a directory that holds nothing else: e-mail
// addresses, orders and what a merchant stores are for the user that runs the
// program alone.
const (
	fileMode = 0o600
	dirMode  = 0o700
)

// companions are what SQLite adds to the name of a database. It gives a new one the
// mode of the database.
var companions = []string{"", "-wal", "-shm", "-journal"}

// MarkEnding is what the name of a database's mark (package backup) ends in.
const MarkEnding = ".mark"

// makePrivate creates the file if it is missing, and takes from files that exist
// what others may do with them. The directory must exist: a path that is mistyped
// must not make an empty database.
func makePrivate(path string) error {
	file, err := os.OpenFile(filepath.Clean(path), os.O_RDWR|os.O_CREATE|os.O_EXCL, fileMode)
	if err == nil {
		err = file.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("create the database: %w", err)
	}
	for _, end := range companions {
		if err := restrict(path + end); err != nil {
			return err
		}
	}
	if ownDirectory(path) {
		// It may belong to another user. The files are private anyway.
		_ = os.Chmod(filepath.Dir(path), dirMode)
	}
	return nil
}

// ownDirectory reports whether the directory holds the database alone. Any other
// directory stays as it is.
func ownDirectory(path string) bool {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return false
	}
	defer func() { _ = dir.Close() }()
	names, err := dir.Readdirnames(len(companions) + 2)
	for _, name := range names {
		end, ok := strings.CutPrefix(name, filepath.Base(path))
		if !ok || !slices.Contains(companions, end) && end != MarkEnding {
			return false
		}
	}
	return err == nil
}

// restrict gives a file the mode, if the file exists and others have a right to it.
func restrict(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("mode of the database: %w", err)
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&^fileMode == 0 {
		return nil
	}
	if err := os.Chmod(path, fileMode); err != nil {
		return fmt.Errorf("others may use the database, and that cannot be changed: %w", err)
	}
	return nil
}
