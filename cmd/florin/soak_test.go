package main_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/testkit"
)

// A soak of a minute or two is one of the tests. `make soak` lets it last an hour.
var (
	soakFor  = flag.Duration("soak", 20*time.Second, "how long payers pay and faults happen in TestSoak")
	soakSeed = flag.Uint64("seed", 1, "what payers and faults do in TestSoak")
)

// soak is a shop on four networks with random payers and faults. Truth is what the chains say of the transactions that
// the payers sent: the program is compared with it.
type soak struct {
	*drill
	networks []*soakNetwork
	began    time.Time
	random   *rand.Rand // of faults

	program sync.Mutex // of what follows
	down    bool
	written strings.Builder // its log
	visits  []*visit
}

// soakNetwork is a network of the drill with its two endpoints: with two, the program believes nothing of one alone.
type soakNetwork struct {
	drillNetwork
	shut [2]atomic.Bool
	// included returns when a transaction was included; ok is false if it is in no block.
	included func(tx string) (at time.Time, ok bool, err error)
	// reorg replaces the newest blocks, at most deepest of them, which no finality forbids.
	reorg   func(blocks int) error
	deepest int
}

// visit is a payment and what its payer sent.
type visit struct {
	order
	on   *soakNetwork
	sent []sent
}

type sent struct {
	tx, token string
	cents     int64
}

// TestSoak: random payers pay on four networks while the program is killed, blocks are replaced, endpoints fail one at
// a time and all at once, and the receiver refuses webhooks. Then every payment has ended as the chains say, the
// merchant knows, every cent is at the merchant, and chains and ledger agree.
func TestSoak(t *testing.T) {
	t.Parallel()
	s := openSoak(t)
	ctx, cancel := context.WithTimeout(t.Context(), *soakFor)
	defer cancel()
	paid := make(chan struct{})
	go func() {
		defer close(paid)
		s.pay(t, ctx)
	}()
	s.disturb(t, ctx)
	<-paid
	s.finish(t)
}

func openSoak(t *testing.T) *soak {
	t.Helper()
	const safe, final = 3, 6 // Base credits what is safe, the others what is final
	chains, sol := startChainsOf(t, safe, final), startSolana(t)
	s := &soak{began: time.Now(), random: rand.New(rand.NewPCG(*soakSeed, 0))}
	ttl := min(2*time.Minute, 2**soakFor)
	env := []string{
		"FLORIN_PAYMENT_TTL=" + (ttl + ttl/2).String(), "FLORIN_START_TTL=" + ttl.String(), "FLORIN_SWEEP_MIN=0.01",
		"FLORIN_RATE_COSTLY=100", "FLORIN_RATE_COSTLY_BURST=1000",
	}
	for _, c := range chains {
		n := &soakNetwork{deepest: final - 1, included: c.included, reorg: func(blocks int) error {
			_, err := c.Reorg(uint64(blocks))
			return err
		}}
		if c.name == "BASE" {
			n.deepest = safe - 1
		}
		s.networks = append(s.networks, n)
		env = append(env, "FLORIN_"+c.name+"_RPC="+n.open(t, c.URL()))
	}
	n := &soakNetwork{deepest: final, included: sol.included, reorg: func(blocks int) error {
		return sol.ledger.Fork(blocks, blocks%2 == 0)
	}}
	s.networks = append(s.networks, n)
	s.drill = openDrill(t, chains, sol, append(env, "FLORIN_SOL_RPC="+n.open(t, sol.ledger.URL()))...)
	for i, n := range s.drill.networks {
		s.networks[i].drillNetwork = n
	}
	s.fundGas(t)
	s.must(t, "", "credit", "grant", "--email", "shop@example.com", "--credits", "1000000")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the program wrote:\n%s", s.written.String())
		}
	})
	return s
}

// open serves the endpoints of a node and returns the setting that names them.
func (n *soakNetwork) open(t *testing.T, node string) string {
	t.Helper()
	to, err := url.Parse(node)
	testkit.Must(t, err)
	through := httputil.NewSingleHostReverseProxy(to)
	var all []string
	for i := range n.shut {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n.shut[i].Load() {
				http.Error(w, "out of order", http.StatusBadGateway)
				return
			}
			through.ServeHTTP(w, r)
		}))
		t.Cleanup(server.Close)
		all = append(all, server.URL)
	}
	return strings.Join(all, ",")
}

