package payment

import (
	"context"
	"fmt"
	"time"
)

// runningPage bounds how many payments are resumed between two looks at ctx.
const runningPage = 200

// markBehind stores since when the network is blind, so that the timers of its
// payments stand still from then on, whatever happens to this process. That is
// the last time it was read, not the moment it was missed.
func (w *Watcher) markBehind(ctx context.Context) error {
	c, ok, err := w.store.Cursor(ctx, w.profile.Network)
	if err != nil || !ok {
		return err
	}
	since := c.UpdatedAt
	if !c.BehindSince.IsZero() {
		since = c.BehindSince
	}
	w.alarm(since)
	if since.Equal(c.BehindSince) {
		return nil
	}
	c.BehindSince = since
	return w.store.SaveCursor(ctx, w.profile.Network, c)
}

// startGrace is how long after the start a network may be blind before that is
// said: nodes that are started together with this program, or whose newest
// block is from before a pause, come up within it. Timers stand still and
// /health tells of it from the first round all the same.
const startGrace = 15 * time.Second

// telling is what the log was told of the network.
type telling struct {
	began   time.Time // the first round
	well    bool      // a round has succeeded
	outage  bool      // that it is blind or behind
	failing string    // the newest failure
}

// due reports whether a failure is one to tell of: the network was well before,
// or has had its time to begin.
func (t telling) due(now time.Time) bool { return t.well || now.Sub(t.began) >= startGrace }

// alarm tells once that the network is blind or behind, also if the outage
// began before this process did.
func (w *Watcher) alarm(since time.Time) {
	if w.told.outage || !w.told.due(w.now()) {
		return
	}
	w.told.outage = true
	w.log.Error("network is blind or behind; its payments wait", "since", since, "reason", w.Health().Detail)
}

// say tells how a round went, where that is news.
func (w *Watcher) say(err error) {
	switch {
	case err == nil:
		if w.told.failing != "" {
			w.log.Info("network is well again")
		}
		w.told.well, w.told.outage, w.told.failing = true, false, ""
	case err.Error() != w.told.failing && w.told.due(w.now()):
		w.log.Warn("network cannot be read", "error", err)
		w.told.failing = err.Error()
	}
}

// recover gives the payments of this network back the time it was blind, or
// nobody was running to look, and ends the outage.
func (w *Watcher) recover(ctx context.Context, c Cursor) (Cursor, error) {
	now := w.now()
	from := c.BehindSince
	if from.IsZero() {
		return c, nil
	}
	if err := w.resumeAll(ctx, from, now); err != nil {
		return c, err
	}
	c.BehindSince = time.Time{}
	w.log.Info("network is back; its payments got their time back", "outage", now.Sub(from).Round(time.Second))
	return c, w.save(ctx, &c, true)
}

func (w *Watcher) resumeAll(ctx context.Context, from, to time.Time) error {
	after := ID("")
	for {
		ids, err := w.store.Running(ctx, w.profile.Network, from, after, runningPage)
		if err != nil {
			return fmt.Errorf("list running payments: %w", err)
		}
		for _, id := range ids {
			_, err := w.store.UpdatePayment(ctx, id, func(p Payment) (Change, error) { return p.Resume(from, to, w.now()) })
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

// stoppedSince returns the cursor with the time nobody was watching counted as
// an outage: a program that was down cannot let a payer's time run.
func stoppedSince(c Cursor, limit time.Duration, now time.Time) Cursor {
	if c.BehindSince.IsZero() && now.Sub(c.UpdatedAt) > limit {
		c.BehindSince = c.UpdatedAt
	}
	return c
}
