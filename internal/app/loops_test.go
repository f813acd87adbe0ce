package app

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
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

// idle are the loops that ask the database nothing while there is nothing to do: no page is open, no key was used, no
// network can be read.
var idle = []string{
	"ledger checks", "open pages", "rates", "RPC calls", "key usage", "balances of BEP20", "balances of POLYGON",
	"balances of BASE", "balances of SOL",
}

// soon bounds a turn here, to end the test soon.
const soon = time.Second

// silent is a program of every network and setting, whose database does not answer.
func silent(t *testing.T) *App {
	t.Helper()
	address, paths := testkit.PathTo(t, postgres.URL(t), 1)
	dir := t.TempDir()
	seed := strings.Repeat("abandon ", 23) + "art"
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "sol-seed"), []byte(seed), 0o600))
	set := []string{
		"FLORIN_SECRET_KEY=" + base64.StdEncoding.EncodeToString(make([]byte, 32)), "FLORIN_DATABASE_URL=" + address,
		"FLORIN_METRICS_LISTEN=127.0.0.1:0", "FLORIN_EVM_GAS_KEY=0x" + base16,
		"CREDENTIALS_DIRECTORY=" + dir,
		"FLORIN_BEP20_TREASURY=0x52908400098527886E0F7030069857D2E4169EE7",
	}
	for _, network := range []string{"BEP20", "POLYGON", "BASE", "SOL"} {
		set = append(set, "FLORIN_"+network+"_RPC=http://127.0.0.1:1")
	}
	c, err := config.Load(set, "")
	testkit.Must(t, err)
	a, err := New(t.Context(), c, Options{Log: slog.New(slog.DiscardHandler)})
	testkit.Must(t, err)
	t.Cleanup(func() {
		paths[0].Be(testkit.Works)
		a.networks.close()
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	paths[0].Be(testkit.Unanswered)
	return a
}

const base16 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// TestLoops_Silent: every loop ends its turn in its bound when the database falls silent, and none counts such a turn,
// so that GET /health names each by its own name.
func TestLoops_Silent(t *testing.T) {
	t.Parallel()
	a, list := silent(t), &loops{log: slog.New(slog.DiscardHandler)}
	if a.networks.solana() == nil {
		t.Error("with metrics, no transaction is built for wallets on Solana")
	}
	a.marks.changed.Store(true)
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	var names []string
	for _, l := range a.repeated() {
		if slices.Contains(idle, l.name) {
			continue
		}
		if slices.Contains(names, l.name) {
			t.Errorf("two loops are called %q", l.name)
		}
		names = append(names, l.name)
		l.first, l.every, l.within, l.last = 0, time.Millisecond, soon, nil
		turn := l.turn
		l.turn = func(ctx context.Context) error {
			began := time.Now()
			err := turn(ctx)
			if took := time.Since(began); took > soon+lateBy {
				t.Errorf("a turn of %q took %s", l.name, took)
			}
			return err
		}
		all.Go(func() {
			if err := list.run(ctx, l); err != nil {
				t.Errorf("%q ended the program: %v", l.name, err)
			}
		})
	}
	began := time.Now()
	time.Sleep(3 * soon)
	for _, l := range list.ages() {
		if l.Age < time.Since(began)-soon {
			t.Errorf("%q counts a turn without an answer, %s ago", l.Name, l.Age)
		}
	}
	stop()
	all.Wait()
	const least = 18 // with four networks, of which three are swept
	if len(names) < least {
		t.Errorf("only %d loops ask the database: %q", len(names), names)
	}
}
