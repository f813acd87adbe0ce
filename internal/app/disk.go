package app

import (
	"path/filepath"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/store"
)

// diskWatch knows how fast the disk of an SQLite database fills.
type diskWatch struct {
	mu   sync.Mutex
	seen []diskSample // one an hour, of the last day
}

type diskSample struct {
	at   time.Time
	free int64
}

// look returns what looks at the disk; nil for PostgreSQL, whose server has a disk of its own.
func (w *diskWatch) look(url string) func(time.Time) *alert.Disk {
	path, err := store.SQLiteFile(url)
	if err != nil {
		return nil
	}
	directory := filepath.Dir(path)
	return func(now time.Time) *alert.Disk {
		free, size, err := backup.Space(directory)
		if err != nil {
			return nil // the doctor says that it cannot be read
		}
		return &alert.Disk{Path: directory, Free: free, Size: size, Day: w.day(diskSample{now, free})}
	}
}

// day returns how much less is free after a day, by what was seen in the last one, of an hour or more.
func (w *diskWatch) day(now diskSample) int64 {
	const day = 24 * time.Hour
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.seen); n == 0 || now.at.Sub(w.seen[n-1].at) >= time.Hour {
		w.seen = append(w.seen, now)
	}
	for now.at.Sub(w.seen[0].at) > day {
		w.seen = w.seen[1:]
	}
	passed := now.at.Sub(w.seen[0].at)
	if passed < time.Hour {
		return 0
	}
	return max(int64(float64(w.seen[0].free-now.free)*float64(day)/float64(passed)), 0)
}
