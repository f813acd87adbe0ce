//go:build unix

package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

const (
	// seenWithin is how long money may be unseen while one way to the database works.
	seenWithin = 60 * time.Second
	// notedWithin is how long GET /health may say that all is well while the database is silent.
	notedWithin = 90 * time.Second
)

// tell asks the program, which may have other things to do; status is 0 if it does not answer in time.
func (s *server) tell(path string) (status int, answer map[string]any) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return 0, nil
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil
	}
	defer res.Body.Close()
	_ = json.NewDecoder(res.Body).Decode(&answer)
	return res.StatusCode, answer
}

// openOn starts a shop with one network on the PostgreSQL database.
func openOn(t *testing.T, url string) *shop {
	t.Helper()
	s := &shop{receiver: newReceiver(t), chains: startChains(t)[:1]}
	s.open(t, append(s.chains[0].environ(), "FLORIN_ALLOW_PRIVATE_CALLBACKS=true", "FLORIN_DATABASE_URL="+url),
		map[string]any{"bep20": settlementWallet})
	return s
}

// paysAfter pays an order right after the cut and returns how long it takes until the money is seen and reported.
func (s *shop) paysAfter(t *testing.T, cut func()) time.Duration {
	t.Helper()
	txnid, address := s.start(t, "BEP20", "USDT", 700)
	cut()
	began := time.Now()
	s.chains[0].pay(t, s.chains[0].token("USDT"), address, 700)
	var order map[string]any
	defer func() {
		if t.Failed() {
			_, health := s.tell("/health")
			t.Logf("the order is %v, health %v", order, health)
			_, log := s.stop(t, syscall.SIGQUIT)
			t.Log(log)
		}
	}()
	eventually(t, "the money is seen", func() bool {
		_, order = s.tell("/orders/" + txnid)
		p, _ := order["transaction"].(map[string]any)
		return p["status"] == "COMPLETED"
	})
	s.awaitWebhook(t, txnid, "completed")
	return time.Since(began)
}

// measured prints a figure of the table under "When the database goes away" (make outages), and checks its bound.
func measured(t *testing.T, what string, took, bound time.Duration) {
	t.Helper()
	t.Logf("measured: %s: after %s", what, took.Round(100*time.Millisecond))
	if took > bound {
		t.Errorf("%s: after %s, want %s at most", what, took, bound)
	}
}

const seen = "the money is seen and reported"

// healthy reports whether GET /health says that all is well.
func (s *server) healthy() bool {
	_, report := s.tell("/health")
	return report["status"] == "ok"
}

// TestDatabase_SilentPath: when the way to the first of two hosts falls silent, in one direction or the other, money
// that is paid right then is seen and reported through the second host; when both are silent, GET /health says so, and
// when one speaks again, everything goes on.
func TestDatabase_SilentPath(t *testing.T) {
	t.Parallel()
	for name, silence := range map[string]testkit.Silence{
		"Unanswered": testkit.Unanswered, "Unasked": testkit.Unasked,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, paths := testkit.PathTo(t, postgres.URL(t), 2)
			s := openOn(t, url)
			eventually(t, "all is well", s.healthy)
			measured(t, seen, s.paysAfter(t, func() { paths[0].Be(silence) }), seenWithin)
			began := time.Now()
			paths[1].Be(silence)
			eventually(t, "the silence is noted", func() bool { return !s.healthy() })
			measured(t, "/health says so, with every way silent", time.Since(began), notedWithin)
			time.Sleep(time.Until(began.Add(20 * time.Second))) // longer than what is in progress may take
			paths[1].Be(testkit.Works)
			spoke := time.Now()
			eventually(t, "all is well again", s.healthy)
			if took := time.Since(spoke); took > seenWithin {
				t.Errorf("all was well again after %s", took)
			}
		})
	}
}

// TestDatabase_Frozen: the first server freezes with all its processes, and its standby takes over.
func TestDatabase_Frozen(t *testing.T) {
	t.Parallel()
	servers := postgres.NewPair(t)
	s := openOn(t, servers.URL())
	eventually(t, "all is well", s.healthy)
	measured(t, seen, s.paysAfter(t, func() {
		servers.Freeze()
		servers.Promote()
	}), seenWithin)
	eventually(t, "all is well again", s.healthy)
}

// TestDatabase_WrongServer: for six seconds the name of the database leads to the standby, which takes no writes
// (SQLSTATE 25006). No connection stays there: what is created and paid afterwards is as ever.
func TestDatabase_WrongServer(t *testing.T) {
	t.Parallel()
	servers := postgres.NewPair(t)
	first, standby := servers.Hosts()
	name := testkit.NewPath(t, first)
	s := openOn(t, "postgres://florin@"+name.Address()+"/postgres?sslmode=disable")
	eventually(t, "all is well", s.healthy)
	measured(t, seen, s.paysAfter(t, func() {
		name.Lead(standby)
		time.Sleep(6 * time.Second)
		name.Lead(first)
	}), seenWithin)
	began := time.Now()
	eventually(t, "a payment is created", func() bool {
		status, _ := s.post(t, "/create-payment", fmt.Sprintf(`{"apiKey":%q,"amount":5}`, s.key))
		return status == http.StatusOK
	})
	measured(t, "payments are created again", time.Since(began), 10*time.Second)
	eventually(t, "all is well again", s.healthy)
}

// TestDatabase_Pooler: PgBouncer, which pools sessions in between, is killed and started again.
func TestDatabase_Pooler(t *testing.T) {
	t.Parallel()
	through, restart := postgres.Pooler(t, postgres.URL(t), "session")
	s := openOn(t, through)
	eventually(t, "all is well", s.healthy)
	measured(t, seen, s.paysAfter(t, restart), seenWithin)
	refused, _ := postgres.Pooler(t, postgres.URL(t), "transaction")
	i := newInstallation(t, "FLORIN_DATABASE_URL="+refused)
	i.refuses(t, 1, []string{"serve"}, "transaction pooling", "let it pool sessions")
	i.examine(t).wants(t, "database", "wrong", "transaction pooling")
}
