//go:build unix

package main_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/testkit/postgres"
)

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
