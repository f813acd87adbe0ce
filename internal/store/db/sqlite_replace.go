package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ReplaceFile puts the database from at the path. A database that is there is kept under a name that ends in the label,
// which it returns. It fails while a program has either open.
func ReplaceFile(ctx context.Context, from, path, label string) (kept string, err error) {
	if err := Seclude(ctx, from); err != nil {
		return "", fmt.Errorf("restored database: %w", err)
	}
	if err := syncFile(from); err != nil {
		return "", err
	}
	if _, err := os.Lstat(path); err == nil {
		for n, moment := 2, label; ; n++ {
			if _, err := os.Lstat(path + ".replaced-" + label); err != nil {
				break
			}
			label = fmt.Sprintf("%s-%d", moment, n)
		}
		kept = path + ".replaced-" + label
		// One that is too damaged to be opened is not open anywhere.
		if err := Seclude(ctx, path); IsConflict(err) {
			return "", fmt.Errorf("a program has the database open; stop the server: %w", err)
		}
		if err := keep(path, kept, os.Link); err != nil {
			return "", fmt.Errorf("keep the database that is there: %w", err)
		}
	}
	// A log that is left would be applied to the new database.
	for _, end := range companions[1:] {
		err := os.Rename(path+end, path+".replaced-"+label+end)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return kept, fmt.Errorf("keep the log of the database that is there: %w", err)
		}
	}
	if err := os.Rename(from, path); err != nil {
		return kept, fmt.Errorf("put the restored database in its place: %w", err)
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return kept, fmt.Errorf("directory of the database: %w", err)
	}
	return kept, errors.Join(dir.Sync(), dir.Close())
}

// keep gives the file a second name, so that at no moment there is no database in its place. Where the file system has
// no links, it gets the other name alone.
func keep(path, kept string, link func(path, kept string) error) error {
	err := link(path, kept)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) {
		err = os.Rename(path, kept)
	}
	return err
}

func syncFile(path string) error {
	f, err := os.OpenFile(filepath.Clean(path), os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	return errors.Join(f.Sync(), f.Close())
}
