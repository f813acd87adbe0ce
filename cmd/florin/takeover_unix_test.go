//go:build unix

package main_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

// takeoverWithin is how long a network may be without a reader after one was lost.
const takeoverWithin = 15 * time.Second

// pair is two programs on one PostgreSQL database, of which one reads the network.
type pair struct {
	*shop

	url             string
	reader, standby *server
}

// readerOf returns the holder of the lease to read BEP20; empty: nobody has one.
func (p *pair) readerOf(t *testing.T) (holder string) {
	t.Helper()
	return readOne[string](t, p.url,
		"SELECT coalesce(max(holder), '') FROM leases WHERE name = 'watch:BEP20' AND until > clock_timestamp()")
}

// lose sends the signal to the reader while money arrives, and returns how long it took until the other one read.
func (p *pair) lose(t *testing.T, signal syscall.Signal) time.Duration {
	t.Helper()
	before := p.readerOf(t)
	p.server = p.standby
	txnid, address := p.start(t, "BEP20", "USDT", 700)
	began := time.Now()
	testkit.Must(t, p.reader.cmd.Process.Signal(signal))
	p.chains[0].pay(t, p.chains[0].token("USDT"), address, 700)
	eventually(t, "another reader", func() bool {
		now := p.readerOf(t)
		return now != "" && now != before
	})
	took := time.Since(began)
	p.await(t, txnid, "COMPLETED")
	p.awaitWebhook(t, txnid, "completed")
	return took
}

// TestInstances_Takeover: when the instance that reads a network is killed, or paused, another one reads it within 15
// s, and sees what was paid meanwhile. Other tests use the processors, so the fastest of some takeovers counts.
func TestInstances_Takeover(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{"Killed": syscall.SIGKILL, "Paused": syscall.SIGSTOP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &pair{shop: &shop{receiver: newReceiver(t), chains: startChains(t)[:1]}, url: postgres.URL(t)}
			p.open(t, append(
				p.chains[0].environ(), "FLORIN_ALLOW_PRIVATE_CALLBACKS=true", "FLORIN_DATABASE_URL="+p.url,
			),
				map[string]any{"bep20": settlementWallet})
			eventually(t, "the first reader", func() bool { return p.readerOf(t) != "" })
			p.reader = p.server
			fastest := time.Hour
			for try := 0; try < 6 && fastest > takeoverWithin; try++ {
				p.standby = p.serve(t)
				fastest = min(fastest, p.lose(t, signal))
				_ = p.reader.cmd.Process.Signal(syscall.SIGCONT)
				p.reader.stop(t, syscall.SIGKILL)
				p.reader = p.standby
			}
			measured(t, "another instance reads the network", fastest, takeoverWithin)
		})
	}
}

// TestInstances_KilledWhileSending: what an instance was sending when it was killed is sent by the next one as soon as
// its presence has ended, and other events to the same receiver do not wait for it.
func TestInstances_KilledWhileSending(t *testing.T) {
	t.Parallel()
	s := &shop{receiver: newReceiver(t), chains: startChains(t)[:1]}
	s.open(t, append(s.chains[0].environ(), "FLORIN_ALLOW_PRIVATE_CALLBACKS=true",
		"FLORIN_DATABASE_URL="+postgres.URL(t)), map[string]any{"bep20": settlementWallet})
	create := func() string {
		_, made := s.post(t, "/create-payment", fmt.Sprintf(`{"apiKey":%q,"amount":5}`, s.key))
		p, _ := made["transaction"].(map[string]any)
		return fmt.Sprint(p["txnid"])
	}
	cancel := func(txnid string) {
		if status, answer := s.post(t, "/cancel-payment", fmt.Sprintf(`{"txnid":%q}`, txnid)); status != http.StatusOK {
			t.Fatalf("cancel: %d %v", status, answer)
		}
	}
	held, next := create(), create()
	h := &hanging{held, make(chan struct{})}
	s.hangs.Store(h)
	cancel(held)
	<-h.began
	s.stop(t, syscall.SIGKILL)
	killed := time.Now()
	s.server = s.serve(t)
	began := time.Now()
	cancel(next)
	s.awaitWebhook(t, next, "cancelled")
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("another event of the receiver took %s", took)
	}
	s.awaitWebhook(t, held, "cancelled")
	measured(t, "another instance sends it", time.Since(killed), 30*time.Second)
}

// One server uses an SQLite file, whatever name the second gives it; commands work beside it, and a crash frees it.
func TestServe_Twice(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	s := i.serve(t)
	named := func(path string) installation {
		second := i
		second.env = append([]string{}, i.env...)
		second.env = append(second.env, "FLORIN_DATABASE_URL=sqlite://"+path, "FLORIN_LISTEN=127.0.0.1:0")
		return second
	}
	file, link := filepath.Join(i.dir, "test.db"), filepath.Join(i.dir, "link.db")
	hard, elsewhere := filepath.Join(i.dir, "hard.db"), filepath.Join(t.TempDir(), "mounted")
	testkit.Must(t, os.Symlink("test.db", link))
	testkit.Must(t, os.Link(file, hard))
	testkit.Must(t, os.Symlink(i.dir, elsewhere))
	for name, path := range map[string]string{
		"SameName": "test.db", "FullPath": file, "Symlink": link, "Hardlink": hard,
		"OtherDirectory": filepath.Join(elsewhere, "test.db"), "DottedPath": "./x/../test.db",
	} {
		t.Run(name, func(t *testing.T) {
			testkit.Must(t, os.MkdirAll(filepath.Join(i.dir, "x"), 0o700))
			named(path).refuses(t, 1, []string{"serve"}, "another `florin serve` uses the database", "PostgreSQL")
		})
	}
	t.Run("CommandsBesideIt", func(t *testing.T) {
		i.must(t, password, "user", "create", "--email", email)
		named(link).must(t, "", "key", "create", "--email", email)
		i.must(t, "", "verify-ledger")
	})
	t.Run("CommandOnAHardlink", func(t *testing.T) {
		named(hard).refuses(t, 1, []string{"verify-ledger"}, "under another name")
	})
	t.Run("AfterACrash", func(t *testing.T) {
		s.stop(t, syscall.SIGKILL)
		s = i.serve(t)
		named(link).refuses(t, 1, []string{"serve"}, "another `florin serve`")
	})
	t.Run("AfterItsEnd", func(t *testing.T) {
		s.stop(t, syscall.SIGTERM)
		i.serve(t)
	})
}
