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

// markBehind stores when the outage of the network began, so that the timers of its payments stand still from then on,
// even if this process crashes. It began when the network was last read, not when that was noticed.
func (r *reader) markBehind(ctx context.Context) error {
	if !r.cursor.BehindSince.IsZero() {
		return nil
	}
	r.cursor.BehindSince = r.cursor.UpdatedAt
	r.log.Error("the network cannot be read or is behind; its payments wait", "since", r.cursor.BehindSince,
		"reason", r.health.get().Detail)
	return r.saveAsIs(ctx)
}

// stalled reports whether the final block is older than the newest one by more than the network's limit, and why, in
// words for the operator. Both times are of the chain's own clock; the age of the newest block has a limit of its own.
// A newest block of the future is one endpoint's word: it makes final money no older than it is. One endpoint that is
// left of two says what is final chain.AloneDepth later, as of an earlier round.
func (r *reader) stalled(h chain.Heads) (why string, stalled bool) {
	age, limit := r.finalAge(h), r.profile.FinalLimit()
	if h.Alone {
		limit += chain.AloneDepth + r.pace.round
	}
	if h.Final.Number == 0 {
		return "no final block is known yet", age > limit
	}
	return fmt.Sprintf("the final block, %d, is %s older than the newest one, limit %s", h.Final.Number,
		age.Round(time.Second), limit), age > limit
}

// finalAge is how much older the final block is than the newest one, or than now if that is less.
func (r *reader) finalAge(h chain.Heads) time.Duration {
	return max(min(h.Latest.Time.Sub(h.Final.Time), r.now().Sub(h.Final.Time)), 0)
}

// pause lets the timers of the network's payments stand still from now on.
func (r *reader) pause(ctx context.Context, why string) error {
	fresh := r.cursor.BehindSince.IsZero()
	if fresh {
		r.cursor.BehindSince = r.now()
		r.log.Error("the network makes nothing final; its payments wait", "reason", why)
	}
	return r.save(ctx, fresh || r.now().Sub(r.cursor.UpdatedAt) >= restEvery)
}

// recover ends the outage and extends the payments of this network by it. A time
// in which no instance was running counts as an outage.
func (r *reader) recover(ctx context.Context) error {
	now, from := r.now(), r.cursor.BehindSince
	if from.IsZero() {
		return nil
	}
	if err := r.resumeAll(ctx, from, now); err != nil {
		return err
	}
	r.cursor.BehindSince = time.Time{}
	r.log.Info("the outage of the network is over; its payments were extended", "outage", now.Sub(from).Round(time.Second))
	return r.save(ctx, true)
}

// resumeAll extends the running payments. One that fails is set aside since then,
// so that it cannot expire before it was extended.
func (r *reader) resumeAll(ctx context.Context, from, to time.Time) error {
	after := payment.ID("")
	for {
		ids, err := r.store.Running(ctx, r.profile.Network, from, after, runningPage)
		if err != nil {
			return fmt.Errorf("list running payments: %w", err)
		}
		for _, id := range ids {
			_, err := r.store.UpdatePayment(ctx, id, func(p payment.Payment) (payment.Change, error) {
				return p.Resume(from, to, r.now())
			})
			if err != nil {
				err = r.failed.add(ctx, r.cursor.Scanned.Number+1, from, err, nil, id)
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
