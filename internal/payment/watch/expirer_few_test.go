package watch_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
)

// noCalls is an endpoint without eth_call, that leaves transfers out, too, if it hides them.
func noCalls(hides bool) chaintest.Faults {
	f := chaintest.Faults{Reject: map[string]*chaintest.RPCError{
		"eth_call": {Code: -32601, Message: "the method eth_call does not exist"},
	}}
	if hides {
		f.Omit = func(map[string]any) bool { return true }
	}
	return f
}

// TestExpirer_NoCalls: where too few endpoints tell balances, payments expire soon after as many have shown all blocks
// up to their expiry, and what one of them hides, the other one shows.
func TestExpirer_NoCalls(t *testing.T) {
	t.Parallel()
	for payments := 1; payments <= 2; payments++ {
		for bad := range 2 {
			for name, hides := range map[string][2]bool{
				"Honest": {}, "First": {true, false}, "Second": {false, true},
			} {
				t.Run(fmt.Sprintf("%d/%d/%s", payments, bad, name), func(t *testing.T) {
					t.Parallel()
					r := newRig(t, 2)
					paid := r.start()
					var list []payment.Payment
					for range payments {
						list = append(list, r.start())
					}
					for i, e := range r.endpoints {
						if i == bad {
							e.Set(noCalls(hides[i]))
						} else if hides[i] {
							e.Set(hiding(false))
						}
					}
					r.pay(paid)
					r.chain.Mine(1)
					r.watchFor(rigTTL)
					r.watchFor(2 * time.Minute)
					r.expire(2)
					r.expect(paid, payment.Completed, tenUSDC)
					for _, p := range list {
						r.expect(p, payment.Expired, 0)
					}
				})
			}
		}
	}
}
