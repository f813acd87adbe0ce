package rpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/endpoint"
)

// The cool-down after a failure doubles with every failure in a row: a dead
// endpoint costs almost nothing, and one that failed once is used again within
// two seconds.
const (
	firstCoolDown = time.Second
	maxCoolDown   = time.Minute
	// identityTTL is how long a checked chain id counts: providers sometimes
	// move a host to another chain.
	identityTTL = 30 * time.Minute
	// quarantine is the cool-down of an endpoint of the wrong chain.
	quarantine = 5 * time.Minute
)

// Endpoint is one node of the network, with its health and the sizes of
// requests it accepts.
type Endpoint struct {
	*wire
	chainID uint64
	rate    *endpoint.Rate
	// multicall is the contract that reads many balances at once, where it is.
	multicall Multicall
	count     func(endpoint, method string)
	pause     func(ctx context.Context, d time.Duration) error

	mu        sync.Mutex
	verified  time.Time // until when the chain id counts as checked
	failures  int       // in a row
	lags      int       // in a row
	coolUntil time.Time
	reason    string
	limited   bool // the cool-down is because of its rate
	head      uint64
	headAt    time.Time // when it was reported
	moved     time.Time // when it was another one last
	latency   endpoint.Latency
	errors    int64
	requests  int64

	// What the endpoint takes at once, and what it does not have.
	batch, blocks, topics endpoint.Limit
	unknown               endpoint.Unknown
	history               endpoint.History
	multicalls            multicallState
}

func newEndpoint(w *wire, chainID uint64, rate *endpoint.Rate) *Endpoint {
	return &Endpoint{
		wire: w, chainID: chainID, rate: rate, multicall: Multicall3(), pause: pause,
		batch:  endpoint.NewLimit(maxBatch, maxBatch),
		blocks: endpoint.NewLimit(firstSpan, maxSpan), topics: endpoint.NewLimit(maxTopicAddresses, maxTopicAddresses),
	}
}

// Name is the host and port of the endpoint, without credentials.
func (e *Endpoint) Name() string { return e.name }

// Voice names who answers (endpoint.URL.Voice).
func (e *Endpoint) Voice() string { return e.target.Voice() }

// Ask sends the calls, in as many requests as the node's batch limit needs, and
// returns a reply for each. An error object in a reply is not an error of Ask.
func (e *Endpoint) Ask(ctx context.Context, calls ...Call) ([]Reply, error) {
	return e.AskInto(ctx, nil, calls...)
}

// AskInto is Ask with a buffer to read the answer into, where one request is
// enough. The replies are valid until the buffer is used again. Without it,
// large answers would make most of the garbage of the program.
//
// Calls whose answers are too large together are sent in smaller parts. The
// batch limit stays, because the size of the answers was at fault, not the
// number of calls.
func (e *Endpoint) AskInto(ctx context.Context, buffer *bytes.Buffer, calls ...Call) ([]Reply, error) {
	replies := make([]Reply, 0, len(calls))
	learned := e.batchLimit()
	var refusal *Error // of a batch
	for most := len(calls); len(replies) < len(calls); {
		part := calls[len(replies):]
		part = part[:min(len(part), e.rate.Most(e.batchSize()), most)]
		into := buffer
		if into == nil || len(part) < len(calls) {
			into = new(bytes.Buffer)
		}
		got, err := e.request(ctx, part, into)
		if errors.Is(err, errBatchRefused) && len(part) > 1 && ctx.Err() == nil {
			refusal, _ = errors.AsType[*Error](err)
			e.refuseBatch(len(part), err)
			continue
		}
		if len(part) == 1 && (err != nil && len(replies) == 0 || err == nil && refusal.same(got[0].Err)) {
			e.restoreBatch(learned) // one call alone fails too, so the batch was not why
		}
		// Callers with a buffer ask for a range and shorten it themselves after
		// a slow or partial answer.
		if fewer := smallerPart(len(part), got, err, buffer == nil); fewer > 0 && ctx.Err() == nil {
			most = fewer
			continue
		}
		if err == nil {
			got, err = e.askAgain(ctx, part, got)
		}
		if err != nil {
			return nil, part[0].fault(err)
		}
		e.acceptBatch(len(part))
		replies = append(replies, got...)
	}
	return replies, nil
}

// smallerPart returns how many calls to ask at once when n calls in one request
// got answers that are too large together; 0 if no retry helps. thorough also
// takes a timeout, or missing replies, for an answer that is too large.
func smallerPart(n int, got []Reply, err error, thorough bool) int {
	switch {
	case n < 2:
		return 0
	case errors.Is(err, ErrTooLarge), thorough && slices.ContainsFunc(got, Reply.crowdedOut):
		return n / 2
	case thorough && TimedOut(err):
		// One by one, so that an endpoint that hangs is given up after one more
		// try.
		return 1
	}
	return 0
}

