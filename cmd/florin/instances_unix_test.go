//go:build unix

package main_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

// cluster is three programs on one database, behind a balancer that sends each request anywhere.
type cluster struct {
	*shop
	chain   testChain
	granted int64 // credits before the first order
	// strict: the balancer sends nothing to an instance that is not ready, so every request is answered the first time.
	strict bool

	mu       sync.Mutex
	members  [3]*server
	inFlight map[*server]int // requests
	started  []startedOrder
	t        *testing.T
}

func openCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{
		shop: &shop{receiver: newReceiver(t), chains: startChains(t)[:1]}, inFlight: make(map[*server]int), t: t,
	}
	c.chain = c.chains[0]
	env := append(c.chain.environ(), "FLORIN_ALLOW_PRIVATE_CALLBACKS=true", "FLORIN_DATABASE_URL="+postgres.URL(t),
		"FLORIN_BEP20_RPC_BUDGET=unlimited", "FLORIN_RATE_CLIENT=100000", "FLORIN_RATE_CLIENT_BURST=100000")
	c.open(t, append(env, settling...), map[string]any{"bep20": settlementWallet})
	fund(t, c.chain.Chain)
	c.must(t, "", "credit", "grant", "--email", "shop@example.com", "--credits", "500")
	c.granted = c.creditsLeft(t)
	c.members = [3]*server{c.server, c.serve(t), c.serve(t)}
	return c
}

// member returns the instance of that number.
func (c *cluster) member(n int) *server {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.members[n]
}

// anyMember returns one of the instances to which the balancer sends requests. Call done after the request.
func (c *cluster) anyMember() (s *server, done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for s == nil {
		s = c.members[rand.IntN(len(c.members))]
	}
	c.inFlight[s]++
	return s, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.inFlight[s]--
	}
}

// idle reports whether no request to the instance is in flight.
func (c *cluster) idle(s *server) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inFlight[s] == 0
}

// put makes the instance the one of that number; nil takes the number out of the balancer.
func (c *cluster) put(n int, s *server) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.members[n] = s
}

// request sends a request to any instance until one answers it. One that is killed, paused or starts again does not
// answer, or says that it cannot; every other answer is final.
func (c *cluster) request(method, path, body, key string) (int, map[string]any) {
	for deadline := time.Now().Add(2 * patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		member, done := c.anyMember()
		status, answer, err := c.once(member, method, path, body, key)
		done()
		if c.strict && (err != nil || status == http.StatusInternalServerError) {
			c.t.Errorf("%s %s is answered %d %v, %v", method, path, status, answer, err)
		}
		if err == nil && status < http.StatusInternalServerError && status != http.StatusConflict {
			return status, answer
		}
	}
	c.t.Errorf("no instance answers %s %s", method, path)
	return 0, nil
}

