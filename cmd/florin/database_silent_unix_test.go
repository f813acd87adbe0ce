//go:build unix

package main_test

import (
	"context"
	"encoding/json"
	"net/http"
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
	eventually(t, "the money is seen", func() bool {
		_, order := s.tell("/orders/" + txnid)
		p, _ := order["transaction"].(map[string]any)
		return p["status"] == "COMPLETED"
	})
	s.awaitWebhook(t, txnid, "completed")
	return time.Since(began)
}

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
			if took := s.paysAfter(t, func() { paths[0].Be(silence) }); took > seenWithin {
				t.Errorf("the money was seen after %s", took)
			} else {
				t.Logf("the money was seen after %s", took)
			}
			began := time.Now()
			paths[1].Be(silence)
			eventually(t, "the silence is noted", func() bool { return !s.healthy() })
			if took := time.Since(began); took > notedWithin {
				t.Errorf("the silence was noted after %s", took)
			} else {
				t.Logf("the silence was noted after %s", took)
			}
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
	took := s.paysAfter(t, func() {
		servers.Freeze()
		servers.Promote()
	})
	if t.Logf("the money was seen after %s", took); took > seenWithin {
		t.Errorf("the money was seen after %s", took)
	}
	eventually(t, "all is well again", s.healthy)
}
