package app

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/store"
)

// How often the mark is moved: what a copied file can be behind without being noticed. And how often it is looked
// whether a restored database has caught up.
const (
	tickEvery   = time.Minute
	replayEvery = 5 * time.Second
)

// MarkPath returns where the mark of the database is; empty: there is none.
func MarkPath(cfg config.Config) string {
	return cmp.Or(cfg.Mark, store.MarkFile(cfg.DatabaseURL.Reveal()))
}

// checkMark refuses a database that is older than one that was served, or was served elsewhere, and moves the mark on.
func (a *App) checkMark(ctx context.Context) error {
	if err := a.Store.ServeHere(ctx); err != nil {
		return err
	}
	path := MarkPath(a.Config)
	if path == "" {
		return nil
	}
	mark, err := backup.ReadMark(path)
	if err != nil {
		return err
	}
	at, err := a.Store.Mark(ctx)
	if err != nil {
		return err
	}
	if err := mark.Check(at); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return a.tick(ctx, path)
}

// tick moves the database on, then its mark: a crash in between leaves the mark behind, which is fine.
func (a *App) tick(ctx context.Context, path string) error {
	at, err := a.Store.Tick(ctx)
	if err != nil {
		return err
	}
	return at.Write(path)
}

// marking moves the mark on.
func (a *App) marking() loop {
	path := MarkPath(a.Config)
	return loop{
		name: "mark", first: tickEvery, every: tickEvery, failed: "the mark of the database was not moved",
		turn: func(ctx context.Context) error {
			if path == "" {
				return nil
			}
			return a.tick(ctx, path)
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
