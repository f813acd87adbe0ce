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

// stop has an outage of the network begin, unless one has, and reports whether it does: once that is stored, the timers
// of its payments stand still from then on, even if this process crashes.
func (r *reader) stop(since time.Time, what, why string) (begins bool) {
	if begins = r.cursor.BehindSince.IsZero(); begins {
		r.cursor.BehindSince = since
		r.log.Error(what+"; its payments wait", "since", since, "reason", why)
	}
	return begins
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
				err = r.setAside(ctx, r.cursor.Scanned.Number+1, from, err, nil, id)
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
