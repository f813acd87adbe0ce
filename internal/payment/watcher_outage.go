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
	if err != nil || !ok || !c.BehindSince.IsZero() {
		return err
	}
	c.BehindSince = c.UpdatedAt
	w.log.Error("network is blind or behind; its payments wait")
	return w.store.SaveCursor(ctx, w.profile.Network, c)
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
