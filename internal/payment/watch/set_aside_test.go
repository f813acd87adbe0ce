package watch_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// refusing is a database that fails for one payment.
type refusing struct {
	watch.Store
	id    payment.ID // whose changes are refused
	loads bool       // it cannot be read either
}

var errRefused = errors.New("constraint failed")

func (s *refusing) UpdatePayment(
	ctx context.Context, id payment.ID, decide func(payment.Payment) (payment.Change, error),
) (payment.Payment, error) {
	if id == s.id {
		return payment.Payment{}, errRefused
	}
	return s.Store.UpdatePayment(ctx, id, decide)
}

func (s *refusing) UpdatePayments(ctx context.Context, all []watch.Update) []error {
	return singly(ctx, s, all)
}

// singly makes changes one by one, by the UpdatePayment of a database with faults.
func singly(ctx context.Context, s watch.Store, all []watch.Update) []error {
	errs := make([]error, len(all))
	for i, u := range all {
		_, errs[i] = s.UpdatePayment(ctx, u.ID, u.Decide)
	}
	return errs
}

func (s *refusing) Payment(ctx context.Context, id payment.ID) (payment.Payment, error) {
	if id == s.id && s.loads {
		return payment.Payment{}, errRefused
	}
	return s.Store.Payment(ctx, id)
}

func (s *refusing) PaymentsByID(ctx context.Context, ids []payment.ID) ([]payment.Payment, error) {
	for _, id := range ids {
		if id == s.id && s.loads {
			return nil, errRefused
		}
	}
	return s.Store.PaymentsByID(ctx, ids)
}

// on returns a watcher of the rig's chain with another store.
func (r *rig) on(s watch.Store, reader chain.Reader) *watch.Watcher {
	return watch.NewWatcher(r.profile, reader, s, "one", r.now, slog.New(slog.DiscardHandler))
}

// TestWatcher_SetAside: what fails for one payment holds up no other. It is kept in
// the database and reported, does not expire, and is read again until it succeeds.
func TestWatcher_SetAside(t *testing.T) {
	t.Parallel()
	for name, loads := range map[string]bool{"CannotBeWritten": false, "CannotBeRead": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 1)
			poisoned, other := r.start(), r.start()
			s := &refusing{Store: r.store, id: poisoned.ID, loads: loads}
			w := r.on(s, r.reader())
			r.must(w.RunOnce(t.Context()))
			r.send(poisoned, "USDC", 1)
			r.pay(other)
			r.chain.Mine(1)
			r.must(w.RunOnce(t.Context()))
			r.chain.Mine(rigFinalDepth)
			r.must(w.RunOnce(t.Context()))
			r.expect(other, payment.Completed, tenUSDC)
			if c := r.cursor(); c.Scanned.Number != r.chain.Head().Number-rigFinalDepth {
				t.Errorf("the cursor is at %d", c.Scanned.Number)
			}
			if h := w.Health(); !h.OK || h.SetAside != 1 {
				t.Errorf("health %+v, want one payment set aside", h)
			}
			rows, err := r.store.SetAsides(t.Context(), chain.Polygon)
			r.must(err)
			if len(rows) != 1 || rows[0].PaymentID != poisoned.ID ||
				!strings.Contains(rows[0].Reason, errRefused.Error()) {
				t.Fatalf("set aside: %+v", rows)
			}
			for range rigTTL/(30*time.Second) + 2 {
				r.chain.Wait(30 * time.Second)
				r.chain.Mine(1)
				r.must(w.RunOnce(t.Context()))
			}
			r.must(r.expirer.RunOnce(t.Context()))
			r.expect(poisoned, payment.Started, 0)

			s.id = ""
			w = r.on(s, r.reader()) // started again: what is set aside is not forgotten
			r.chain.Wait(10 * time.Minute)
			r.chain.Mine(1)
			for range 3 {
				_ = w.RunOnce(t.Context())
				r.chain.Mine(1)
			}
			r.expect(poisoned, payment.Started, 1)
			if n := r.recorded(poisoned, payment.EventResumed); n != 1 {
				t.Errorf("the time in which it was not read was given back %d times", n)
			}
			if h := w.Health(); h.SetAside != 0 {
				t.Errorf("health %+v after it was read", h)
			}
		})
	}
}