func (c *cluster) once(s *server, method, path, body, key string) (status int, answer map[string]any, err error) {
	within := 3 * time.Second // then another instance is asked: this one may be paused
	if c.strict {
		within = patience
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	var header []string
	if key != "" {
		header = []string{"Idempotency-Key", key}
	}
	return s.ask(ctx, method, path, body, header...)
}

// startedOrder is an order that a client has started.
type startedOrder struct {
	txnid, address string
	cents          int64
}

// order creates and starts an order of cents; ok is false after a wrong answer.
func (c *cluster) order(n int64) (o startedOrder, ok bool) {
	o.cents = 500 + n
	body := fmt.Sprintf(`{"apiKey":%q,"amount":%d.%02d,"reference":"order-%d"}`, c.key, o.cents/100, o.cents%100, n)
	status, made := c.request(http.MethodPost, "/create-payment", body, fmt.Sprint("order-", n))
	p, _ := made["transaction"].(map[string]any)
	if o.txnid, _ = p["txnid"].(string); status != http.StatusOK || o.txnid == "" {
		c.t.Errorf("order %d is answered %d %v", n, status, made)
		return o, false
	}
	status, started := c.request(http.MethodPost, "/pay",
		fmt.Sprintf(`{"txnid":%q,"network":"BEP20","token":"USDT"}`, o.txnid), "")
	p, _ = started["transaction"].(map[string]any)
	wallet, _ := p["wallet"].(map[string]any)
	if o.address, _ = wallet["address"].(string); status != http.StatusOK || o.address == "" || p["txnid"] != o.txnid {
		c.t.Errorf("the start of order %d is answered %d %v", n, status, started)
		return o, false
	}
	return o, c.reads(o)
}

// reads reports whether any instance says of an order what was answered when it was started.
func (c *cluster) reads(o startedOrder) bool {
	_, p := c.request(http.MethodGet, "/orders/"+o.txnid, "", "")
	p, _ = p["transaction"].(map[string]any)
	wallet, _ := p["wallet"].(map[string]any)
	if p["status"] == "PENDING" || wallet["address"] != o.address {
		c.t.Errorf("order %s was started, and an instance says %v", o.txnid, p)
		return false
	}
	return true
}

// clients is how many order at once.
const clients = 4

// load lets clients order until ctx ends, and pays what was ordered.
func (c *cluster) load(ctx context.Context, clients int) (all []startedOrder) {
	orders := make(chan startedOrder)
	var count atomic.Int64
	var ordering sync.WaitGroup
	for range clients {
		ordering.Go(func() {
			for ctx.Err() == nil {
				if o, ok := c.order(count.Add(1)); ok {
					orders <- o
				}
			}
		})
	}
	go func() { ordering.Wait(); close(orders) }()
	for o := range orders {
		c.mu.Lock()
		c.started = append(c.started, o)
		c.mu.Unlock()
		c.chain.pay(c.t, c.chain.token("USDT"), o.address, o.cents)
		all = append(all, o)
	}
	return all
}

// readAtRandom asks any instance for any order until ctx ends. What one has answered, every one says from then on.
func (c *cluster) readAtRandom(ctx context.Context) {
	answered, reads, rank := make(map[string]int), 0, map[any]int{"STARTED": 1, "COMPLETED": 2}
	for ctx.Err() == nil {
		c.mu.Lock()
		var o startedOrder
		if n := len(c.started); n > 0 {
			o = c.started[max(rand.IntN(n), rand.IntN(n))] // rather a new one, which still changes
		}
		c.mu.Unlock()
		if o.txnid == "" {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		_, answer := c.request(http.MethodGet, "/orders/"+o.txnid, "", "")
		p, _ := answer["transaction"].(map[string]any)
		wallet, _ := p["wallet"].(map[string]any)
		if now := rank[p["status"]]; now < max(answered[o.txnid], 1) || wallet["address"] != o.address {
			c.t.Errorf("order %s was answered otherwise before an instance says %v", o.txnid, p)
		} else {
			answered[o.txnid] = now
		}
		reads++
	}
	c.t.Logf("%d reads at random", reads)
}

// longPause is longer than every lease of a reader, a sweep or a delivery.
const longPause = 12 * time.Second

// disturb pauses and kills instances at random until ctx ends; in the end all run. Two are never disturbed at once by
// one disturber.
func (c *cluster) disturb(ctx context.Context) {
	for round := 0; ctx.Err() == nil; round++ {
		n := rand.IntN(3)
		s := c.member(n)
		if round%2 == 1 {
			s.stop(c.t, syscall.SIGKILL)
			c.put(n, c.serve(c.t))
			continue
		}
		if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			c.t.Error(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(longPause):
		}
		if err := s.cmd.Process.Signal(syscall.SIGCONT); err != nil {
			c.t.Error(err)
		}
	}
}

// loadFor is how long the load lasts: TEST_INSTANCES=1m for a longer one.
func loadFor(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("TEST_INSTANCES")
	if text == "" {
		return longPause + 3*time.Second
	}
	d, err := time.ParseDuration(text)
	testkit.Must(t, err)
	return d
}

// TestInstances: three programs on one PostgreSQL, paused for longer than their leases and killed at random under load,
// lose no event, credit and sweep nothing twice, and answer every request rightly.
func TestInstances(t *testing.T) {
	t.Parallel()
	c := openCluster(t)
	ctx, cancel := context.WithTimeout(t.Context(), loadFor(t))
	defer cancel()
	var beside sync.WaitGroup
	beside.Go(func() { c.disturb(ctx) })
	for range clients {
		beside.Go(func() { c.readAtRandom(ctx) })
	}
	orders := c.load(ctx, clients)
	beside.Wait()
	c.wantAllOnce(t, orders)
}

// wantAllOnce waits until all orders are paid and settled, and checks that nothing was lost or done twice.
func (c *cluster) wantAllOnce(t *testing.T, orders []startedOrder) {
	t.Helper()
	c.server = c.member(0)
	t.Logf("%d orders", len(orders))
	seen := make(map[string]bool)
	var sum int64
	for _, o := range orders {
		if seen[o.txnid] {
			t.Errorf("two orders have the txnid %s", o.txnid)
		}
		seen[o.txnid] = true
		sum += o.cents
		c.wantPaidOnce(t, o)
	}
	if left := c.creditsLeft(t); left != c.granted-int64(len(orders)) {
		t.Errorf("%d credits are left of %d after %d orders", left, c.granted, len(orders))
	}
	eventually(t, "all money is settled", func() bool {
		return c.chain.balance(t, c.chain.token("USDT"), settlementWallet) >= sum
	})
	c.chain.holds(t, c.chain.token("USDT"), settlementWallet, sum)
	c.awaitSwept(t)
	if out := c.must(t, "", "reconcile"); !strings.HasPrefix(out, "No differences") {
		t.Errorf("reconcile says %q", out)
	}
	c.prints(t, "has no differences", "verify-ledger")
}

// wantPaidOnce waits until the order is completed with its money and reported as one event.
func (c *cluster) wantPaidOnce(t *testing.T, o startedOrder) {
	t.Helper()
	if p := c.await(t, o.txnid, "COMPLETED"); p["receivedAmount"] != float64(o.cents)/100 {
		t.Errorf("order %s of %d cents: %v", o.txnid, o.cents, p)
	}
	c.awaitWebhook(t, o.txnid, "completed")
	ids := make(map[string]bool)
	for _, a := range c.about(o.txnid) {
		ids[a.id] = true
	}
	if len(ids) != 1 {
		t.Errorf("order %s was reported as %d events", o.txnid, len(ids))
	}
}

// TestInstances_Live: what one instance changes reaches a page that another holds within 100 ms. Other tests use the
// processors, so the fastest of many pages counts.
func TestInstances_Live(t *testing.T) {
	t.Parallel()
	s := &shop{receiver: newReceiver(t), chains: startChains(t)[:1]}
	s.open(t, append(
		s.chains[0].environ(), "FLORIN_ALLOW_PRIVATE_CALLBACKS=true", "FLORIN_DATABASE_URL="+postgres.URL(t),
	),
		map[string]any{"bep20": settlementWallet})
	other := s.serve(t)
	const within, pages = 100 * time.Millisecond, 100
	s.must(t, "", "credit", "grant", "--email", "shop@example.com", "--credits", "100") // a page costs one
	fastest := time.Hour
	for i := 0; i < pages && fastest > within; i++ {
		txnid, _ := s.start(t, "BEP20", "USDT", 500)
		page, _ := other.openPage(t, txnid)
		arrived := make(chan error, 1)
		go func() {
			for {
				line, err := page.ReadString('\n')
				if err != nil || strings.Contains(strings.ToLower(line), "cancelled") {
					arrived <- err
					return
				}
			}
		}()
		began := time.Now()
		if status, answer := s.post(t, "/cancel-payment", fmt.Sprintf(`{"txnid":%q}`, txnid)); status != http.StatusOK {
			t.Fatalf("cancel: %d %v", status, answer)
		}
		testkit.Must(t, <-arrived)
		fastest = min(fastest, time.Since(began))
	}
	if t.Logf("the fastest page took %s", fastest); fastest > within {
		t.Errorf("a page of another instance hears of a change after %s at best", fastest)
	}
}
