// Command bench measures the store by itself: payments created, started and
// read by many clients at once, without HTTP around them.
//
//	go run ./internal/store/bench -url sqlite:///tmp/bench.db -clients 64 -do life
//
// Its figures depend on the machine; only ratios taken side by side mean
// anything. PostgreSQL needs an empty database with fsync on.
package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
)

func main() {
	url := flag.String("url", "", "database")
	clients := flag.Int("clients", 64, "clients at once")
	duration := flag.Duration("for", 5*time.Second, "how long")
	what := flag.String("do", "create", "create, life (create, then start), read (pending payments), started (reads those), "+
		"list (pages of 50) or watches (all addresses)")
	keys := flag.Int("keys", 1, "how many API keys the clients share")
	flag.Parse()
	if err := run(*url, *what, *clients, *keys, *duration); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// bench is one measurement.
type bench struct {
	*store.Store
	keys             []int64
	oldest           int64             // the first key, which has what an earlier run made
	pending, started []payment.ID      // to read
	waits            [][]time.Duration // of each client
}

func run(url, what string, clients, keys int, duration time.Duration) error {
	ctx := context.Background()
	sealer, err := secret.NewSealer(make([]byte, secret.KeyLen))
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, url, sealer, store.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	if err := s.Migrate(ctx); err != nil {
		return err
	}
	b := &bench{Store: s, oldest: 1, waits: make([][]time.Duration, clients)}
	if err := b.prepare(ctx, keys); err != nil {
		return err
	}
	step := b.step(what)
	if step == nil {
		return fmt.Errorf("unknown measurement %q", what)
	}
	return b.measure(ctx, what, step, clients, duration)
}

// step returns what each client does again and again.
func (b *bench) step(what string) func(context.Context, int) error {
	return map[string]func(context.Context, int) error{
		"create": b.create, "life": b.life, "read": b.read, "started": b.readStarted,
		"list": b.list, "watches": b.watches,
	}[what]
}

// prepare makes keys with credits, and payments to read.
func (b *bench) prepare(ctx context.Context, keys int) error {
	now := time.Now()
	u, err := b.Identity().CreateUser(ctx, identity.User{
		PublicID: string(newID()), Email: string(newID()) + "@example.org",
		CreatedAt: now,
	})
	if err != nil {
		return err
	}
	for range keys {
		id := newID()
		k, err := b.Merchant().CreateKey(ctx, merchant.Key{
			Permissions: merchant.AllPermissions(),
			PublicID:    string(id), UserID: u.ID, Hash: sha256.Sum256([]byte(id)),
			CreatedAt: now,
		},
			func(key int64) []ledger.Entry {
				return []ledger.Entry{ledger.Grant(key, ledger.Credit, 1<<40, ledger.ReasonGrant, string(id), now)}
			})
		if err != nil {
			return err
		}
		b.keys = append(b.keys, k.ID)
	}
	for i := range 100 {
		for _, ids := range []*[]payment.ID{&b.pending, &b.started} {
			p, err := b.CreatePayment(ctx, payment.New(b.request(i), now))
			if err != nil {
				return err
			}
			*ids = append(*ids, p.ID)
		}
		if err := b.start(ctx, b.started[i]); err != nil {
			return err
		}
	}
	return nil
}

func newID() payment.ID { return payment.ID(ulid.MustNew(ulid.Now(), rand.Reader).String()) }

func (b *bench) request(client int) payment.Request {
	return payment.Request{
		ID: newID(), KeyID: b.keys[client%len(
			b.keys,
		)], Kind: payment.KindMerchant, Amount: 12_500_000, ValidFor: time.Hour,
		Details: payment.Details{Reference: "order 4711", SuccessURL: "https://shop.example/thanks"},
	}
}

func (b *bench) create(ctx context.Context, client int) error {
	_, err := b.CreatePayment(ctx, payment.New(b.request(client), time.Now()))
	return err
}

func (b *bench) life(ctx context.Context, client int) error {
	p, err := b.CreatePayment(ctx, payment.New(b.request(client), time.Now()))
	if err != nil {
		return err
	}
	return b.start(ctx, p.ID)
}

func (b *bench) start(ctx context.Context, id payment.ID) error {
	_, err := b.UpdatePayment(ctx, id, func(p payment.Payment) (payment.Change, error) {
		raw := make([]byte, 20)
		raw[0] = 1
		for i := range 8 {
			raw[19-i] = byte(p.Number >> (8 * i)) //nolint:gosec // its lowest byte
		}
		route := payment.Route{
			Address:    chain.AddressOf(chain.Polygon, raw),
			Settlement: "0x52908400098527886E0F7030069857D2E4169EE7",
			Scheme:     chain.SchemeTxnID,
		}
		return p.Start(payment.Choice{Network: chain.Polygon, Token: money.USDC}, route, 30*time.Minute, time.Now())
	})
	return err
}

func (b *bench) read(ctx context.Context, client int) error {
	_, err := b.Payment(ctx, b.pending[client%len(b.pending)])
	return err
}

func (b *bench) readStarted(ctx context.Context, client int) error {
	_, err := b.Payment(ctx, b.started[client%len(b.started)])
	return err
}

// list reads a page by one of the filters there are, most of which find little.
func (b *bench) list(ctx context.Context, client int) error {
	filters := []payment.Filter{
		{},
		{Status: payment.Started},
		{Network: chain.Solana},
		{Status: payment.Cancelled, Network: chain.Base},
		{Unswept: true},
		{Since: time.Now().Add(-24 * time.Hour), Ascending: true},
	}
	f := filters[client%len(filters)]
	f.KeyID, f.Limit = b.oldest, 50
	_, err := b.Payments(ctx, f)
	return err
}

func (b *bench) watches(ctx context.Context, _ int) error {
	_, _, err := b.Watches(ctx, chain.Networks(), watch.Mark{}, time.Now().Add(-30*24*time.Hour))
	return err
}

// measure runs step with all clients until the time is over.
func (b *bench) measure(
	ctx context.Context, what string, step func(context.Context, int) error, clients int, duration time.Duration,
) error {
	var done atomic.Int64
	var failed atomic.Pointer[error]
	var all sync.WaitGroup
	before := cpu()
	begun := time.Now()
	for client := range clients {
		all.Go(func() {
			for time.Since(begun) < duration && failed.Load() == nil {
				at := time.Now()
				if err := step(ctx, client); err != nil {
					failed.Store(&err)
					return
				}
				b.waits[client] = append(b.waits[client], time.Since(at))
				done.Add(1)
			}
		})
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	took, n := time.Since(begun), done.Load()
	waits := slices.Concat(b.waits...)
	slices.Sort(waits)
	_, err := fmt.Fprintf(os.Stdout, "%-7s %3d clients  %8.0f/s  p50 %v  p99 %v  cpu of this process %.1f µs each\n",
		what, clients,
		float64(n)/took.Seconds(), waits[n/2].Round(10*time.Microsecond), waits[n*99/100].Round(10*time.Microsecond),
		float64((cpu()-before).Microseconds())/float64(n))
	return err
}

// cpu is the processor time this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
