package evm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// probesPerStep is how many blocks one step of the depth search asks for: each
// step divides the remaining range by one more than that.
const probesPerStep = 8

// blockAtDepth returns the newest block that is at least Finality.Depth older
// than latest, by the timestamps of the chain: block rates change, so blocks
// are not counted. The search starts at guess, its last result. On a chain
// younger than the depth the result is the first block.
func (a *Adapter) blockAtDepth(ctx context.Context, e *rpc.Endpoint, latest, guess rpc.Header) (rpc.Header, error) {
	s := &depthSearch{deadline: int64(latest.Time) - int64(a.profile.Finality.Depth/time.Second), high: latest.Number}
	begin := guess.Number
	if begin == 0 {
		begin = latest.Number // nothing is known, and a node may not have the beginning of the chain
	}
	if err := s.begin(ctx, e, begin); err != nil {
		return rpc.Header{}, err
	}
	if !s.found {
		return rpc.Header{}, fmt.Errorf(
			"%w: no block %s before the newest one", rpc.ErrPruned, a.profile.Finality.Depth,
		)
	}
	for s.high-s.low.Number > 1 {
		if err := s.step(ctx, e); err != nil {
			return rpc.Header{}, err
		}
	}
	return s.low, nil
}

// depthSearch is a search for a block: block low is old enough, block number
// high is not.
type depthSearch struct {
	deadline int64
	low      rpc.Header
	found    bool // low is set
	high     uint64
}

// begin brackets the block by exponential search: at growing distances above
// the guess, where it usually is now, and below it only if the guess is too
// young, as after a reorganisation. The first block of the chain is the last
// resort.
func (s *depthSearch) begin(ctx context.Context, e *rpc.Endpoint, guess uint64) error {
	guess = min(guess, s.high)
	numbers := []uint64{guess}
	for _, ahead := range []uint64{2, 8, 32, 256} {
		if guess+ahead < s.high {
			numbers = append(numbers, guess+ahead)
		}
	}
	if err := s.probe(ctx, e, numbers); err != nil || s.found {
		return err
	}
	numbers = []uint64{0}
	for _, back := range []uint64{4096, 512, 64, 8} {
		if guess > back {
			numbers = append(numbers, guess-back)
		}
	}
	return s.probe(ctx, e, numbers)
}

// step asks for probesPerStep blocks inside the bracket.
func (s *depthSearch) step(ctx context.Context, e *rpc.Endpoint) error {
	gap := s.high - s.low.Number
	var numbers []uint64
	for i := uint64(1); i <= probesPerStep; i++ {
		n := s.low.Number + gap*i/(probesPerStep+1)
		if n > s.low.Number && n < s.high && (len(numbers) == 0 || n > numbers[len(numbers)-1]) {
			numbers = append(numbers, n)
		}
	}
	if len(numbers) == 0 {
		numbers = []uint64{s.low.Number + 1}
	}
	return s.probe(ctx, e, numbers)
}

// probe narrows the bracket by the blocks with these ascending numbers.
// Timestamps never fall along a chain. Blocks of two forks can make them seem
// to, which Scan notices by the hashes.
func (s *depthSearch) probe(ctx context.Context, e *rpc.Endpoint, numbers []uint64) error {
	calls := make([]rpc.Call, len(numbers))
	for i, n := range numbers {
		calls[i] = rpc.BlockByNumber(n)
	}
	replies, err := e.Ask(ctx, calls...)
	if err != nil {
		return err
	}
	for i, n := range numbers {
		h, ok, err := s.parse(replies[i], n)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		old := n == 0 || int64(h.Time) <= s.deadline
		switch {
		case old && n >= s.low.Number:
			s.low, s.found = h, true
		case !old && n < s.high:
			s.high = n
			return nil
		}
	}
	return nil
}

// parse reads the answer for a block; ok is false for one that is so old that the
// node may have dropped it, which is no answer to the search.
func (s *depthSearch) parse(r rpc.Reply, n uint64) (h rpc.Header, ok bool, err error) {
	if r.Err != nil {
		err = rpc.CallError(r.Err)
	} else {
		h, ok, err = rpc.ParseNumberedHeader(r.Result, n)
	}
	switch {
	case ok || s.found && err != nil || err != nil && !errors.Is(err, rpc.ErrPruned):
		return h, ok, err
	case s.found:
		return h, false, fmt.Errorf("%w: block %d is not there", rpc.ErrLagging, n)
	}
	return h, false, nil
}
