package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/store"
)

const (
	// markEvery is how far a database that is copied back can be behind, at most, without being noticed, while payments
	// change; after the program was stopped in order nothing goes unnoticed. tickEvery is how often the mark is moved
	// while nothing changes.
	markEvery = time.Second
	tickEvery = time.Minute
	// replayEvery is how often it is looked whether a restored database has caught up.
	replayEvery = 5 * time.Second
)

// marks is how far the database had come when this program looked last.
type marks struct {
	path    string // of the file; empty: there is none
	seen    backup.Mark
	at      time.Time   // of the last try
	changed atomic.Bool // a payment, since
}

// MarkPath returns where the mark of the database is; empty: there is none.
func MarkPath(cfg config.Config) string {
	return cmp.Or(cfg.Mark, store.MarkFile(cfg.DatabaseURL.Reveal()))
}

// CheckCopy fails as a server would that is started on the database: it is older than one that was served, or was
// served elsewhere. It changes nothing.
func CheckCopy(ctx context.Context, cfg config.Config, s *store.Store) error {
	schema, err := s.Schema(ctx)
	if err != nil || schema.Ready() != nil {
		return err // what is not migrated was not served by this version
	}
	var mark backup.Mark
	if path := MarkPath(cfg); path != "" {
		if mark, err = backup.ReadMark(path); err != nil {
			return err
		}
		at, err := s.Mark(ctx)
		if err == nil {
			err = mark.Check(at)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return s.ServedHere(ctx, mark != backup.Mark{} || store.SeveralHosts(cfg.DatabaseURL.Reveal()))
}

// checkMark refuses a database that is older than one that was served, or was served elsewhere, and moves the mark on.
func (a *App) checkMark(ctx context.Context) error {
	a.marks.path = MarkPath(a.Config)
	var mark backup.Mark
	if a.marks.path != "" {
		var err error
		if mark, err = backup.ReadMark(a.marks.path); err != nil {
			return err
		}
		at, err := a.Store.Mark(ctx)
		if err != nil {
			return err
		}
		if err := mark.Check(at); err != nil {
			return fmt.Errorf("%s: %w", a.marks.path, err)
		}
	}
	// Where a standby is named, another timeline is that of one that took over.
	expected := mark != backup.Mark{} || store.SeveralHosts(a.Config.DatabaseURL.Reveal())
	if err := a.Store.ServeHere(ctx, expected); err != nil {
		return err
	}
	return a.tick(ctx)
}

// tick moves the database on, then its mark: a crash in between leaves the mark behind, which is fine. A database that
// is behind where this program has seen it was replaced by an older copy under it.
func (a *App) tick(ctx context.Context) error {
	a.marks.at = time.Now()
	if a.marks.seen != (backup.Mark{}) {
		now, err := a.Store.Mark(ctx)
		if err == nil {
			err = a.marks.seen.Check(now)
		}
		if err == nil { // it lacks nothing, so another timeline is that of a standby which took over
			err = a.Store.ServeHere(ctx, true)
		}
		if err != nil {
			return err
		}
	}
	at, err := a.Store.Tick(ctx)
	if err != nil {
		return err
	}
	a.marks.seen = at
	if a.marks.path == "" {
		return nil
	}
	return at.Write(a.marks.path)
}

// marking moves the mark on.
func (a *App) marking() loop {
	return loop{
		name: "mark", first: markEvery, every: markEvery, failed: "the mark of the database was not moved",
		turn: func(ctx context.Context) error {
			if !a.marks.changed.Swap(false) && time.Since(a.marks.at) < tickEvery {
				return nil
			}
			err := a.tick(ctx)
			if err != nil {
				a.marks.changed.Store(true) // it is tried again
			}
			return err
		},
		last: func(ctx context.Context) {
			if err := a.tick(ctx); err != nil {
				a.log.Warn("the mark of the database was not moved", "error", err)
			}
		},
		fatal: func(err error) bool {
			return errors.Is(err, backup.ErrOlder) || errors.Is(err, backup.ErrForeign) ||
				errors.Is(err, backup.ErrMoved)
		},
	}
}

// replaying ends the replay of a restored database.
func (a *App) replaying() loop {
	left := true
	return loop{
		name: "replay", first: replayEvery, every: replayEvery,
		failed: "it is not known whether the restored database has caught up",
		turn: func(ctx context.Context) (err error) {
			if left {
				left, err = a.endReplay(ctx)
			}
			return err
		},
	}
}

// endReplay ends the replay of each network that is read to its end; it reports whether any is still replaying.
func (a *App) endReplay(ctx context.Context) (bool, error) {
	replaying, err := a.Store.Replaying(ctx)
	if err != nil {
		return true, err
	}
	left := false
	for _, n := range replaying {
		x, on := a.networks[n]
		if !on {
			continue // it goes on when the network is configured again
		}
		ended := false
		if h := x.watcher.Health(); h.OK && h.SetAside == 0 {
			if ended, err = a.Store.EndReplay(ctx, n, Now()); err != nil {
				return true, err
			}
		}
		if ended {
			a.log.Info("the database was restored, and the network is read to its end", "network", n)
		}
		left = left || !ended
	}
	return left, nil
}
