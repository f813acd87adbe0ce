package solana_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/chain/subscription"
)

// TestSubscriptions_Surfpool: the real runtime pushes money to a token account that does not exist before, and to one
// that does.
func TestSubscriptions_Surfpool(t *testing.T) {
	t.Parallel()
	s := startSurfpool(t)
	b := newBank(t, s, s.rich, func(size int) uint64 { return uint64(size+128) * surfpoolRent })
	s.Seal(1)
	var news atomic.Int64
	f, err := subscription.New(subscription.Config{
		Endpoints: []string{s.socket}, Protocol: solana.Protocol(b.profile().Assets),
		News: func() { news.Add(1) }, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = f.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	to := watched(newKey(t).PublicKey())
	set := chain.NewWatchSet(1)
	set.Add(to)
	f.Watch(set)
	await(t, "the runtime takes the subscription", func() bool { return f.Live(set) })
	before := news.Load()
	for i := range int64(2) {
		b.mustSend(b.pays(chaintest.Payment{To: to, Asset: b.assets[1], Units: 1_000_000}))
		s.Seal(1)
		await(t, "the payment is pushed", func() bool { return news.Load() > before+i })
	}
}
