package main_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/florinpay/florin/internal/testkit"
)

// The limits of the time from the final block to the webhook (p99), of which the last is with very many open payments
// against few.
const (
	mostPushed  = 250 * time.Millisecond
	mostBeyond  = 100 * time.Millisecond // beyond the time between two readings
	mostGrowth  = 1.1
	fewPayments = 2_000
	// paidBlocks is how many blocks hold payments, and paidAtOnce how many of them each.
	paidBlocks, paidAtOnce = 20, 25
	// benchFinal is how many blocks the final one trails the newest.
	benchFinal = 2
)

// reading is a way to read the chain.
type reading struct {
	name string
	env  func(url string) []string
	most time.Duration
	// polled: where in its period a reading meets the block is chance, and decides more than how many are open.
	polled bool
}

var readings = []reading{
	{"own node, pushed heads", func(url string) []string {
		return []string{
			"FLORIN_POLYGON_RPC=" + url + ",ws" + strings.TrimPrefix(url, "http"),
			"FLORIN_POLYGON_RPC_BUDGET=unlimited",
		}
	}, mostPushed, false},
	{"own node, polled", func(url string) []string {
		return []string{"FLORIN_POLYGON_RPC=" + url, "FLORIN_POLYGON_RPC_BUDGET=unlimited"}
	}, 300*time.Millisecond + mostBeyond, true},
	{"provider, polled", func(url string) []string {
		// So many payments a second take more calls than a small plan allows.
		return []string{"FLORIN_POLYGON_RPC=" + url, "FLORIN_POLYGON_RPC_BUDGET=10000000"}
	}, time.Second + mostBeyond, true},
}

// benchBlocks measures how long after a block has become final the webhooks of what it completes arrive, beside few
// open payments and beside many. Of several programs each is measured in turn.
func benchBlocks(b *testing.B) {
	b.Helper()
	programs := []string{florin}
	if *benchAgainst != "" {
		programs = append(programs, strings.Split(*benchAgainst, ",")...)
	}
	for _, r := range readings {
		for _, program := range programs {
			r.measure(b, program)
		}
	}
}

func (r reading) measure(b *testing.B, program string) {
	b.Helper()
	own, name := program == florin, r.name
	if !own {
		name += " (" + filepath.Base(program) + ")"
	}
	var p99 []time.Duration
	for _, open := range []int{min(fewPayments, *benchWaiting), *benchWaiting} {
		took := r.completions(b, program, open)
		p50, worst := took[len(took)/2], took[len(took)*99/100]
		p99 = append(p99, worst)
		reportf(b, !own || worst <= r.most,
			"%-34s %8v p50, %v p99 of %d from the final block to the webhook, %d open (at most %v)", name,
			p50.Round(time.Millisecond), worst.Round(time.Millisecond), len(took), open, r.most)
	}
	growth := float64(p99[1]) / float64(p99[0])
	reportf(b, r.polled || !own || growth <= mostGrowth, "%-34s %8.2f × (at most %.1f where heads are pushed)",
		"  many open against few", growth, mostGrowth)
}

// completions opens payments, pays some in each of several blocks, and returns how long after the final block each
// webhook came, the shortest first.
func (r reading) completions(b *testing.B, program string, open int) (took []time.Duration) {
	b.Helper()
	f := openReading(b, r, program)
	defer f.stop(b, syscall.SIGTERM)
	chain, payers := f.chains[0], make([]payer, open+paidBlocks*paidAtOnce)
	atOnce(b, f.server, func(number int, c *client) (err error) {
		for at := number; at < len(payers) && err == nil; at += *benchClients {
			payers[at], err = f.life(c)
		}
		return err
	})
	time.Sleep(settleTime)
	finals := watchFinal(b, chain)
	paid := make(map[string]string) // transactions by payment
	for block := range slices.Chunk(payers[:paidBlocks*paidAtOnce], paidAtOnce) {
		for _, p := range block {
			paid[p.txnid] = chain.pay(b, chain.token("USDC"), p.address, 1250)
		}
		if _, err := chain.WaitReceipt(b.Context(), common.HexToHash(paid[block[paidAtOnce-1].txnid])); err != nil {
			b.Fatal(err)
		}
	}
	for txnid, tx := range paid {
		receipt, err := chain.WaitReceipt(b.Context(), common.HexToHash(tx))
		testkit.Must(b, err)
		arrived := f.awaitWebhook(b, txnid, "completed").at
		took = append(took, arrived.Sub(finals.at(b, receipt.BlockNumber.Uint64())))
	}
	slices.Sort(took)
	return took
}

// openReading opens a shop that reads its chain in this way.
func openReading(b *testing.B, r reading, program string) *benched {
	b.Helper()
	f := openBenched(b, newReceiver(b), "FLORIN_ALLOW_PRIVATE_CALLBACKS=true")
	f.stop(b, syscall.SIGTERM)
	f.env, f.program = append(f.env, r.env(f.chains[0].URL())...), program
	f.server = f.serve(b)
	f.awaitOffer(b)
	return f
}

// finals notes when each block of the development chain became final.
type finals struct {
	mu   sync.Mutex
	seen map[uint64]time.Time
}

// watchFinal notes from now on when blocks become final.
func watchFinal(b *testing.B, c testChain) *finals {
	b.Helper()
	ctx, stop := context.WithCancel(b.Context())
	b.Cleanup(stop)
	f, heads := &finals{seen: make(map[uint64]time.Time)}, make(chan *types.Header, 16)
	subscription, err := c.Client().SubscribeNewHead(ctx, heads)
	testkit.Must(b, err)
	go func() {
		defer subscription.Unsubscribe()
		for {
			select {
			case <-ctx.Done():
				return
			case head := <-heads:
				f.mu.Lock()
				f.seen[head.Number.Uint64()-benchFinal] = time.Now()
				f.mu.Unlock()
			}
		}
	}()
	return f
}

func (f *finals) at(b *testing.B, block uint64) time.Time {
	b.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	at, ok := f.seen[block]
	if !ok {
		b.Fatalf("block %d was not seen to become final", block)
	}
	return at
}
