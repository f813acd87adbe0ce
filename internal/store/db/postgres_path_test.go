package db

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

// silences are the ways a server falls silent without a word.
var silences = map[string]testkit.Silence{"Unanswered": testkit.Unanswered, "Unasked": testkit.Unasked}

// When the path to the first host falls silent, every kind of work is done through the second one, soon: what was in
// progress fails and is asked to be tried again, and no connection that is dead is waited for twice.
func TestPostgres_SilentPath(t *testing.T) {
	t.Parallel()
	for name, silence := range silences {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, paths := testkit.PathTo(t, postgres.URL(t), 2)
			e, err := Open(t.Context(), url, 8)
			testkit.Must(t, err)
			defer e.Close()
			heard := listen(t, e)
			all := kinds(e)
			for range 8 { // warm connections
				for _, err := range atOnce(t.Context(), all) {
					testkit.Must(t, err)
				}
			}
			<-heard
			paths[0].Be(silence)
			began := time.Now()
			for kind, err := range untilDone(t, all) {
				t.Errorf("%s: %v", kind, err)
			}
			const within = 30 * time.Second
			if took := time.Since(began); took > within {
				t.Errorf("the second host is used by all after %s", took)
			} else {
				t.Logf("the second host is used by all after %s", took)
			}
			select {
			case <-heard:
			case <-time.After(within):
				t.Error("nobody listens through the second host")
			}
		})
	}
}

// listen returns a channel that says when notifications are received through a new connection.
func listen(t *testing.T, e Engine) <-chan struct{} {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	heard, ended := make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(ended)
		_ = e.Listen(ctx, "spoken", slog.New(slog.DiscardHandler), func() {}, func(payload string) {
			if payload == "" {
				heard <- struct{}{}
			}
		})
	}()
	t.Cleanup(func() { stop(); <-ended })
	return heard
}

// kinds are the ways to use the database.
func kinds(e Engine) map[string]func(context.Context) error {
	one := func() *Stmt { return Query(func(scan Scan) error { return scan(new(int)) }, "SELECT 1") }
	inTx := func(ctx context.Context, t Tx) error {
		_, err := t.NewRaw("SELECT 1").Exec(ctx)
		return err
	}
	return map[string]func(context.Context) error{
		"Read":     func(ctx context.Context) error { return e.Read(ctx, one()) },
		"LookUp":   func(ctx context.Context) error { return e.LookUp(ctx, one()) },
		"ReadAll":  func(ctx context.Context) error { return e.ReadAll(ctx, one(), one()) },
		"Write":    func(ctx context.Context) error { return e.Write(ctx, inTx) },
		"Snapshot": func(ctx context.Context) error { return e.Snapshot(ctx, inTx) },
		"Hot": func(ctx context.Context) error {
			return e.Hot(ctx, func(ctx context.Context, c Conn) error { return c.Run(ctx, one()) })
		},
		"Reader": func(ctx context.Context) error {
			var n int
			return e.Reader().(*bun.DB).NewRaw("SELECT 1").Scan(ctx, &n) //nolint:forcetypeassert // it is one
		},
		"Exec": func(ctx context.Context) error {
			_, err := e.Reader().NewRaw("SELECT 1").Exec(ctx)
			return err
		},
	}
}

func atOnce(ctx context.Context, all map[string]func(context.Context) error) map[string]error {
	var mu sync.Mutex
	var running sync.WaitGroup
	failed := make(map[string]error)
	for name, run := range all {
		running.Go(func() {
			if err := run(ctx); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed[name] = err
			}
		})
	}
	running.Wait()
	return failed
}

// untilDone repeats each until it succeeds, for two minutes. Nothing may fail with anything but an outage.
func untilDone(t *testing.T, all map[string]func(context.Context) error) map[string]error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	repeated := make(map[string]func(context.Context) error)
	for name, run := range all {
		repeated[name] = func(context.Context) error {
			for {
				err := run(ctx)
				if err == nil || !errors.Is(err, fault.ErrStorage) {
					return err
				}
			}
		}
	}
	return atOnce(ctx, repeated)
}
