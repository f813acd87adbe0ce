package watch

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// runningPage bounds how many payments are read and resumed at once.
const runningPage = 200

// markBehind stores when the outage of the network began, so that the timers of
// its payments stand still from then on, even if this process crashes. It began
// when the network was last read, not when that was noticed.
func (w *Watcher) markBehind(ctx context.Context) error {
	c, ok, err := w.store.Cursor(ctx, w.profile.Network)
	if err != nil || !ok {
		return err
	}
	since := c.UpdatedAt
	if !c.BehindSince.IsZero() {
		since = c.BehindSince
	}
	w.logOutage(since)
	if since.Equal(c.BehindSince) {
		return nil
	}
	c.BehindSince = since
	return w.saveCursor(ctx, c)
}

// slow is why a network that makes nothing final is not offered, in words for a
// payer.
const slow = "this network is confirming slowly at the moment"

// noFinal is why a network is not offered of which no final block is known.
const noFinal = "no final block is known yet"

// stalled reports whether the final block is older than the newest one by more than
// the network's limit, and why, in words for the operator. Both times are of the
// chain's own clock; the age of the newest block has a limit of its own. A newest block
// of the future is one endpoint's word: it makes final money no older than it is. One endpoint that is left of two says
// what is final chain.AloneDepth later, as of an earlier round.
func (w *Watcher) stalled(h chain.Heads) (why string, stalled bool) {
	age, limit := max(w.newest(h).Sub(h.Final.Time), 0), w.profile.FinalLimit()
	if h.Alone {
		limit += chain.AloneDepth + w.pausing
	}
	if h.Final.Number == 0 {
		return noFinal, age > limit
	}
	return fmt.Sprintf("the final block, %d, is %s older than the newest one, limit %s", h.Final.Number,
		age.Round(time.Second), limit), age > limit
}

// newest is the time of the newest block, or now if that is earlier.
func (w *Watcher) newest(h chain.Heads) time.Time {
	if now := w.now(); now.Before(h.Latest.Time) {
		return now
	}
	return h.Latest.Time
}

// pause lets the timers of the network's payments stand still from now on.
func (w *Watcher) pause(ctx context.Context, c Cursor, why string) (Cursor, error) {
	if c.BehindSince.IsZero() {
		c.BehindSince = w.now()
		w.log.Error("the network makes nothing final; its payments wait", "reason", why)
		return c, w.save(ctx, &c, true)
	}
	return c, w.save(ctx, &c, w.now().Sub(c.UpdatedAt) >= restEvery)
}

// startGrace is how long after the start an outage is not logged: nodes that are
// started together with this program come up within it. Timers stand still and
// /health reports the outage from the first round. What is wrong with the
// configuration is logged at once.
const startGrace = 15 * time.Second

// outageLog is what has been logged of the network, so that each change is
// logged once.
type outageLog struct {
	began   time.Time // the first round
	well    bool      // a round has succeeded
	outage  bool      // an outage
	failure string    // the newest failure
}

// due reports whether a failure is to be logged: the network was read before, or
// startGrace is over.
func (l outageLog) due(now time.Time) bool { return l.well || now.Sub(l.began) >= startGrace }

// logOutage logs once that the network cannot be read or is behind, also if that
// began before this process started.
func (w *Watcher) logOutage(since time.Time) {
	if w.logged.outage || !w.logged.due(w.now()) {
		return
	}
	w.logged.outage = true
	w.log.Error("the network cannot be read or is behind; its payments wait", "since", since, "reason", w.Health().Detail)
}

// logRound logs the result of a round if it has changed.
func (w *Watcher) logRound(err error) {
	switch {
	case err == nil:
		if w.logged.failure != "" {
			w.log.Info("the network can be read again")
		}
		w.logged.well, w.logged.outage, w.logged.failure = true, false, ""
	case err.Error() != w.logged.failure && (!w.checked || w.logged.due(w.now())):
		w.log.Warn("the network cannot be read", "error", err)
		w.logged.failure = err.Error()
	}
}

// recover ends the outage and extends the payments of this network by it. A time
// in which no instance was running counts as an outage.
func (w *Watcher) recover(ctx context.Context, c Cursor) (Cursor, error) {
	now := w.now()
	from := c.BehindSince
	if from.IsZero() {
		return c, nil
	}
	if err := w.resumeAll(ctx, from, now, c); err != nil {
		return c, err
	}
	c.BehindSince = time.Time{}
	w.log.Info("the outage of the network is over; its payments were extended", "outage", now.Sub(from).Round(time.Second))
	return c, w.save(ctx, &c, true)
}

// resumeAll extends the running payments. One that fails is set aside since then,
// so that it cannot expire before it was extended.
func (w *Watcher) resumeAll(ctx context.Context, from, to time.Time, c Cursor) error {
	after := payment.ID("")
	for {
		ids, err := w.store.Running(ctx, w.profile.Network, from, after, runningPage)
		if err != nil {
			return fmt.Errorf("list running payments: %w", err)
		}
		for _, id := range ids {
			_, err := w.store.UpdatePayment(ctx, id, func(p payment.Payment) (payment.Change, error) {
				return p.Resume(from, to, w.now())
			})
			if err != nil {
				err = w.setAside(ctx, c.Scanned.Number+1, from, err, id)
			}
			if err != nil {
				return fmt.Errorf("resume payment %s: %w", id, err)
			}
			after = id
		}
		if len(ids) < runningPage {
			return nil
		}
	}
}

// stoppedSince returns the cursor with an outage that began when the network was
// last read, if that is long ago: while no instance runs, no timer may run out.
func stoppedSince(c Cursor, limit time.Duration, now time.Time) Cursor {
	if c.BehindSince.IsZero() && now.Sub(c.UpdatedAt) > limit {
		c.BehindSince = c.UpdatedAt
	}
	return c
}
