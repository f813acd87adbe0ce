package watch_test

import (
	"context"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// inflating reports larger transfers while it lies. Its second endpoint denies those, until that one lies too.
type inflating struct {
	chain.Reader
	lies, secondLies bool
}

func (i *inflating) Scan(
	ctx context.Context, from uint64, to chain.Head, set *chain.WatchSet, not ...string,
) ([]chain.Transfer, string, error) {
	list, by, err := i.Reader.Scan(ctx, from, to, set, not...)
	for at := range list {
		if i.lies {
			list[at].Units = list[at].Units.Add(money.UnitsFromUint64(1))
		}
	}
	return list, by, err
}

func (i *inflating) Judge(context.Context, []chain.Transfer, chain.Head) (chain.Verdict, error) {
	if i.secondLies {
		return chain.Stands, nil
	}
	return chain.Missing, nil
}

// TestWatcher_RefutedAboveFinal: what one endpoint reported above the final head, and a second one denied, is read
// again: it is not kept until the second one reports the same at another time.
func TestWatcher_RefutedAboveFinal(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.creditAfter(time.Second)
	p := r.start()
	reader := &inflating{Reader: r.reader(), lies: true}
	w := r.on(r.store, reader)
	r.must(w.RunOnce(t.Context()))
	r.pay(p)
	r.chain.Mine(2)
	_ = w.RunOnce(t.Context()) // the second endpoint denies it
	r.expect(p, payment.Started, 0)
	reader.lies, reader.secondLies = false, true
	r.must(w.RunOnce(t.Context()))
	r.expect(p, payment.Completed, tenUSDC)
}