func (c testChain) included(tx string) (at time.Time, ok bool, err error) {
	receipt, err := c.Client().TransactionReceipt(context.Background(), common.HexToHash(tx))
	if errors.Is(err, ethereum.NotFound) {
		return at, false, nil
	}
	if err != nil || receipt.Status == 0 {
		return at, false, errors.Join(fmt.Errorf("a payer's transaction %s failed", tx), err)
	}
	head, err := c.Client().HeaderByHash(context.Background(), receipt.BlockHash)
	if err != nil {
		return at, false, err
	}
	return time.Unix(int64(head.Time), 0), true, nil
}

func (s *solanaNetwork) included(tx string) (at time.Time, ok bool, err error) {
	shown, ok := s.ledger.Transaction(solanago.MustSignatureFromBase58(tx))
	if status, _ := shown["meta"].(map[string]any)["status"].(map[string]any); ok && status["Err"] != nil {
		return at, false, fmt.Errorf("a payer's transaction %s failed: %v", tx, status["Err"])
	}
	seconds, _ := shown["blockTime"].(int64)
	return time.Unix(seconds, 0), ok, nil
}

func (s *soak) logf(t *testing.T, format string, args ...any) {
	t.Helper()
	t.Logf("%7s  %s", time.Since(s.began).Round(time.Second), fmt.Sprintf(format, args...))
}

// pause waits, at most until the context ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// disturb lets faults happen, one after the other and each kind in turn, until the time is over.
func (s *soak) disturb(t *testing.T, ctx context.Context) {
	t.Helper()
	longest := min(20*time.Second, *soakFor/8)
	faults := []func(*testing.T, context.Context, *soakNetwork, time.Duration){
		s.kill, s.replace, s.refuse,
		func(t *testing.T, ctx context.Context, n *soakNetwork, d time.Duration) {
			t.Helper()
			s.shut(t, ctx, n, d, 1)
		},
		func(t *testing.T, ctx context.Context, n *soakNetwork, d time.Duration) {
			t.Helper()
			s.shut(t, ctx, n, d, 2)
		},
	}
	for {
		for _, which := range s.random.Perm(len(faults)) {
			pause(ctx, time.Duration(s.random.Int64N(int64(longest))))
			if ctx.Err() != nil {
				return
			}
			n := s.networks[s.random.IntN(len(s.networks))]
			faults[which](t, ctx, n, time.Duration(s.random.Int64N(int64(longest))))
		}
	}
}

// kill ends the program as a power cut does, and starts it again.
func (s *soak) kill(t *testing.T, ctx context.Context, _ *soakNetwork, lasts time.Duration) {
	t.Helper()
	s.logf(t, "the program is killed")
	s.setDown(true)
	_, log := s.stop(t, syscall.SIGKILL)
	s.written.WriteString(log)
	pause(ctx, lasts/4)
	next := s.serve(t)
	s.program.Lock()
	defer s.program.Unlock()
	s.server, s.down = next, false
}

func (s *soak) setDown(down bool) {
	s.program.Lock()
	defer s.program.Unlock()
	s.down = down
}

func (s *soak) replace(t *testing.T, _ context.Context, n *soakNetwork, _ time.Duration) {
	t.Helper()
	blocks := 1 + s.random.IntN(n.deepest)
	s.logf(t, "%d blocks of %s are replaced", blocks, n.name)
	testkit.Must(t, n.reorg(blocks))
}

func (s *soak) shut(t *testing.T, ctx context.Context, n *soakNetwork, lasts time.Duration, endpoints int) {
	t.Helper()
	s.logf(t, "%d of 2 endpoints of %s fail for %v", endpoints, n.name, lasts.Round(time.Second))
	for i := range endpoints {
		n.shut[i].Store(true)
		defer n.shut[i].Store(false)
	}
	pause(ctx, lasts)
}

func (s *soak) refuse(t *testing.T, ctx context.Context, _ *soakNetwork, lasts time.Duration) {
	t.Helper()
	s.logf(t, "the receiver of webhooks fails for %v", lasts.Round(time.Second))
	s.setBusy(true)
	defer s.setBusy(false)
	pause(ctx, lasts)
}
