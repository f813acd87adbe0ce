package rpc

import (
	"bytes"
	"context"
	"net/http"
	"slices"
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

// askAgain asks once more for the calls of a batch that a rate limit refused while it answered others: providers count
// every call of a batch. A call for one item that is refused alone, too, while another call is answered, is refused for
// the sake of its item.
func (e *Endpoint) askAgain(ctx context.Context, calls []Call, replies []Reply) ([]Reply, error) {
	most := len(calls)
	for range rateTries {
		rest, wait := limitedOf(calls, replies)
		switch {
		case len(rest) == 0:
			return replies, nil
		case len(calls) == 1 && calls[0].ofItem() && e.answers(ctx):
			replies[0].Err.item = true
			return replies, nil
		case len(rest) == len(calls):
			return nil, rateLimited{wait}
		}
		if err := e.pause(ctx, min(wait, time.Second)); err != nil {
			return nil, err
		}
		through := false
		for part := range slices.Chunk(rest, min(most, len(rest))) {
			again := make([]Call, len(part))
			for i, at := range part {
				again[i] = calls[at]
			}
			got, err := e.askPart(ctx, again)
			if Limited(err) {
				break
			}
			if err != nil {
				return nil, err
			}
			for i, at := range part {
				replies[at] = got[i]
				through = through || got[i].Err == nil
			}
		}
		if through {
			e.rate.Refused()
		} else {
			most = 1
		}
	}
	return nil, rateLimited{defaultRetryAfter}
}

// askPart asks for some calls of a batch, and once more for one alone that a rate limit refuses.
func (e *Endpoint) askPart(ctx context.Context, calls []Call) ([]Reply, error) {
	got, err := e.request(ctx, calls, new(bytes.Buffer))
	if len(calls) > 1 {
		return got, err
	}
	if Limited(err) {
		got, err = []Reply{{Err: &Error{Code: http.StatusTooManyRequests, Message: err.Error()}}}, nil
	}
	if err != nil {
		return nil, err
	}
	return e.askAgain(ctx, calls, got)
}

// limitedOf lists which calls a rate limit refused, and says for how long to rest.
func limitedOf(calls []Call, replies []Reply) (at []int, wait time.Duration) {
	for i, r := range replies {
		if r.limited(calls[i]) { //nolint:gosec // as many replies as calls
			at, wait = append(at, i), endpoint.BackOff(r.Err.Message, r.Err.Data)
		}
	}
	return at, wait
}
