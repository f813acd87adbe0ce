//go:build unix

package db

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// inode identifies a file, whatever its names.
type inode struct{ device, number uint64 }

// lockedHere are the files that this process has locked. It must not open such a file once more: closing it again would
// release the locks that SQLite has on it, since POSIX locks belong to the process.
var lockedHere sync.Map // inode → true

// fileLock is a lock by flock(2), which the kernel releases when the process ends. It does not meet the locks of
// SQLite, which are by fcntl(2).
type fileLock struct {
	file *os.File
	id   inode
}

func lockExclusive(path string) (io.Closer, error) {
	id, err := inodeOf(path)
	if err != nil {
		return nil, err
	}
	if _, taken := lockedHere.LoadOrStore(id, true); taken {
		return nil, errLocked
	}
	l := &fileLock{id: id}
	if l.file, err = flock(path, syscall.LOCK_EX); err != nil {
		lockedHere.Delete(id)
		return nil, err
	}
	return l, nil
}

// Close is called after SQLite has closed the file.
func (l *fileLock) Close() error {
	defer lockedHere.Delete(l.id)
	return l.file.Close()
}

// isLocked reports whether another process has locked the file.
func isLocked(path string) (bool, error) {
	id, err := inodeOf(path)
	if err != nil {
		return false, err
	}
	if _, own := lockedHere.Load(id); own {
		return false, nil
	}
	file, err := flock(path, syscall.LOCK_SH)
	if errors.Is(err, errLocked) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return false, file.Close()
}

func flock(path string, how int) (*os.File, error) {
	file, err := os.OpenFile(filepath.Clean(path), os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	for {
		err = syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err == nil {
		return file, nil
	}
	_ = file.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errLocked
	}
	return nil, fmt.Errorf("the file system of the database cannot lock files: %w", err)
}

func inodeOf(path string) (inode, error) {
	info, err := os.Stat(path)
	if err != nil {
		return inode{}, fmt.Errorf("the database: %w", err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return inode{}, fmt.Errorf("the database %s has no inode", path)
	}
	return inode{uint64(stat.Dev), stat.Ino}, nil //nolint:unconvert,gosec // its type differs between systems
}
