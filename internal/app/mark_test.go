package app

import (
	"errors"
	"log/slog"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/storetest"
)

// server is a program on the database of the world, just started.
func server(w *storetest.World, mark string) *App {
	w.T.Helper()
	a := &App{Store: w.Store, log: slog.New(slog.DiscardHandler)}
	a.Config = config.Config{DatabaseURL: secret.New(w.URL), Mark: mark}
	return a
}

func execute(w *storetest.World, text string) {
	w.T.Helper()
	_, err := w.SQL().ExecContext(w.T.Context(), text)
	w.Must(err)
}

// TestMark_OlderUnderServer: a database that an older copy replaces under a server is noticed, and stays refused: a
// second look does not take it.
func TestMark_OlderUnderServer(t *testing.T) {
	storetest.OnEach(t, func(t *testing.T, w *storetest.World) {
		a := server(w, filepath.Join(t.TempDir(), "mark"))
		w.Must(a.checkMark(t.Context()))
		w.Must(a.tick(t.Context()))
		execute(w, "UPDATE instance SET ticks = ticks - 1")
		l := a.marking()
		for range 3 {
			a.marks.changed.Store(true)
			if err := l.turn(t.Context()); !errors.Is(err, backup.ErrOlder) || !l.fatal(err) {
				t.Fatalf("a copy that is one tick older: %v", err)
			}
			l.last(t.Context())
		}
		if err := server(w, a.Config.Mark).checkMark(t.Context()); !errors.Is(err, backup.ErrOlder) {
			t.Errorf("after a restart: %v", err)
		}
	})
}

// TestMark_Changes: the mark moves with every change of a payment, and at the end.
func TestMark_Changes(t *testing.T) {
	storetest.OnEach(t, func(t *testing.T, w *storetest.World) {
		a := server(w, filepath.Join(t.TempDir(), "mark"))
		w.Must(a.checkMark(t.Context()))
		l := a.marking()
		want := func(what string, ticks int64) {
			t.Helper()
			m, err := backup.ReadMark(a.Config.Mark)
			if err != nil || m.Ticks != ticks {
				t.Errorf("%s: %d ticks, not %d, %v", what, m.Ticks, ticks, err)
			}
		}
		want("started", 1)
		w.Must(l.turn(t.Context()))
		want("nothing changed", 1)
		a.marks.changed.Store(true)
		w.Must(l.turn(t.Context()))
		want("a payment changed", 2)
		w.Must(l.turn(t.Context()))
		want("nothing more", 2)
		l.last(t.Context())
		want("stopped", 3)
	})
}

// TestMark_Timeline: PostgreSQL that was recovered to a point in time while no server ran is refused, and taken where
// the mark, or a server that ran all the time, shows that nothing is missing.
func TestMark_Timeline(t *testing.T) {
	w := postgresWorld(t)
	mark := filepath.Join(t.TempDir(), "mark")
	runs := server(w, "")
	w.Must(runs.checkMark(t.Context()))
	w.Must(server(w, mark).checkMark(t.Context()))
	recovered := func() { execute(w, "UPDATE instance SET timeline = '00000000'") }
	recovered()
	if err := server(w, "").checkMark(t.Context()); !errors.Is(err, backup.ErrTimeline) {
		t.Fatalf("another timeline: %v", err)
	}
	w.Must(runs.tick(t.Context()))
	w.Must(server(w, "").checkMark(t.Context()))
	recovered()
	w.Must(server(w, mark).checkMark(t.Context()))
	w.Must(server(w, "").checkMark(t.Context()))
	recovered()
	pair := server(w, "")
	at, err := url.Parse(w.URL)
	w.Must(err)
	at.Host += "," + at.Hostname() + ":1" // a standby beside it
	pair.Config.DatabaseURL = secret.New(at.String())
	w.Must(pair.checkMark(t.Context()))
	recovered()
	_, err = w.Adopt(t.Context(), backup.Mark{}, storetest.Start)
	w.Must(err)
	w.Must(server(w, "").checkMark(t.Context()))
}

func postgresWorld(t *testing.T) *storetest.World {
	t.Helper()
	address := storetest.PostgreSQL(t)
	return storetest.New(t, storetest.Open(t, address), address)
}
