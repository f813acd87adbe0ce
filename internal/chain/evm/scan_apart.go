package evm

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// logsError is a failure for the logs of a range, of an endpoint that shows the block at its end: one block of them may
// be the reason, or one log. Nodes exist that cannot make the logs of single blocks.
type logsError struct{ error }

func (e logsError) Unwrap() error { return e.error }

// errSlowLogs: the logs of one block take too long, of an endpoint that shows the block at the end of the range.
var errSlowLogs = errors.New("the logs take too long")

// ofLogs reports whether the endpoint failed for logs from the block on, and may not for others. It may lack the newest
// blocks.
func (s *stretch) ofLogs(block uint64, err error) bool {
	_, logs := errors.AsType[logsError](err)
	return logs && !rpc.Limited(err) && !errors.Is(err, rpc.ErrPruned) &&
		(!errors.Is(err, rpc.ErrLagging) || s.e.Height() >= block+otherBlock)
}

const (
	// otherBlock is how far back is another block that the endpoint must show the logs of, before it counts as able to,
	// and how far it must be ahead of one that it says it does not have.
	otherBlock = 64
	// failingQueries is how many queries of one block may fail before one succeeds, and isolatingQueries in all.
	failingQueries   = 12
	isolatingQueries = 64
)

// apart reads the logs of one block, for which the endpoint fails, by ever fewer recipients: most nodes look only at
// transactions that concern those who are asked for. Whom it fails for alone is left unread. An endpoint that shows no
// logs of another block either shows none at all.
func (s *stretch) apart(ctx context.Context, block uint64, why error) error {
	if !s.answered {
		other := rpc.Quantity(block - min(block, otherBlock))
		nobody := chain.NewWatchSet(1)
		nobody.Add(chain.Watched{Raw: make([]byte, len(rpc.Address{}))})
		replies, err := s.e.Ask(ctx, rpc.Within(partLimit, s.adapter.logCalls(other, other, nobody, 1, true)...)...)
		switch {
		case ctx.Err() != nil || rpc.Limited(err):
			return cmp.Or(ctx.Err(), err)
		case err != nil || replies[0].Err != nil:
			return s.adapter.slowLogs.refuse(s.e, why)
		}
	}
	failed := 0
	if errors.Is(why, errSlowLogs) { // nobody waits for it once for each recipient
		failed = isolatingQueries
	}
	return s.apartFor(ctx, block, s.watch, &failed, why)
}

// apartFor reads the logs of the block for these recipients; so many queries have failed.
func (s *stretch) apartFor(ctx context.Context, block uint64, watch *chain.WatchSet, failed *int, why error) error {
	err := why
	if !s.failsAlways(*failed) {
		part := &stretch{
			adapter: s.adapter, e: s.e, to: s.to, watch: watch, buffer: new(bytes.Buffer), narrow: true,
		}
		_, perQuery := s.e.LogLimits()
		if _, err = part.fetch(ctx, block, block, 1, perQuery); err == nil {
			s.answered = true
			s.found, s.small = append(s.found, part.found...), append(s.small, part.small...)
			s.odd, s.unread = append(s.odd, part.odd...), s.unread.With(part.unread)
			return nil
		}
		if !s.ofLogs(block, err) {
			return err
		}
		*failed++
	}
	if watch.Len() > 1 && !s.failsAlways(*failed) {
		for _, half := range halves(watch) {
			if err := s.apartFor(ctx, block, half, failed, err); err != nil {
				return err
			}
		}
		return nil
	}
	unread := &chain.UnreadError{
		Reason: fmt.Sprintf("%s cannot show the logs of block %d: %s", s.e.Name(), block, err),
	}
	for _, a := range watch.All {
		unread.Addresses = append(unread.Addresses, a)
	}
	s.unread = s.unread.With(unread)
	return nil
}

// failsAlways reports whether the endpoint fails for the block whomever it is asked for.
func (s *stretch) failsAlways(failed int) bool {
	return failed >= isolatingQueries || failed >= failingQueries && !s.answered
}

// halves returns a set as two.
func halves(set *chain.WatchSet) [2]*chain.WatchSet {
	half := [2]*chain.WatchSet{chain.NewWatchSet(set.Len()), chain.NewWatchSet(set.Len())}
	n := 0
	for raw, a := range set.All {
		half[n%2].Add(chain.Watched{Address: a, Raw: raw})
		half[n%2].Floods = set.Floods
		n++
	}
	return half
}
