package watch_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// TestExpirer_NetworkIsOff: a payment whose network the operator has turned off waits as long as for a blind one.
func TestExpirer_NetworkIsOff(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p := r.start()
	r.pass(rigTTL)
	e := watch.NewExpirer(nil, nil, r.store, r.store.Settlement(), r.now, slog.New(slog.DiscardHandler))
	r.must(e.RunOnce(t.Context()))
	r.expect(p, payment.Started, 0)
	r.pass(payment.BlindWait + time.Minute)
	r.must(e.RunOnce(t.Context()))
	r.expect(p, payment.Expired, 0)
}
