package watch_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// shortTime is the context of a round whose time is over after some confirmations, however fast the machine is.
type shortTime struct {
	context.Context

	over  chan struct{}
	once  sync.Once
	count atomic.Int64
}

func newShortTime(ctx context.Context, confirmations int64) *shortTime {
	s := &shortTime{Context: ctx, over: make(chan struct{})}
	s.count.Store(confirmations)
	return s
}

func (s *shortTime) Done() <-chan struct{} { return s.over }

func (s *shortTime) Err() error {
	select {
	case <-s.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// slowConfirm takes the time of its round for second opinions.
type slowConfirm struct {
	chain.Reader

	round *shortTime
}

func (s *slowConfirm) Judge(ctx context.Context, t []chain.Transfer, at chain.Head) ([]chain.Verdict, error) {
	if s.round.count.Add(-1) < 0 {
		s.round.once.Do(func() { close(s.round.over) })
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.Reader.Judge(ctx, t, at)
}

// TestWatcher_RunsOutOfTime: rounds too short for all the deposits of a step
// get further each time, until all are taken in.
func TestWatcher_RunsOutOfTime(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	var payments []payment.Payment
	for range 90 {
		payments = append(payments, r.start())
	}
	r.watch()
	for _, p := range payments {
		r.pay(p)
		r.chain.Mine(1)
	}
	r.chain.Mine(rigFinalDepth + 1)
	slow := &slowConfirm{Reader: r.reader()}
	w := watch.NewWatcher(r.profile, slow, r.store, "one", r.now, slog.New(slog.DiscardHandler))
	ranOut := false
	for range 40 {
		slow.round = newShortTime(t.Context(), 20)
		err := w.RunOnce(slow.round)
		ranOut = ranOut || errors.Is(err, context.DeadlineExceeded)
		if err == nil {
			break
		}
	}
	if !ranOut {
		t.Error("no round ran out of time; the test shows nothing")
	}
	for _, p := range payments {
		r.expect(p, payment.Completed, tenUSDC)
	}
}

// TestWatcher_JumpingFinality: a final head that stands still for minutes while
// blocks are made is no outage, and keeps no payment open.
func TestWatcher_JumpingFinality(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p := r.start()
	end := p.ExpiresAt.Add(30 * time.Minute)
	for round := 0; r.now().Before(end); round++ {
		switch round % 10 {
		case 0:
			r.chain.UnpinFinal()
		case 1:
			r.chain.PinFinal()
		}
		r.chain.Wait(9 * time.Second)
		r.chain.Mine(1)
		r.watch()
		r.must(r.expirer.RunOnce(t.Context()))
	}
	p = r.expect(p, payment.Expired, 0)
	if n := r.recorded(p, payment.EventResumed); n != 0 {
		t.Errorf("the timer was paused %d times for nothing", n)
	}
}

// failingBalances is a node that answers everything but calls.
type failingBalances struct{ chain.Reader }

func (failingBalances) MostHeld(context.Context, chain.Asset, []chain.Address, chain.Head) ([]money.Units, error) {
	return nil, chain.ErrNoEndpoint
}

// TestExpirer_FailingNetwork: payments of a network that cannot be asked wait,
// and those behind them in the queue do not.
func TestExpirer_FailingNetwork(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	var stuck payment.Payment
	for range 100 { // a whole page
		stuck = r.start()
	}
	free, err := r.service.Create(t.Context(), payment.CreateInput{KeyID: r.key.ID, Amount: "10"}, audit.Act{})
	r.must(err)
	r.watchFor(rigTTL)
	e := watch.NewExpirer([]chain.Profile{
		r.profile,
	}, map[chain.Network]chain.Reader{r.profile.Network: failingBalances{r.reader()}},
		r.store, r.store.Settlement(), r.now, slog.New(slog.DiscardHandler))
	if err := e.RunOnce(t.Context()); !errors.Is(err, chain.ErrNoEndpoint) {
		t.Errorf("the failing network is reported as %v", err)
	}
	r.expect(free, payment.Expired, 0)
	r.expect(stuck, payment.Started, 0)
}

// unreadBalance is a node that cannot read one address, and counts how often it is asked.
type unreadBalance struct {
	chain.Reader

	address chain.Address
	asked   int
}

func (u *unreadBalance) MostHeld(
	ctx context.Context, asset chain.Asset, addresses []chain.Address, at chain.Head,
) ([]money.Units, error) {
	held, err := u.Reader.MostHeld(ctx, asset, addresses, at)
	if err == nil && slices.Contains(addresses, u.address) {
		u.asked++
		err = fmt.Errorf("balances: %w", &chain.UnreadError{Addresses: []chain.Address{u.address}, Reason: "internal"})
	}
	return held, err
}

// TestExpirer_UnreadAddress: only the payment waits whose address cannot be read, it is asked for once a minute, and it
// does not expire before it is read.
func TestExpirer_UnreadAddress(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	stuck := r.start()
	first := r.start()
	r.watchFor(rigTTL)
	u := &unreadBalance{Reader: r.reader(), address: stuck.Routes[0].Address.Address}
	e := watch.NewExpirer([]chain.Profile{r.profile}, map[chain.Network]chain.Reader{r.profile.Network: u},
		r.store, r.store.Settlement(), r.now, slog.New(slog.DiscardHandler))
	for round := range 5 {
		err := e.RunOnce(t.Context())
		if _, unread := errors.AsType[*chain.UnreadError](err); unread != (round == 0) {
			t.Errorf("round %d: what cannot be read is reported as %v", round, err)
		}
	}
	r.expect(first, payment.Expired, 0)
	r.expect(stuck, payment.Started, 0)
	if u.asked != len(r.profile.Assets) {
		t.Errorf("it was asked for %d times within a minute", u.asked)
	}
	u.address = ""
	r.watchFor(time.Minute)
	r.must(e.RunOnce(t.Context()))
	r.expect(stuck, payment.Expired, 0)
}

// unlistedAccounts is a reader that cannot list the token accounts of an address.
type unlistedAccounts struct {
	chain.Reader

	address chain.Address
	fails   []chain.Listing
}

func (u unlistedAccounts) TokenAccounts(
	_ context.Context, owners []chain.Address, l chain.Listing,
) ([]chain.TokenAccount, error) {
	if !slices.Contains(u.fails, l) || !slices.Contains(owners, u.address) {
		return nil, nil
	}
	return nil, &chain.UnreadError{Addresses: []chain.Address{u.address}, Reason: "worker crashed"}
}

func (unlistedAccounts) Under(chain.Address) []chain.Address { return nil }

// TestExpirer_UnlistedAccounts: only the payment waits whose token accounts cannot be listed: for a minute, or, where
// those that its address has anyway cannot be read, until they can.
func TestExpirer_UnlistedAccounts(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string][]chain.Listing{
		"Owned": {chain.ListOwned}, "Derived": {chain.ListOwned, chain.ListDerived},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 1)
			first, stuck := r.start(), r.start()
			for r.watch(); r.cursor().Scanned.Time.Before(stuck.ExpiresAt); r.watch() {
				r.chain.Wait(min(30*time.Second, max(stuck.ExpiresAt.Sub(r.now()), time.Second)))
				r.chain.Mine(1)
			}
			expirer := func(u unlistedAccounts) *watch.Expirer {
				readers := map[chain.Network]chain.Reader{r.profile.Network: u}
				return watch.NewExpirer([]chain.Profile{r.profile}, readers, r.store, r.store.Settlement(), r.now,
					slog.New(slog.DiscardHandler))
			}
			u := unlistedAccounts{r.reader(), stuck.Routes[0].Address.Address, fails}
			e := expirer(u)
			r.must(e.RunOnce(t.Context()))
			r.expect(first, payment.Expired, 0)
			r.expect(stuck, payment.Started, 0)
			r.watchFor(2 * time.Minute)
			r.must(e.RunOnce(t.Context()))
			if status := r.get(stuck).Status; (status == payment.Expired) != (len(fails) == 1) {
				t.Errorf("it is %s after two minutes", status)
			}
			u.address = ""
			r.must(expirer(u).RunOnce(t.Context()))
			r.expect(stuck, payment.Expired, 0)
		})
	}
}