// Results is Ask for calls of which none may fail.
func (e *Endpoint) Results(ctx context.Context, calls ...Call) ([][]byte, error) {
	replies, err := e.Ask(ctx, calls...)
	if err != nil {
		return nil, err
	}
	results := make([][]byte, len(replies))
	for i, r := range replies {
		if r.Err != nil {
			err := fmt.Errorf("%s: %w", calls[i].method, CallError(r.Err)) //nolint:gosec // as many replies as calls
			return nil, calls[i].fault(err)                                //nolint:gosec // as many replies as calls
		}
		results[i] = r.Result
	}
	return results, nil
}

// request makes one HTTP request, counted and timed, once the rate of calls allows it.
func (e *Endpoint) request(ctx context.Context, calls []Call, into *bytes.Buffer) ([]Reply, error) {
	answered, err := e.rate.Begin(ctx, len(calls))
	if err != nil {
		return nil, err
	}
	defer answered()
	timeout := e.timeout
	if !slices.ContainsFunc(calls, func(c Call) bool { return !c.ofItem() }) {
		timeout = min(timeout, itemTimeout)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	begin := e.now()
	for _, c := range calls {
		e.count(e.name, c.method)
	}
	replies, err := e.send(ctx, calls, into)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests++
	e.latency.Observe(e.now().Sub(begin), err != nil, e.now())
	if _, limited := errors.AsType[rateLimited](err); limited {
		e.rate.Refused()
	}
	return replies, err
}

// standing is what the order of endpoints goes by, and whether this one cools down.
func (e *Endpoint) standing() (s endpoint.Standing, cooling bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.now()
	return endpoint.Standing{Head: e.head, Latency: e.latency.Lately(now)}, e.coolUntil.After(now)
}

// identify checks that the node is on the right chain before any of its answers
// is used.
func (e *Endpoint) identify(ctx context.Context) error {
	e.mu.Lock()
	fresh := e.now().Before(e.verified)
	e.mu.Unlock()
	if fresh {
		return nil
	}
	results, err := e.Results(ctx, NewCall("eth_chainId"))
	if err != nil {
		return err
	}
	id, ok := ParseNumber(results[0])
	if !ok {
		return Malformed("eth_chainId")
	}
	if id != e.chainID {
		return wrongChain{got: id, want: e.chainID}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.verified = e.now().Add(identityTTL)
	return nil
}

// wrongChain is returned by an endpoint of another chain.
type wrongChain struct{ got, want uint64 }

func (w wrongChain) Error() string {
	return fmt.Sprintf("answers for chain %d instead of %d; correct its address", w.got, w.want)
}

// succeeded records a valid answer.
func (e *Endpoint) succeeded() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failures, e.lags, e.coolUntil, e.reason = 0, 0, time.Time{}, ""
}

// patience is how often in a row an endpoint may lag before it counts as
// unhealthy: an address can hide several nodes, not all equally far.
const patience = 3

// failed records why the endpoint could not answer and starts its cool-down.
// One that only lags is not cooled down: it will catch up, and can answer other
// questions meanwhile.
func (e *Endpoint) failed(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.now()
	if errors.Is(err, ErrLagging) {
		if e.lags++; e.lags >= patience {
			e.reason = err.Error()
		}
		return
	}
	e.reason = err.Error()
	e.errors++
	e.failures++
	wait := min(firstCoolDown<<min(e.failures-1, 10), maxCoolDown)
	limited, ok := errors.AsType[rateLimited](err)
	if e.limited = ok; ok {
		wait = max(wait, limited.after)
	}
	if _, ok := errors.AsType[wrongChain](err); ok {
		wait, e.verified = quarantine, time.Time{}
	}
	e.coolUntil = now.Add(wait)
}

// RecordHead records the number of the newest block the node has.
func (e *Endpoint) RecordHead(number uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if number > e.head {
		e.moved = e.now()
	}
	e.head, e.headAt = number, e.now()
}

// MovedAt returns when the newest block has moved last.
func (e *Endpoint) MovedAt() time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.moved
}

// answered reports whether the endpoint has reported its newest block after the time.
func (e *Endpoint) answered(after time.Time) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.headAt.After(after)
}

// health returns the state of the endpoint.
func (e *Endpoint) health() chain.EndpointHealth {
	e.mu.Lock()
	defer e.mu.Unlock()
	h := chain.EndpointHealth{
		Name: e.name, Voice: e.Voice(), Healthy: e.reason == "", Head: e.head, Latency: e.latency.Average(),
		Reason: e.reason, Errors: e.errors, Requests: e.requests, Learnt: e.learnt(),
	}
	if e.coolUntil.After(e.now()) {
		h.CoolUntil, h.Limited = e.coolUntil, e.limited
	}
	return h
}
