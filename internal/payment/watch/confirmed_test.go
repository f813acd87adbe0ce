package watch_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// dying is a database that stores nothing about payments while it is dead.
type dying struct {
	watch.Store
	dead bool
}

var errDying = errors.New("the database is gone")

func (d *dying) UpdatePayment(
	ctx context.Context, id payment.ID, decide func(payment.Payment) (payment.Change, error),
) (payment.Payment, error) {
	if d.dead {
		return payment.Payment{}, errDying
	}
	return d.Store.UpdatePayment(ctx, id, decide)
}

func (d *dying) UpdatePayments(ctx context.Context, all []watch.Update) []error {
	return singly(ctx, d, all)
}

func (d *dying) SaveSetAside(ctx context.Context, a watch.SetAside) error {
	if d.dead {
		return errDying
	}
	return d.Store.SaveSetAside(ctx, a)
}

// boasting reports, while switched on, a hundred times the amount that was sent.
type boasting struct {
	chain.Reader
	lies bool
}

func (b *boasting) Scan(
	ctx context.Context, from uint64, to chain.Head, set *chain.WatchSet, not ...string,
) ([]chain.Transfer, string, error) {
	transfers, by, err := b.Reader.Scan(ctx, from, to, set, not...)
	for i := range transfers {
		if b.lies {
			transfers[i].Units = money.UnitsFromUint64(100 * tenUSDC)
		}
	}
	return transfers, by, err
}

// TestWatcher_ConfirmedAmount: what a second endpoint confirmed in a round that
// failed is worth nothing for another amount that the first reports later.
func TestWatcher_ConfirmedAmount(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	p := r.start()
	s := &dying{Store: r.store}
	reader := &boasting{Reader: r.reader()}
	w := watch.NewWatcher(r.profile, reader, s, "one", r.now, slog.New(slog.DiscardHandler))
	r.must(w.RunOnce(t.Context()))
	r.pay(p)
	r.chain.Mine(rigFinalDepth + 2)
	s.dead = true
	if err := w.RunOnce(t.Context()); !errors.Is(err, errDying) {
		t.Fatalf("want the database to fail, got %v", err)
	}
	s.dead = false
	reader.lies = true
	r.must(w.RunOnce(t.Context()))
	r.expect(p, payment.Started, 0)
	r.wantSetAside(1)
	reader.lies = false
	r.retry(w)
	r.expect(p, payment.Completed, tenUSDC)
}
