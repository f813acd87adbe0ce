package watch_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// TestExpirer_Rests: balances that cannot be read are asked for less and less often, and the payment ends soon after
// they can be read again.
func TestExpirer_Rests(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p := r.start()
	r.watchFor(rigTTL)
	r.reads(r.profile.Network, true)
	r.endpoints[0].Set(chaintest.Faults{Reject: map[string]*chaintest.RPCError{
		"eth_call": {Code: -32000, Message: "execution is not available"},
	}})
	asked := r.endpoints[0].Calls("eth_call")
	const minutes = 10
	for range minutes * 60 {
		_ = r.expirer.RunOnce(t.Context()) // fails now and then, which is the case
		r.pass(time.Second)
	}
	asked = r.endpoints[0].Calls("eth_call") - asked
	if asked > 4*minutes || asked < minutes {
		t.Errorf("balances were asked for %d times in %d minutes", asked, minutes)
	}
	r.expect(p, payment.Started, 0)
	r.endpoints[0].Set(chaintest.Faults{})
	for range 61 {
		r.must(r.expirer.RunOnce(t.Context()))
		r.pass(time.Second)
	}
	r.expect(p, payment.Expired, 0)
}

// TestExpirer_WaitsForTheSlowest: while one of a payment's networks is not read up to the expiry, the balances on the
// others are read now and then only, because the payment cannot expire on them.
func TestExpirer_WaitsForTheSlowest(t *testing.T) {
	t.Parallel()
	s := newSameWallet(t)
	p := s.startAnyWay()
	s.watchFor(rigTTL)
	s.reads(s.profile.Network, true)
	s.reads(s.rig.profile.Network, true)
	asked := s.endpoints[0].Calls("eth_call")
	const minutes = 10
	for range minutes * 60 {
		s.must(s.expirer.RunOnce(t.Context()))
		s.pass(time.Second)
	}
	asked = s.endpoints[0].Calls("eth_call") - asked
	if assets := len(s.rig.profile.Assets); asked > (minutes+1)*assets || asked < minutes*assets/2 {
		t.Errorf("balances were asked for %d times in %d minutes", asked, minutes)
	}
	s.expect(p, payment.Started, 0)
}

// TestExpirer_SetAsideElsewhere: a payment that cannot be read on one network is looked for on the others meanwhile:
// what the reader of one was not shown, its balance shows.
func TestExpirer_SetAsideElsewhere(t *testing.T) {
	t.Parallel()
	s := newSameWallet(t)
	p := s.startAnyWay()
	s.must(watch.Repair(
		t.Context(), s.store, s.profile.Network, p.ID, math.MaxInt64, errors.New("no receipt"), s.now(),
	))
	s.endpoints[0].Set(chaintest.Faults{Omit: func(map[string]any) bool { return true }})
	s.pay(p)
	s.watchFor(rigTTL)
	s.reads(s.profile.Network, true)
	s.reads(s.rig.profile.Network, true)
	s.expect(p, payment.Started, 0)
	s.must(s.expirer.RunOnce(t.Context()))
	s.endpoints[0].Set(chaintest.Faults{})
	s.retry(s.rig.watcher)
	s.expect(p, payment.Completed, tenUSDC)
}
