package watch_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// TestWatcher_Limited: an endpoint that allows fewer calls for a while delays what is read, and keeps no payer from
// starting, as one that fails does; where it goes on, the network is offered no more.
func TestWatcher_Limited(t *testing.T) {
	t.Parallel()
	for _, endpoints := range []int{1, 3} {
		r := newRig(t, endpoints)
		answer := func(status int) {
			for _, e := range r.endpoints {
				e.Set(chaintest.Faults{Status: status})
			}
			r.pass(5 * time.Second)
			if err := r.watcher.RunOnce(t.Context()); err == nil {
				t.Fatal("the network was read")
			}
		}
		offered := func() bool { return r.watcher.Health().AsOf(r.now()).OK }
		for range 4 {
			answer(http.StatusTooManyRequests)
			if !offered() {
				t.Fatalf("of %d endpoints: refused: %+v", endpoints, r.watcher.Health())
			}
		}
		p := r.start()
		r.pass(payment.UnreadFor)
		answer(http.StatusTooManyRequests)
		if offered() {
			t.Errorf("of %d endpoints: offered without having been read", endpoints)
		}
		for _, e := range r.endpoints {
			e.Set(chaintest.Faults{})
		}
		r.pay(p)
		r.chain.Mine(rigFinalDepth + 1)
		r.catchUp()
		for range 60 {
			r.chain.Mine(1)
			_ = r.watcher.RunOnce(t.Context()) // endpoints still rest
		}
		r.expect(p, payment.Completed, tenUSDC)
		answer(http.StatusInternalServerError)
		if offered() {
			t.Errorf("of %d endpoints: offered although they fail", endpoints)
		}
	}
}

// unlisting is a network whose endpoints list no history of any address, as Solana's may for a while.
type unlisting struct {
	chain.Reader
	addresses []chain.Address
}

func (u *unlisting) Scan(
	ctx context.Context, from uint64, to chain.Head, set *chain.WatchSet, not ...string,
) ([]chain.Transfer, string, error) {
	found, by, err := u.Reader.Scan(ctx, from, to, set, not...)
	if err == nil && len(u.addresses) > 0 {
		return nil, by, &chain.UnreadError{Addresses: u.addresses, Reason: "the index is down"}
	}
	return found, by, err
}

// TestWatcher_SetAside_OneAlarm: what fails for every address for half a minute is one line in the log, not one for
// each payment that is watched, and all of them are read afterwards.
func TestWatcher_SetAside_OneAlarm(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	var out bytes.Buffer
	reader := &unlisting{Reader: r.reader()}
	w := watch.NewWatcher(r.profile, reader, r.store, "one", r.now, slog.New(slog.NewTextHandler(&out, nil)))
	r.must(w.RunOnce(t.Context()))
	var list []payment.Payment
	for range 5 {
		p := r.start()
		list = append(list, p)
		reader.addresses = append(reader.addresses, p.Routes[0].Address.Address)
		r.pay(p)
	}
	for range 30 {
		r.chain.Mine(1)
		_ = w.RunOnce(t.Context()) // what is above the final block is not shown meanwhile
	}
	if n := strings.Count(out.String(), "level=ERROR"); n != 1 {
		t.Errorf("%d alarms: %s", n, out.String())
	}
	reader.addresses = nil
	for range 30 {
		r.chain.Mine(1)
		r.must(w.RunOnce(t.Context()))
	}
	for _, p := range list {
		r.expect(p, payment.Completed, tenUSDC)
	}
}
