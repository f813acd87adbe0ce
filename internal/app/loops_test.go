package app

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/florinpay/florin/internal/fault"
)

// late returns the names of the loops that GET /health names.
func (s *loops) late() (names []string) {
	for _, l := range s.ages() {
		if l.Age > l.Bound {
			names = append(names, l.Name)
		}
	}
	return names
}

// A turn that hangs is ended, and one that waits for the database counts for nothing: the loop is named until it turns
// again. One that fails for a reason of its own turns.
func TestLoops_Late(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := loops{log: slog.New(slog.DiscardHandler)}
		ctx, stop := context.WithCancel(t.Context())
		type kind func(context.Context) error
		var turn atomic.Pointer[kind]
		set := func(k kind) { turn.Store(&k) }
		well := func(context.Context) error { return nil }
		set(well)
		one := loop{
			name: "one", every: 2 * time.Second, turn: func(ctx context.Context) error { return (*turn.Load())(ctx) }, failed: "it waits",
		}
		ended := make(chan error, 1)
		go func() { ended <- s.run(ctx, one) }()
		const silence = 90 * time.Second
		time.Sleep(silence)
		for name, next := range map[string]struct {
			turn kind
			late bool
		}{
			"Hangs":     {func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, true},
			"NoAnswer":  {func(context.Context) error { return fault.ErrStorage }, true},
			"NoGas":     {func(context.Context) error { return errors.New("no gas") }, false},
			"GoesAgain": {well, false},
		} {
			set(next.turn)
			time.Sleep(silence)
			if got := s.late(); (len(got) == 1) != next.late {
				t.Errorf("%s: late are %q", name, got)
			}
			set(well)
			time.Sleep(silence)
			if got := s.late(); len(got) != 0 {
				t.Errorf("after %s: late are %q", name, got)
			}
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// The same failure is logged once a minute, another one at once; and the end is reached, also in the middle of a turn.
func TestLoops_Log(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		s := loops{log: slog.New(slog.NewTextHandler(&log, nil))}
		ctx, stop := context.WithCancel(t.Context())
		var reason atomic.Value
		reason.Store("no gas")
		last := false
		ended := make(chan error, 1)
		go func() {
			ended <- s.run(ctx, loop{
				name: "sweeps", every: time.Second, failed: "sweeps wait",
				turn: func(context.Context) error { return errors.New(reason.Load().(string)) },
				last: func(context.Context) { last = true },
			})
		}()
		time.Sleep(150*time.Second + time.Second/2)
		synctest.Wait()
		if n := strings.Count(log.String(), "no gas"); n != 3 {
			t.Errorf("in two and a half minutes it was logged %d times", n)
		}
		reason.Store("no network")
		time.Sleep(time.Second)
		synctest.Wait()
		if n := strings.Count(log.String(), "no network"); n != 1 {
			t.Errorf("another reason was logged %d times", n)
		}
		stop()
		if err := <-ended; err != nil || !last {
			t.Errorf("it ended with %v; the last turn was made: %v", err, last)
		}
	})
}

// After a fatal error the program must not go on.
func TestLoops_Fatal(t *testing.T) {
	t.Parallel()
	wrong := errors.New("a key is missing")
	s := loops{log: slog.New(slog.DiscardHandler)}
	err := s.run(t.Context(), loop{
		name: "key", every: time.Millisecond, turn: func(context.Context) error { return wrong },
		fatal: func(err error) bool { return errors.Is(err, wrong) },
	})
	if !errors.Is(err, wrong) {
		t.Errorf("it ended with %v", err)
	}
}
