package app

import (
	"context"
	"encoding/base64"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

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
