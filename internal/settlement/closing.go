package settlement

import (
	"context"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// CloseFunc closes accounts that sweeps have emptied and returns the items to try again.
type CloseFunc func(ctx context.Context, items []chain.SweepItem) (left []chain.SweepItem, err error)

// closing is the emptied accounts whose rent is to be refunded. They are kept in memory only: what a restart loses is
// their rent.
type closing struct {
	queue []emptied
	next  time.Time // no attempt before
}

type emptied struct {
	chain.SweepItem
	attempts int
}

const (
	// closeEvery is the pause between attempts: a transaction takes some seconds to become final.
	closeEvery = 30 * time.Second
	// closeAtOnce is how many accounts one attempt looks at.
	closeAtOnce = 5
	// closeAttempts is after how many attempts an account is given up: a stranger keeps sending dust to it.
	closeAttempts = 4
	// closeKept bounds the queue.
	closeKept = 1_000
)

// add queues the items that a confirmed sweep has moved.
func (c *closing) add(w Sweep) {
	for _, i := range w.Items {
		if _, moved := w.moved(i); moved && len(c.queue) < closeKept {
			c.queue = append(c.queue, emptied{SweepItem: i})
		}
	}
}

// take removes the accounts of the next attempt from the queue. Those that a sweep in flight empties again stay.
func (c *closing) take(flying []Sweep) (part []emptied) {
	busy := make(map[chain.Address]bool)
	for _, w := range flying {
		for _, i := range w.Items {
			busy[i.Address.Address] = true
		}
	}
	var rest []emptied
	for _, x := range c.queue {
		if busy[x.Address.Address] || len(part) == closeAtOnce {
			rest = append(rest, x)
		} else {
			part = append(part, x)
		}
	}
	c.queue = rest
	return part
}

// closeEmptied makes one attempt if it is time. A failure is logged: no money depends on it.
func (s *Sweeper) closeEmptied(ctx context.Context, flying []Sweep) {
	c, now := &s.closing, s.now()
	if s.CloseEmptied == nil || len(c.queue) == 0 || now.Before(c.next) {
		return
	}
	part := c.take(flying)
	if len(part) == 0 {
		return
	}
	c.next = now.Add(closeEvery)
	list := make([]chain.SweepItem, len(part))
	for i, x := range part {
		list[i] = x.SweepItem
	}
	left, err := s.CloseEmptied(ctx, list)
	if err != nil {
		s.log.Warn("emptied accounts are not closed yet", "accounts", len(list), "error", err)
		left = list
	}
	for _, x := range part {
		again := slices.ContainsFunc(left, func(i chain.SweepItem) bool {
			return i.Address.Address == x.Address.Address && i.Asset.Contract == x.Asset.Contract
		})
		if x.attempts++; again && x.attempts < closeAttempts {
			c.queue = append(c.queue, x)
		}
	}
}
