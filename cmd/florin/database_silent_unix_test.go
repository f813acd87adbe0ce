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

// frozenFor is longer than a transaction, a connection attempt and a turn of any loop may take.
const frozenFor = 40 * time.Second

// TestDatabase_FrozenAtWork freezes the only server of the database while every loop has work: a mail is being sent, a
// webhook is to be repeated, a sweep waits, a payment expires, and another one is paid. GET /health says so, and all of
// it is done soon after the server goes on.
func TestDatabase_FrozenAtWork(t *testing.T) {
	t.Parallel()
	servers, box := postgres.NewPair(t), startMailbox(t)
	first, _ := servers.Hosts()
	url := "postgres://florin@" + first + "/postgres?sslmode=disable"
	s := &shop{receiver: newReceiver(t), chains: startChains(t)[:1]}
	env := append(s.chains[0].environ(), "FLORIN_ALLOW_PRIVATE_CALLBACKS=true", "FLORIN_DATABASE_URL="+url,
		"FLORIN_SMTP_URL=smtp://"+box.address, "FLORIN_MAIL_FROM=pay@example.com", "FLORIN_PAYMENT_TTL=30s")
	s.open(t, append(env, settling...), map[string]any{"bep20": settlementWallet})
	s.fundGas(t)
	eventually(t, "all is well", s.healthy)

	paid, address := s.start(t, "BEP20", "USDT", 900)
	late, lateAddress := s.start(t, "BEP20", "USDT", 700)
	s.setBusy(true)
	s.chains[0].pay(t, s.chains[0].token("USDT"), address, 900)
	s.await(t, paid, "COMPLETED")
	status, created := s.post(t, "/create-payment", fmt.Sprintf(`{"apiKey":%q,"amount":5}`, s.key))
	if status != http.StatusOK {
		t.Fatalf("create: %d %v", status, created)
	}
	expiring := created["transaction"].(map[string]any)["txnid"].(string)
	greeting := make(chan struct{})
	box.hold(greeting, nil)
	calls := box.calls.Load()
	s.must(t, "another horse battery\n", "user", "password", "--email", "shop@example.com")
	eventually(t, "a mail is being sent", func() bool { return box.calls.Load() > calls })

	servers.Freeze()
	began := time.Now()
	close(greeting)
	box.hold(nil, nil)
	s.setBusy(false)
	s.chains[0].pay(t, s.chains[0].token("USDT"), lateAddress, 700)
	eventually(t, "the silence is noted", func() bool { return !s.healthy() })
	measured(t, "/health says so, with the only server frozen", time.Since(began), notedWithin)
	for time.Since(began) < frozenFor {
		if time.Sleep(time.Second); s.healthy() {
			t.Error("/health says that all is well while the database is frozen")
		}
	}
	servers.Thaw()
	thawed := time.Now()
	s.awaitWebhook(t, paid, "completed")
	s.awaitWebhook(t, late, "completed")
	measured(t, seen, time.Since(thawed), seenWithin)
	s.awaitWebhook(t, expiring, "expired")
	s.awaitSwept(t)
	eventually(t, "the mail is sent", func() bool {
		return readOne[bool](t, url, "SELECT count(*) > 0 AND min(state) = 'DELIVERED' FROM mails") &&
			len(box.about("Subject: Your password was")) > 0
	})
	eventually(t, "all is well again", s.healthy)
	measured(t, "everything that waited is done", time.Since(thawed), seenWithin)
	if calls := s.about(paid); len(calls) != 1 {
		t.Errorf("the receiver took %d webhooks about one payment", len(calls))
	}
}