// TestWatcher_SetAside_GivenUp: a payment that could not be read is tried again while its addresses are watched, and
// no longer; then it is logged. One that a rescan sets aside long after is tried for a day.
func TestWatcher_SetAside_GivenUp(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		loads   bool
		late    bool          // it is set aside after its addresses were watched
		passes  time.Duration // from the end, or from when it was set aside late
		givenUp bool
	}{
		"Watched":           {false, false, payment.WatchAfterEnd - time.Hour, false},
		"NoLonger":          {false, false, payment.WatchAfterEnd + time.Hour, true},
		"NoLongerNorLoaded": {true, false, payment.WatchAfterEnd + time.Hour, true},
		"LateWithinADay":    {false, true, 23 * time.Hour, false},
		"LateAfterADay":     {false, true, 25 * time.Hour, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 1)
			p := r.start()
			p, err := r.service.Cancel(t.Context(), string(p.ID), audit.Act{})
			r.must(err)
			if row.late {
				r.pass(payment.WatchAfterEnd + time.Hour)
			}
			r.must(r.store.SaveSetAside(t.Context(), watch.SetAside{
				Network: chain.Polygon, PaymentID: p.ID, From: 1, Since: r.now(), Attempts: 1,
				NextAt: r.now(), Reason: "odd",
			}))
			r.pass(row.passes)
			r.catchUp()
			var log bytes.Buffer
			w := watch.NewWatcher(r.profile, r.reader(), &refusing{
				Store: r.store, id: p.ID, loads: row.loads,
			}, "one",
				r.now, slog.New(slog.NewTextHandler(&log, nil)))
			_ = w.RunOnce(t.Context())
			_ = w.RunOnce(t.Context())
			list, err := r.store.SetAsides(t.Context(), chain.Polygon)
			r.must(err)
			logged := strings.Count(log.String(), "is given up")
			if gone := len(list) == 0; gone != row.givenUp || (logged == 1) != row.givenUp {
				t.Errorf("set aside are %+v, given up %d times in the log:\n%s", list, logged, log.String())
			}
		})
	}
}

// TestWatcher_OddLog: a log of the token under the topic of transfers that is no
// ERC-20 transfer holds up nothing, not even the other money of its address.
func TestWatcher_OddLog(t *testing.T) {
	t.Parallel()
	for name, alter := range map[string]func(*chaintest.Log){
		"EmptyData":  func(l *chaintest.Log) { l.Data = "0x" },
		"LongData":   func(l *chaintest.Log) { l.Data += strings.Repeat("00", 32) },
		"FourTopics": func(l *chaintest.Log) { l.Topics = append(l.Topics, l.Topics[1]) },
		"TwoTopics":  func(l *chaintest.Log) { l.Topics = l.Topics[:2] },
		"NoAddress":  func(l *chaintest.Log) { l.Topics[2] = "0x" + strings.Repeat("1", 64) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 2)
			p := r.start()
			route, _ := p.Route()
			odd := chaintest.TransferLog(r.contract("USDC"), "0x00000000000000000000000000000000000000f1",
				string(route.Address.Address), big.NewInt(tenUSDC))
			alter(&odd)
			r.chain.Send(chaintest.Tx{To: r.contract("USDC"), Logs: []chaintest.Log{odd}})
			r.pay(p)
			r.chain.Mine(rigFinalDepth + 1)
			r.watch()
			r.expect(p, payment.Completed, tenUSDC)
		})
	}
}

// TestExpirer_OnePayment: a payment that cannot be decided keeps no other from
// expiring.
func TestExpirer_OnePayment(t *testing.T) {
	t.Parallel()
	for name, loads := range map[string]bool{"CannotBeWritten": false, "CannotBeRead": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 1)
			poisoned, other := r.start(), r.start()
			r.watchFor(rigTTL)
			s := &refusing{Store: r.store, id: poisoned.ID, loads: loads}
			e := watch.NewExpirer([]chain.Profile{r.profile},
				map[chain.Network]chain.Reader{r.profile.Network: r.reader()}, s, r.store.Settlement(), r.now,
				slog.New(slog.DiscardHandler))
			if err := e.RunOnce(t.Context()); !errors.Is(err, errRefused) {
				t.Errorf("the failure is reported as %v", err)
			}
			r.expect(other, payment.Expired, 0)
			r.expect(poisoned, payment.Started, 0)
		})
	}
}
