package store_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

// Whatever a database has set for its sessions, transactions that meet wait for each other and write.
func TestStore_SettingsOfTheDatabase(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string][]string{
		"Serializable":   {"default_transaction_isolation = 'serializable'"},
		"RepeatableRead": {"default_transaction_isolation = 'repeatable read'"},
		"ReadOnly":       {"default_transaction_read_only = on"},
		"AllOfThem": {
			"default_transaction_isolation = 'serializable'", "default_transaction_read_only = on",
			"default_transaction_deferrable = on", "synchronous_commit = off", "datestyle = 'German, DMY'",
			"bytea_output = 'escape'", "timezone = 'Asia/Kathmandu'",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := postgres.URL(t)
			admin, err := pgx.Connect(t.Context(), address)
			testkit.Must(t, err)
			for _, setting := range settings {
				_, err := admin.Exec(t.Context(), "ALTER DATABASE "+pgx.Identifier{admin.Config().Database}.Sanitize()+" SET "+setting)
				testkit.Must(t, err)
			}
			testkit.Must(t, admin.Close(t.Context()))
			w := newWorld(t, storetest.Open(t, address), address)
			k := w.NewKey(100, 0)
			p := w.NewPayment(k)
			for _, err := range storetest.AtOnce(20, func(int) error {
				_, err := w.UpdatePayment(t.Context(), p.ID, func(p payment.Payment) (payment.Change, error) {
					return p.Show("en", false, storetest.Start)
				})
				return err
			}) {
				testkit.Must(t, err)
			}
			for i, err := range storetest.AtOnce(20, func(int) error {
				_, _, err := w.begin(k.ID, "one", "body", "A", storetest.Start)
				return err
			}) {
				if err != nil && !errors.Is(err, idempotency.ErrRunning) {
					t.Errorf("request %d: %v", i, err)
				}
			}
		})
	}
}

// While the server restarts, callers are asked to try again; afterwards the same store goes on, and has everything.
func TestStore_ServerRestarts(t *testing.T) {
	t.Parallel()
	address, restart := postgres.Restartable(t)
	w := newWorld(t, storetest.Open(t, address), address)
	k := w.NewKey(0, 0)
	var made []payment.ID
	stop, ended := make(chan struct{}), make(chan struct{})
	var stored atomic.Int64
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			default:
			}
			c := newPending(k.ID)
			for {
				_, err := w.CreatePayment(t.Context(), c)
				if err == nil {
					break
				}
				if !errors.Is(err, fault.ErrStorage) {
					t.Errorf("during a restart: %v", err)
					return
				}
			}
			made = append(made, c.Payment.ID)
			stored.Add(1)
		}
	}()
	waitFor := func(n int64) {
		t.Helper()
		for end := time.Now().Add(2 * time.Minute); stored.Load() < n; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d payments of %d are stored", stored.Load(), n)
			}
		}
	}
	waitFor(10)
	restart()
	waitFor(stored.Load() + 10)
	close(stop)
	<-ended
	if n := w.Count("SELECT count(*) FROM payments"); n != int64(len(made)) {
		t.Errorf("%d payments are stored, %d were made", n, len(made))
	}
}

// A connection that breaks after COMMIT was sent leaves open what has happened. The caller hears that, and the
// repetition of the request finds the one result.
func TestStore_AmbiguousCommit(t *testing.T) {
	t.Parallel()
	address := storetest.PostgreSQL(t)
	proxy := newCutting(t, address)
	through, err := store.Open(t.Context(), proxy.url, storetest.Sealer(1), store.Options{MaxConns: 1})
	testkit.Must(t, err)
	defer through.Close()
	w := newWorld(t, storetest.Open(t, address), address)
	k := w.NewKey(100, 0)
	p := w.NewPayment(k)
	answer := idempotency.Answer{Status: 200, Body: []byte("cancelled")}
	for name, commits := range map[string]bool{"Committed": true, "NotCommitted": false} {
		_, _, err := w.begin(k.ID, name, "body", name, storetest.Start)
		testkit.Must(t, err)
		created := newPending(k.ID)
		created.Kept = &idempotency.Kept{Claim: claim(k.ID, name, name), Answer: answer, At: storetest.Start}
		proxy.cut(commits)
		_, err = through.CreatePayment(t.Context(), created)
		storetest.WantError(t, name, err, fault.ErrStorage)
		if proxy.armed() {
			t.Fatalf("%s: the connection was not cut", name)
		}
		_, got, err := w.begin(k.ID, name, "body", "again", storetest.Start.Add(2*time.Minute))
		testkit.Must(t, err)
		_, missing := w.Payment(t.Context(), created.Payment.ID)
		if commits != (got.Status == 200) || commits != (missing == nil) {
			t.Errorf("%s: the answer is %d, the payment %v", name, got.Status, missing)
		}
	}
	_, err = through.UpdatePayment(t.Context(), p.ID, func(p payment.Payment) (payment.Change, error) {
		return p.Cancel(storetest.Start)
	})
	testkit.Must(t, err) // the store connects again
}

func newPending(keyID int64) payment.Change {
	return payment.New(payment.Request{
		ID: storetest.NewID(), KeyID: keyID, Kind: payment.KindMerchant, Amount: 1, ValidFor: time.Hour,
	}, storetest.Start)
}

// cutting is a proxy that breaks one connection when a COMMIT comes by.
type cutting struct {
	url  string
	what atomic.Int32 // what to do at the next COMMIT
}

const (
	cutNothing int32 = iota
	cutBefore        // the server never gets it
	cutAfter         // the server has answered
)

func (c *cutting) cut(after bool) {
	if after {
		c.what.Store(cutAfter)
		return
	}
	c.what.Store(cutBefore)
}

func (c *cutting) armed() bool { return c.what.Load() != cutNothing }

func newCutting(t *testing.T, address string) *cutting {
	t.Helper()
	server, err := url.Parse(address)
	testkit.Must(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.Must(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	near := *server
	near.Host = listener.Addr().String()
	query := near.Query()
	query.Set("sslmode", "disable")
	near.RawQuery = query.Encode()
	c := &cutting{url: near.String()}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go c.serve(t.Context(), client, server.Host)
		}
	}()
	return c
}

func (c *cutting) serve(ctx context.Context, client net.Conn, host string) {
	defer client.Close()
	server, err := (&net.Dialer{}).DialContext(ctx, "tcp", host)
	if err != nil {
		return
	}
	defer server.Close()
	var swallow atomic.Bool
	go func() {
		defer client.Close()
		buffer := make([]byte, 64<<10)
		for {
			n, err := server.Read(buffer)
			if err != nil || swallow.Load() {
				return // the answer to COMMIT is lost
			}
			if _, err := client.Write(buffer[:n]); err != nil {
				return
			}
		}
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		if commit := bytes.Contains(bytes.ToLower(buffer[:n]), []byte("commit\x00")); commit {
			switch c.what.Swap(cutNothing) {
			case cutBefore:
				return
			case cutAfter:
				swallow.Store(true)
			}
		}
		if _, err := server.Write(buffer[:n]); err != nil {
			return
		}
		if swallow.Load() {
			_, _ = io.Copy(io.Discard, client) // until the other side has closed it
			return
		}
	}
}
