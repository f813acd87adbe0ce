package watch_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// blinded is a chain of which one address cannot be read.
type blinded struct {
	chain.Reader
	address chain.Address
	scans   int // that could not read it
}

func (b *blinded) Scan(
	ctx context.Context, from uint64, to chain.Head, set *chain.WatchSet, not ...string,
) ([]chain.Transfer, string, error) {
	got, by, err := b.Reader.Scan(ctx, from, to, set, not...)
	watched := false
	set.All(func(_ []byte, a chain.Address) bool {
		watched = watched || a == b.address
		return !watched
	})
	if err != nil || !watched {
		return got, by, err
	}
	b.scans++
	got = slices.DeleteFunc(got, func(t chain.Transfer) bool { return t.To == b.address })
	return got, by, &chain.UnreadError{Addresses: []chain.Address{b.address}, Reason: "its history is long"}
}

// TestWatcher_Unread: an address that the reader cannot read yet keeps no other payment waiting, and its money is
// found when it can be read.
func TestWatcher_Unread(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	victim, other := r.start(), r.start()
	route, _ := victim.Route()
	b := &blinded{Reader: r.reader(), address: route.Address.Address}
	w := r.on(r.store, b)
	r.must(w.RunOnce(t.Context()))
	r.pay(victim)
	r.pay(other)
	r.chain.Mine(1)
	r.must(w.RunOnce(t.Context()))
	r.chain.Mine(rigFinalDepth)
	for range 5 {
		r.must(w.RunOnce(t.Context()))
		r.chain.Mine(1)
	}
	r.expect(other, payment.Completed, tenUSDC)
	r.expect(victim, payment.Started, 0)
	rows, err := r.store.SetAsides(t.Context(), chain.Polygon)
	r.must(err)
	if len(rows) != 1 || rows[0].PaymentID != victim.ID || rows[0].Attempts > 4 {
		t.Fatalf("set aside: %+v, want the payment, tried at its own pace", rows)
	}
	if h := w.Health(); h.SetAside != 1 || b.scans < 5 {
		t.Errorf("health %+v after %d scans", h, b.scans)
	}
	b.address = ""
	r.chain.Wait(10 * time.Minute)
	for range 3 {
		r.chain.Mine(1)
		r.must(w.RunOnce(t.Context()))
	}
	r.expect(victim, payment.Completed, tenUSDC)
}
