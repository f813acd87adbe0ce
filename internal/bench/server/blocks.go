package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
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
		return []string{"FLORIN_POLYGON_RPC=" + url, "FLORIN_POLYGON_RPC_RATE=1000"}
	}, time.Second + mostBeyond, true},
}

// blocks measures how long after a block has become final the webhooks of what it completes arrive, beside few open
// payments and beside many. Of several programs each is measured in turn.
func (l *lab) blocks(ctx context.Context) error {
	if l.waiting == 0 {
		return nil
	}
	for _, r := range readings {
		for _, program := range append([]string{l.binary}, l.against...) {
			if err := l.readingOf(ctx, r, program); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
		}
	}
	return nil
}

func (l *lab) readingOf(ctx context.Context, r reading, program string) error {
	own := program == l.binary
	name := r.name
	if !own {
		name += " (" + filepath.Base(program) + ")"
	}
	defer func(env []string, binary string) { l.chainEnv, l.binary = env, binary }(l.chainEnv, l.binary)
	l.binary = program
	l.chainEnv = slices.DeleteFunc(slices.Clone(l.chainEnv), func(v string) bool {
		return strings.HasPrefix(v, "FLORIN_POLYGON_RPC=")
	})
	l.chainEnv = append(append(l.chainEnv, "FLORIN_ALLOW_PRIVATE_CALLBACKS=true"), r.env(l.chain.URL())...)
	var p99 []time.Duration
	for _, open := range []int{fewPayments, l.waiting} {
		took, err := l.completions(ctx, open)
		if err != nil {
			return err
		}
		p50, worst := took[len(took)/2], took[len(took)*99/100]
		p99 = append(p99, worst)
		round := func(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
		text := fmt.Sprintf("%-34s %8v p50, %v p99 of %d from the final block to the webhook, %d open (at most %v)",
			name, round(p50), round(worst), len(took), open, r.most)
		l.sayf(!own || worst <= r.most, "%s", text)
	}
	growth := float64(p99[1]) / float64(p99[0])
	if r.polled {
		fmt.Printf("%-34s %8.2f ×\n", "  many open against few", growth)
		return nil
	}
	l.sayf(!own || growth <= mostGrowth, "%-34s %8.2f × (at most %.1f)", "  many open against few", growth, mostGrowth)
	return nil
}

// completions opens payments, pays some in each of several blocks, and returns how long after the final block each
// webhook came, the shortest first.
func (l *lab) completions(ctx context.Context, open int) (took []time.Duration, err error) {
	inbox := &inbox{at: make(map[string]time.Time)}
	receiver := httptest.NewServer(inbox)
	defer receiver.Close()
	l.callback = receiver.URL
	defer func() { l.callback = "" }()
	l.runs++
	f, err := l.open(ctx, "sqlite://"+filepath.Join(l.dir, fmt.Sprintf("blocks%d.db", l.runs)))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.stop()) }()
	payers, err := l.openMany(ctx, f, open+paidBlocks*paidAtOnce)
	if err != nil {
		return nil, err
	}
	time.Sleep(settleTime)
	finals := l.watchFinal(ctx)
	defer finals.stop()
	type payment struct {
		txnid string
		tx    common.Hash
	}
	var paid []payment
	for block := range slices.Chunk(payers[:paidBlocks*paidAtOnce], paidAtOnce) {
		for _, p := range block {
			tx, err := l.chain.Mint(
				ctx, l.chain.Tokens().USDC.Address, common.HexToAddress(p.address), big.NewInt(12_500_000),
			)
			if err != nil {
				return nil, err
			}
			paid = append(paid, payment{p.txnid, tx})
		}
		if _, err := l.chain.WaitReceipt(ctx, paid[len(paid)-1].tx); err != nil {
			return nil, err
		}
	}
	for _, p := range paid {
		receipt, err := l.chain.WaitReceipt(ctx, p.tx)
		if err != nil {
			return nil, err
		}
		arrived, err := inbox.await(ctx, p.txnid)
		if err != nil {
			return nil, err
		}
		final, err := finals.at(receipt.BlockNumber.Uint64())
		if err != nil {
			return nil, err
		}
		took = append(took, arrived.Sub(final))
	}
	slices.Sort(took)
	return took, nil
}

// payer has a started payment.
type payer struct{ txnid, address string }

// openMany creates and starts payments with all clients.
func (l *lab) openMany(ctx context.Context, f *florin, n int) ([]payer, error) {
	all := make([]payer, n)
	errs := make([]error, l.clients)
	var group sync.WaitGroup
	for i := range l.clients {
		group.Go(func() {
			c, err := dial(ctx, f.address)
			if err != nil {
				errs[i] = err
				return
			}
			defer c.conn.Close()
			for at := i; at < n && ctx.Err() == nil; at += l.clients {
				if all[at], errs[i] = f.payer(c); errs[i] != nil {
					return
				}
			}
		})
	}
	group.Wait()
	return all, errors.Join(errors.Join(errs...), ctx.Err())
}

// payer creates and starts a payment.
func (f *florin) payer(c *client) (p payer, err error) {
	if p.txnid, err = f.create(c); err != nil {
		return p, err
	}
	status, answer, err := c.post("/pay", fmt.Appendf(nil, `{"txnid":%q,"network":"POLYGON","token":"USDC"}`, p.txnid))
	if err != nil || status != http.StatusOK {
		return p, errors.Join(err, errStatus("pay", status, answer))
	}
	_, rest, _ := bytes.Cut(answer, []byte(`"address":"`))
	address, _, ok := bytes.Cut(rest, []byte(`"`))
	if !ok {
		return p, errStatus("pay", status, answer)
	}
	p.address = string(address)
	return p, nil
}

// inbox is the merchant's receiver: it notes when the webhook of a completed payment first came.
type inbox struct {
	mu sync.Mutex
	at map[string]time.Time
}

func (i *inbox) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	now := time.Now()
	var body struct{ TxnID, Status string }
	raw, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(raw, &body) != nil || !strings.EqualFold(body.Status, "completed") {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.at[body.TxnID].IsZero() {
		i.at[body.TxnID] = now
	}
}

// await waits for the webhook of a payment.
func (i *inbox) await(ctx context.Context, txnid string) (time.Time, error) {
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		i.mu.Lock()
		at := i.at[txnid]
		i.mu.Unlock()
		switch {
		case !at.IsZero():
			return at, nil
		case ctx.Err() != nil:
			return at, ctx.Err()
		case time.Now().After(deadline):
			return at, fmt.Errorf("no webhook of payment %s within %v", txnid, patience)
		}
	}
}

// finals notes when each block of the development chain became final.
type finals struct {
	mu   sync.Mutex
	seen map[uint64]time.Time
	stop func()
}

// watchFinal notes from now on when blocks become final.
func (l *lab) watchFinal(ctx context.Context) *finals {
	ctx, cancel := context.WithCancel(ctx)
	f := &finals{seen: make(map[uint64]time.Time), stop: cancel}
	heads := make(chan *types.Header, 16)
	subscription, err := l.chain.Client().SubscribeNewHead(ctx, heads)
	if err != nil {
		cancel()
		return f
	}
	go func() {
		defer subscription.Unsubscribe()
		for {
			select {
			case <-ctx.Done():
				return
			case head := <-heads:
				f.mu.Lock()
				f.seen[head.Number.Uint64()-finalDepth] = time.Now()
				f.mu.Unlock()
			}
		}
	}()
	return f
}

func (f *finals) at(block uint64) (time.Time, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, ok := f.seen[block]
	if !ok {
		return at, fmt.Errorf("block %d was not seen to become final", block)
	}
	return at, nil
}
