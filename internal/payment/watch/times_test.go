package watch_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/storetest"
)

// TestWatcher_WrongTimes: an endpoint of three that names another time for every block decides neither what is deep
// enough, nor what is late, nor what has expired, wherever it stands, and keeps nothing from being seen.
func TestWatcher_WrongTimes(t *testing.T) {
	t.Parallel()
	errors := []time.Duration{-3 * time.Hour, -time.Minute, time.Minute, 3 * time.Hour}
	for liar := range 3 {
		for _, by := range errors[liar : liar+2] {
			for name, test := range map[string]func(*rig){
				"Deep": wantDeep, "Late": wantLate, "Expired": wantExpired,
			} {
				t.Run(fmt.Sprintf("%s/%dOf3/%s", name, liar+1, by), func(t *testing.T) {
					t.Parallel()
					r := newRig(t, 3)
					r.endpoints[liar].Set(chaintest.Faults{AlterBlock: func(b map[string]any) { shift(b, by) }})
					test(r)
				})
			}
		}
	}
}

// shift moves the time of a block.
func shift(block map[string]any, by time.Duration) {
	at, err := strconv.ParseInt(fmt.Sprint(block["timestamp"]), 0, 64)
	if err != nil {
		panic(err)
	}
	block["timestamp"] = hexNumber(uint64(at + int64(by/time.Second)))
}

// wantDeep: a merchant's own rule in seconds counts by the true times.
func wantDeep(r *rig) {
	r.creditAfter(30 * time.Second)
	p := r.start()
	r.mined(2)
	r.pay(p)
	r.chain.Mine(1)
	for range 5 {
		r.pass(time.Second)
		r.watch()
	}
	r.expect(p, payment.Started, 0)
	r.mined(40)
	p = r.expect(p, payment.Completed, tenUSDC)
	r.wantTime(p)
}

// lateFor is how long after the expiry the merchant of acceptLate takes money: less than the hours by which
// times are wrong.
const lateFor = 10 * time.Minute

// acceptLate has the merchant take money that comes after the expiry.
func (r *rig) acceptLate() {
	r.Helper()
	_, err := (storetest.Accounts{Store: r.store.Merchant()}).UpdateCustodian(r.Context(), r.key.ID, nil,
		func(c merchant.Custodian) (merchant.CustodianChange, error) {
			c.LateFor = lateFor
			return merchant.CustodianChange{Custodian: c}, nil
		})
	r.must(err)
}

// wantLate: money that came later than a merchant accepts stays late money.
func wantLate(r *rig) {
	r.acceptLate()
	p, q := r.start(), r.start()
	r.watchFor(rigTTL)
	r.must(r.expirer.RunOnce(r.Context()))
	r.expect(p, payment.Expired, 0)
	r.pay(q) // in time
	r.watchFor(lateFor * 3 / 2)
	r.pay(p)
	r.mined(40)
	r.wantTime(r.expect(p, payment.Expired, tenUSDC))
	r.wantTime(r.expect(q, payment.Completed, tenUSDC))
}

// wantExpired: a payment whose time has run out is open while blocks of its time are still to be read.
func wantExpired(r *rig) {
	p := r.start()
	r.chain.Wait(p.ExpiresAt.Sub(r.now()) - 30*time.Second)
	r.mined(5)
	r.pass(50 * time.Second)
	r.watch()
	r.must(r.expirer.RunOnce(r.Context()))
	r.expect(p, payment.Started, 0)
	r.pay(p)
	r.chain.Mine(1)
	r.catchUp()
	r.mined(40)
	r.must(r.expirer.RunOnce(r.Context()))
	r.wantTime(r.expect(p, payment.Completed, tenUSDC))
}

// mined lets blocks be made and read, one after another.
func (r *rig) mined(n int) {
	r.Helper()
	for range n {
		r.chain.Mine(1)
		r.watch()
	}
}

// wantTime fails unless the payment's money has the time of its block.
func (r *rig) wantTime(p payment.Payment) {
	r.Helper()
	for _, d := range p.Deposits {
		for _, b := range r.chain.Blocks() {
			if b.Number == d.Transfer.Block.Number && !b.Time.Equal(d.Transfer.Block.Time) {
				r.Errorf("the money is of %+v, which is %+v", d.Transfer.Block, b)
			}
		}
	}
}
