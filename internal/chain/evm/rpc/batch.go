package rpc

import (
	"bytes"
	"context"
	"time"

	"github.com/florinpay/florin/internal/chain/endpoint"
)

// batchSize returns how many calls to send in one request.
func (e *Endpoint) batchSize() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return int(e.batch.Size())
}

// batchLimit returns what is known of the size of batches.
func (e *Endpoint) batchLimit() endpoint.Limit {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.batch
}

// restoreBatch forgets what was learned since.
func (e *Endpoint) restoreBatch(learned endpoint.Limit) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.batch = learned
}

func (e *Endpoint) acceptBatch(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.batch.Accept(uint64(n), e.now())
}

// refuseBatch records that a request of n calls was refused. Its error may say
// how many are taken.
func (e *Endpoint) refuseBatch(n int, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.batch.Refuse(uint64(n), endpoint.Hint(err.Error(), uint64(n)), e.now())
}

// rateTries is how often the rest of a batch is asked for, a moment later each
// time, after a rate limit has let a part of it through.
const rateTries = 12

// askAgain asks once more for the calls of a batch that a rate limit refused
// while it answered others: providers count every call of a batch.
func (e *Endpoint) askAgain(ctx context.Context, calls []Call, replies []Reply) ([]Reply, error) {
	for range rateTries {
		var rest []Call
		var at []int
		wait := defaultRetryAfter
		for i, r := range replies {
			if r.Err != nil && endpoint.Limited(r.Err.Code, r.Err.Message) {
				wait = endpoint.BackOff(r.Err.Message, r.Err.Data)
				rest, at = append(rest, calls[i]), append(at, i) //nolint:gosec // as many replies as calls
			}
		}
		switch {
		case len(rest) == 0:
			return replies, nil
		case len(rest) == len(calls):
			e.rate.Refused()
			return nil, rateLimited{wait}
		}
		e.rate.Refused()
		if err := e.pause(ctx, min(wait, time.Second)); err != nil {
			return nil, err
		}
		got, err := e.request(ctx, rest, new(bytes.Buffer))
		if err != nil {
			return nil, err
		}
		for i, r := range got {
			replies[at[i]] = r
		}
	}
	return nil, rateLimited{defaultRetryAfter}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
