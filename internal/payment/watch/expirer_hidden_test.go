package watch_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
)

// hiding is an endpoint that shows no transfers in its lists and no balances. One
// that denies the receipts too contradicts whoever reports the money.
func hiding(denies bool) chaintest.Faults {
	return chaintest.Faults{
		Omit: func(map[string]any) bool { return true },
		Answer: func(method string, params []json.RawMessage) (any, bool) {
			switch {
			case method == "eth_call" && strings.Contains(string(params[0]), "0x70a08231"):
				return "0x" + strings.Repeat("0", 64), true
			case method == "eth_getTransactionReceipt" && denies:
				return nil, true
			}
			return nil, false
		},
	}
}

// expire lets the expirer search so many times.
func (r *rig) expire(times int) {
	for range times {
		if err := r.expirer.RunOnce(r.Context()); err != nil {
			r.Log(err)
		}
		r.pass(2 * time.Minute)
	}
}

// TestExpirer_OneHides: an endpoint that hides a payment and the balance of its
// address cannot make it expire: the other one shows both.
func TestExpirer_OneHides(t *testing.T) {
	t.Parallel()
	for hider, name := range []string{"First", "Second"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 2)
			p := r.start()
			r.endpoints[hider].Set(hiding(false))
			r.pay(p)
			r.chain.Mine(rigFinalDepth + 1)
			r.watchFor(rigTTL)
			r.expire(1)
			r.expect(p, payment.Completed, tenUSDC)
		})
	}
}

// TestExpirer_TwoHide: what two of three endpoints leave out is found when the balances show it, whichever are asked
// first.
func TestExpirer_TwoHide(t *testing.T) {
	t.Parallel()
	for honest := range 3 {
		t.Run(strconv.Itoa(honest), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 3)
			p := r.start()
			for i, e := range r.endpoints {
				if i != honest {
					e.Set(chaintest.Faults{Omit: func(map[string]any) bool { return true }})
				}
			}
			r.pay(p)
			r.chain.Mine(rigFinalDepth + 1)
			r.watchFor(rigTTL)
			r.expire(1)
			r.settle()
			r.expect(p, payment.Completed, tenUSDC)
		})
	}
}

// TestExpirer_OtherAssetHidden: money in a token that does not count is the merchant's all the same. One endpoint that
// hides it from the watcher cannot make the payment expire without it.
func TestExpirer_OtherAssetHidden(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	p := r.start()
	r.endpoints[0].Set(hiding(false))
	r.endpoints[1].Set(chaintest.Faults{Omit: func(map[string]any) bool { return true }})
	r.send(p, "USDC.e", tenUSDC)
	r.chain.Mine(rigFinalDepth + 1)
	r.watchFor(rigTTL)
	if got := r.get(p); len(got.Deposits) != 0 {
		t.Fatalf("the endpoint hides nothing: %+v", got.Deposits)
	}
	r.endpoints[1].Set(chaintest.Faults{})
	for range 2 {
		r.expire(1)
		r.settle()
	}
	p = r.expect(p, payment.Expired, 0)
	if len(p.Deposits) != 1 || p.Deposits[0].Transfer.Asset.Symbol != "USDC.e" ||
		p.Deposits[0].State != payment.DepositFinal {
		t.Errorf("the payment has %+v", p.Deposits)
	}
}

// TestExpirer_OneIsDown: without a second word a payment does not expire for payment.BlindWait, and it does once both
// say that nothing came.
func TestExpirer_OneIsDown(t *testing.T) {
	t.Parallel()
	for down, name := range []string{"First", "Second"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 2)
			p := r.start()
			r.watchFor(rigTTL / 2)
			r.endpoints[down].Set(chaintest.Faults{Reject: map[string]*chaintest.RPCError{
				"eth_call": {Code: -32000, Message: "busy"}, "eth_getLogs": {Code: -32000, Message: "busy"},
			}})
			r.watchFor(rigTTL / 2)
			r.reads(r.profile.Network, true)
			for range 5 {
				if err := r.expirer.RunOnce(t.Context()); err == nil {
					t.Error("nothing is reported")
				}
				r.pass(10 * time.Minute)
				r.expect(p, payment.Started, 0)
			}
			r.endpoints[down].Set(chaintest.Faults{})
			r.expire(1)
			r.expect(p, payment.Expired, 0)
		})
	}
}

// TestExpirer_SingleHides: where one endpoint is all there is, its word counts.
func TestExpirer_SingleHides(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p := r.start()
	r.endpoints[0].Set(hiding(true))
	r.watchFor(rigTTL)
	r.expire(1)
	r.expect(p, payment.Expired, 0)
}

// TestExpirer_Disputed: two endpoints that disagree for long about a balance leave
// the payment open and set aside, for the operator to see; when they agree, the
// payment ends as it should.
func TestExpirer_Disputed(t *testing.T) {
	t.Parallel()
	for name, paid := range map[string]bool{"Denied": true, "Invented": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 2)
			p := r.start()
			if r.endpoints[0].Set(hiding(true)); paid {
				r.pay(p)
			} else {
				r.endpoints[0].Set(inventing())
			}
			r.chain.Mine(rigFinalDepth + 1)
			r.watchFor(rigTTL)
			for range 5 {
				r.expire(1)
				r.settle()
			}
			r.expect(p, payment.Started, 0)
			r.wantSetAside(1)
			if h := r.watcher.Health(); h.SetAside != 1 {
				t.Errorf("health %+v, want the payment set aside", h)
			}
			for _, e := range r.endpoints {
				e.Set(chaintest.Faults{})
			}
			for range 8 {
				r.expire(1)
				r.settle()
			}
			r.wantSetAside(0)
			if paid {
				r.expect(p, payment.Completed, tenUSDC)
			} else {
				r.expect(p, payment.Expired, 0)
			}
		})
	}
}

// inventing is an endpoint that shows a balance that nobody paid.
func inventing() chaintest.Faults {
	return chaintest.Faults{Answer: func(method string, params []json.RawMessage) (any, bool) {
		if method == "eth_call" && strings.Contains(string(params[0]), "0x70a08231") {
			return "0x" + strings.Repeat("0", 56) + "00989680", true
		}
		return nil, false
	}}
}

// settle lets the chain reach the clock, and the watcher read what is final.
func (r *rig) settle() {
	r.Helper()
	r.catchUp()
	r.chain.Mine(rigFinalDepth + 1)
	r.watch()
}

func (r *rig) wantSetAside(n int) {
	r.Helper()
	list, err := r.store.SetAsides(r.Context(), chain.Polygon)
	r.must(err)
	if len(list) != n {
		r.Fatalf("set aside are %+v, want %d", list, n)
	}
}
