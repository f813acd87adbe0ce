package main_test

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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

// plainScript does what a create does, as a program that serves one caller at a time would: it finds the key, then
// stores the payment and the event of its creation, in one transaction. The specification compares with it.
const plainScript = `
\set key random(1, 1)
\set a random(1, 2147483647)
\set b random(1, 2147483647)
BEGIN;
SELECT id, user_id, public_id, wallet FROM api_keys WHERE id = :key;
INSERT INTO payments (` + paymentColumns + `) VALUES (` + paymentValues + `) RETURNING id \gset
INSERT INTO events (payment_id, seq, type, at, data) VALUES (:id, 1, 'payment.created', now(), '{}');
COMMIT;
`

// foldedScript stores both rows with one statement, which saves round trips: the fastest way from outside the server.
// It is reported for information.
const foldedScript = `
\set key random(1, 1)
\set a random(1, 2147483647)
\set b random(1, 2147483647)
SELECT id, user_id, public_id, wallet FROM api_keys WHERE id = :key;
WITH p AS (INSERT INTO payments (` + paymentColumns + `) VALUES (` + paymentValues + `) ON CONFLICT (public_id) DO NOTHING RETURNING id)
INSERT INTO events (payment_id, seq, type, at, data)
 SELECT p.id, 1, 'payment.created', now(), '{}' FROM p RETURNING payment_id;
`

// lifeScript does what a create and then a start do, as a program that serves one caller at a time would: two
// transactions. It leaves out what such a program could not do at this rate: the key's balance, which every start of a
// key locks.
const lifeScript = plainScript + `
BEGIN;
SELECT id, user_id, public_id, wallet FROM api_keys WHERE id = :key;
SELECT id, name, short_basis, late_for_us FROM custodians WHERE key_id = :key;
SELECT address FROM custodian_wallets AS w JOIN custodians AS c ON c.id = w.custodian_id WHERE c.key_id = :key;
SELECT * FROM payments WHERE id = :id FOR NO KEY UPDATE;
INSERT INTO ledger_entries (ref, unit, from_account, to_account, count, reason, at)
 VALUES ('start:' || :id::text, 'credit', 'key:1', 'spent', 1, 'start', now());
INSERT INTO routes (payment_id, network, address, raw, settlement, scheme, tokens, since)
 VALUES (:id, 'POLYGON', decode(lpad(to_hex(:a::bigint), 20, '0') || lpad(to_hex(:b::bigint), 20, '0'), 'hex'), '', '', 1, 'USDC', now());
UPDATE payments SET status = 'STARTED', network = 'POLYGON', token = 'USDC', started_at = now(), held = true, seq = 2
 WHERE id = :id AND seq = 1;
INSERT INTO events (payment_id, seq, type, at, data) VALUES (:id, 2, 'payment.started', now(), '{}');
COMMIT;
`

const (
	paymentColumns = `public_id, key_id, kind, amount, status, network, token, created_at, expires_at, hash, extended, reorged,
 by_hand, short_basis, late_for_us, credits, credited, campaign_id, seq, resolved, attention, reference, description, success_url, cancel_url, metadata, customer_email,
 donor_name, donor_message`
	paymentValues = `lpad(:a::text, 13, '0') || lpad(:b::text, 13, '0'), :key, 'MERCHANT', 12500000, 'PENDING', '', '', now(),
 now() + interval '1 hour', '', false, false, false, 0, 0, 0, 0, 0, 1, 0, '', '', '', '', '', '', '', '', ''`
)

var tps = regexp.MustCompile(`tps = ([0-9.]+) \(without initial connection time\)`)

// pgbench returns the best rate of 32 and 64 clients that run the script with
// prepared statements.
func pgbench(b *testing.B, programs, database, sql string) (best float64) {
	b.Helper()
	script, seconds := write(b, b.TempDir(), "create.sql", sql), max(1, int(benchFor.Seconds()))
	for _, clients := range []string{"32", "64"} {
		out, err := exec.CommandContext(b.Context(), filepath.Join(programs, "pgbench"), "-n", "-M", "prepared",
			"-f", script, "-c", clients, "-j", "2", "-T", strconv.Itoa(seconds), database).CombinedOutput()
		m := tps.FindSubmatch(out)
		if err != nil || m == nil {
			b.Fatalf("pgbench: %v: %.500s", err, out)
		}
		r, err := strconv.ParseFloat(string(m[1]), 64)
		testkit.Must(b, err)
		best = max(best, r)
	}
	return best
}

// leastPriced is the rate of creates in euros, of that in dollars.
const leastPriced = 0.95

// pricedRounds are how often each is measured, in turns, so that a busy moment is of both. They are even: each is as
// often the first of a round, which finds the smaller database.
const pricedRounds = 8

// benchPrices compares creating payments in euros with creating them in dollars, while their rate is read as often as
// ever: from two servers, beside the reference rates of a third.
func benchPrices(b *testing.B) {
	b.Helper()
	f := openBenched(b, nil, append(ratesOf(b, "1.16152", "1.16152"),
		"FLORIN_DATABASE_URL=sqlite://"+filepath.Join(b.TempDir(), "prices.db"))...)
	defer f.stop(b, syscall.SIGTERM)
	inEuros := func(c *client) error {
		_, err := c.mustPost("/create-payment",
			fmt.Appendf(nil, `{"apiKey":%q,"price":{"amount":"12.50","currency":"EUR"}}`, f.key))
		return err
	}
	inDollars := func(c *client) error { _, err := f.create(c); return err }
	var dollars, euros float64
	for round := range pricedRounds {
		if round%2 == 0 {
			dollars += rate(b, f.server, inDollars) / pricedRounds
		}
		euros += rate(b, f.server, inEuros) / pricedRounds
		if round%2 == 1 {
			dollars += rate(b, f.server, inDollars) / pricedRounds
		}
	}
	reportRatio(b, "create in euros × in dollars", euros, dollars, leastPriced)
}
