package store_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/testkit"
)

// Variables that make this program the one that is killed.
const (
	victimURL = "FLORIN_STORE_VICTIM_URL"
	victimKey = "FLORIN_STORE_VICTIM_KEY"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(victimURL); url != "" {
		if err := victim(url, os.Getenv(victimKey)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// victim creates and starts payments for ever, and prints the ID of each when
// the store has said that it is done.
func victim(url, key string) error {
	ctx := context.Background()
	id, err := strconv.ParseInt(key, 10, 64)
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, url, storetest.Sealer(1), store.Options{})
	if err != nil {
		return err
	}
	var out sync.Mutex
	errs := make(chan error)
	for range 8 {
		go func() {
			for {
				p, err := s.CreatePayment(ctx, payment.New(payment.Request{
					ID: storetest.NewID(), KeyID: id, Kind: payment.KindMerchant,
					Amount: money.USD, ValidFor: time.Hour,
				}, storetest.Start))
				if err == nil {
					_, err = s.UpdatePayment(ctx, p.ID, storetest.StartOn(chain.Polygon, money.USDC, storetest.Start))
				}
				if err != nil {
					errs <- err
					return
				}
				out.Lock()
				fmt.Println(p.ID)
				out.Unlock()
			}
		}()
	}
	return <-errs
}

// What was answered stays, whenever the program is killed.
func TestStore_Crash(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		const credits = 1_000_000
		k := w.NewKey(credits, 0)
		done := killedAfter(t, 300, w.URL, k.ID)
		w.Must(w.Close())

		again := newWorld(t, storetest.Open(t, w.URL), w.URL)
		for _, id := range done {
			if p := again.Stored(id); p.Status != payment.Started || len(p.Routes) != 1 {
				t.Fatalf("payment %s is %s with %d routes", id, p.Status, len(p.Routes))
			}
		}
		b, err := again.Balance(t.Context(), k.ID)
		again.Must(err)
		started := again.Count("SELECT count(*) FROM payments WHERE status = 'STARTED'")
		if started < int64(len(done)) || b.Credits != credits-started {
			t.Errorf("%d answered, %d started, %d credits left", len(done), started, b.Credits)
		}
		if n := again.Count("SELECT count(*) FROM events"); n != 2*started+again.Count("SELECT count(*) FROM payments WHERE status = 'PENDING'") {
			t.Errorf("%d events", n)
		}
		again.CheckLedger()
		again.NewStarted(k)
		if !again.ManyWriters() {
			again.sound()
		}
	})
}

// killedAfter runs a victim, kills it when it has done n payments, and returns
// all that it has done.
func killedAfter(t *testing.T, n int, url string, keyID int64) []payment.ID {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = append(os.Environ(), victimURL+"="+url, victimKey+"="+strconv.FormatInt(keyID, 10))
	var said strings.Builder
	command.Stderr = &said
	out, err := command.StdoutPipe()
	testkit.Must(t, err)
	testkit.Must(t, command.Start())
	var done []payment.ID
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if done = append(done, payment.ID(lines.Text())); len(done) == n {
			testkit.Must(t, command.Process.Kill())
		}
	}
	_ = command.Wait() // it was killed
	if len(done) < n {
		t.Fatalf("the victim ended by itself after %d payments: %s", len(done), said.String())
	}
	if last := done[len(done)-1]; len(last) != 26 {
		done = done[:len(done)-1] // it was killed while it printed
	}
	return done
}

// sound asks SQLite whether the file is.
func (w *world) sound() {
	w.T.Helper()
	var verdict string
	w.Must(w.DB().Reader().NewRaw("PRAGMA integrity_check").Scan(w.T.Context(), &verdict))
	if verdict != "ok" {
		w.T.Errorf("integrity check: %s", verdict)
	}
	if n := w.Count("SELECT count(*) FROM pragma_foreign_key_check"); n != 0 {
		w.T.Errorf("%d broken references", n)
	}
}
