package evm

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain/endpoint"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

const (
	// fewBlocks is how many blocks an endpoint shows the logs of within logsLimit: in a range that takes longer, one
	// block may be the reason. Of such a range each piece has partLimit.
	fewBlocks = 64
	logsLimit = 8 * time.Second
	partLimit = 3 * time.Second
)

// slowLogs holds for the logs of which blocks an endpoint took too long, so that nobody waits for them again: each such
// range is asked for in ever smaller pieces, down to one block. It also holds who shows no logs at all. It is safe for
// concurrent use.
type slowLogs struct {
	now func() time.Time
	mu  sync.Mutex
	of  map[*rpc.Endpoint][]slowRange
	// refused is which endpoints show no logs at all.
	refused map[*rpc.Endpoint]refusedLogs
}

type refusedLogs struct {
	why error
	at  time.Time
}

// logsRest is for how long an endpoint that shows no logs at all is not asked for any. Its receipts and its headers
// count meanwhile: plans exist without this method.
const logsRest = 10 * time.Second

// refuse keeps that an endpoint shows no logs at all, and returns that as a failure that is not the endpoint's.
func (s *slowLogs) refuse(e *rpc.Endpoint, why error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refused == nil {
		s.refused = make(map[*rpc.Endpoint]refusedLogs)
	}
	s.refused[e] = refusedLogs{why, s.now()}
	return endpoint.Item{Err: why}
}

// refusal returns why an endpoint is not asked for logs; nil: it is.
func (s *slowLogs) refusal(e *rpc.Endpoint) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, known := s.refused[e]; known && s.now().Sub(r.at) < logsRest {
		return endpoint.Item{Err: r.why}
	}
	return nil
}

type slowRange struct {
	first, last uint64
	at          time.Time
}

func (r slowRange) meets(first, last uint64) bool { return r.first <= last && first <= r.last }

// piece returns up to where to ask for the blocks first..last at once, and whether that is known as slow. rests: it is
// one block, which was slow a moment ago.
func (s *slowLogs) piece(e *rpc.Endpoint, first, last uint64) (to uint64, slow, rests bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for _, r := range s.of[e] {
		switch {
		case !r.meets(first, last) || now.Sub(r.at) >= slowAge:
		case r.first > first:
			last = r.first - 1
		case r.last == first:
			return first, true, now.Sub(r.at) < slowRest
		default:
			last, slow = min(last, first+(r.last-first)/2), true
		}
	}
	return last, slow, false
}

// record keeps that these blocks took too long, or that they did not.
func (s *slowLogs) record(e *rpc.Endpoint, first, last uint64, slow bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slow && len(s.of[e]) == 0 {
		return
	}
	now, left := s.now(), []slowRange(nil)
	for _, r := range s.of[e] {
		switch {
		case now.Sub(r.at) >= slowAge:
		case !r.meets(first, last):
			left = append(left, r)
		case !slow && r.last > last:
			left = append(left, slowRange{last + 1, r.last, r.at})
		}
	}
	if slow {
		left = append(left, slowRange{first, last, now})
	}
	if s.of == nil {
		s.of = make(map[*rpc.Endpoint][]slowRange)
	}
	slices.SortFunc(left, func(a, b slowRange) int { return int(a.first) - int(b.first) }) //nolint:gosec // of blocks
	s.of[e] = left[max(0, len(left)-mostSlowRanges):]
}

// mostSlowRanges bounds the memory of one endpoint.
const mostSlowRanges = 1_000

// ask makes the calls for the logs of blocks first..last, and for block `to` after them. A request that fails or takes
// too long, where the endpoint shows block `to` by itself, fails for these logs.
func (s *stretch) ask(ctx context.Context, first, last uint64, calls []rpc.Call) ([]rpc.Reply, error) {
	switch _, slow, _ := s.adapter.slowLogs.piece(s.e, first, last); {
	case slow:
		rpc.Within(partLimit, calls...)
	case last-first < fewBlocks:
		rpc.Within(logsLimit, calls...)
	}
	replies, err := s.e.AskInto(ctx, s.buffer, append(calls, rpc.BlockByNumber(s.to.Number))...)
	if err == nil || ctx.Err() != nil || rpc.Limited(err) || errors.Is(err, endpoint.ErrBusy) ||
		rpc.TimedOut(err) && last-first >= fewBlocks {
		return replies, err
	}
	if s.withHead(ctx, nil, func([]rpc.Reply) error { return nil }) != nil {
		return nil, err
	}
	if rpc.TimedOut(err) {
		s.adapter.slowLogs.record(s.e, first, last, true)
	}
	return nil, logsError{err}
}
