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

// Endpoint is one node of the network, with its health and the sizes of
// requests it accepts.
type Endpoint struct {
	*wire
	*endpoint.Health
	chainID uint64
	rate    *endpoint.Rate
	// multicall is the contract that reads many balances at once, where it is.
	multicall Multicall
	count     func(endpoint, method string)
	pause     func(ctx context.Context, d time.Duration) error

	mu sync.Mutex // of what follows
	// What the endpoint takes at once, and what it does not have.
	batch, blocks, topics endpoint.Limit
	unknown               endpoint.Unknown
	history               endpoint.History
	multicalls            multicallState
}

func newEndpoint(w *wire, chainID uint64, rate *endpoint.Rate) *Endpoint {
	return &Endpoint{
		wire: w, Health: endpoint.NewHealth(w.now), chainID: chainID, rate: rate, multicall: Multicall3(),
		pause: chain.Sleep, batch: endpoint.NewLimit(maxBatch, maxBatch),
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
	var limits itemLimits
	for most := len(calls); len(replies) < len(calls); {
		part := calls[len(replies):]
		part = part[:min(len(part), e.rate.Most(e.batchSize()), most)]
		into := buffer
		if into == nil || len(part) < len(calls) {
			into = new(bytes.Buffer)
		}
		got, err := e.request(ctx, part, into)
		if Limited(err) {
			var fewer int
			if got, fewer, err = e.limited(ctx, part, &limits, err); fewer > 0 && err == nil {
				most = fewer
				continue
			}
		}
		if errors.Is(err, errBatchRefused) && len(part) > 1 && ctx.Err() == nil {
			refusal, _ = errors.AsType[*Error](err)
			e.refuseBatch(len(part), err)
			continue
		}
		if len(part) == 1 && (err != nil || refusal.same(got[0].Err)) {
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
			if Limited(err) {
				e.rate.Refused()
			}
			return nil, e.fault(ctx, part, err)
		}
		e.acceptBatch(len(part))
		replies, most = append(replies, got...), limits.passed(got, most, len(calls))
	}
	if limits.any && !slices.ContainsFunc(replies, Reply.ofItem) {
		e.rate.Refused()
	}
	return replies, nil
}

// limited decides about calls that were refused for the sake of a rate. Calls for items are asked for again after a
// moment, fewer of them, while the endpoint answers another call; got says so where it is the fault of one item.
func (e *Endpoint) limited(
	ctx context.Context, calls []Call, limits *itemLimits, refusal error,
) (got []Reply, fewer int, err error) {
	if !ofItems(calls) || limits.items == mostItems || ctx.Err() != nil || !e.answers(ctx) {
		return nil, 0, refusal
	}
	if fewer = limits.refused(calls); fewer > 0 {
		return nil, fewer, e.pause(ctx, time.Second)
	}
	return []Reply{{Err: &Error{Message: refusal.Error(), item: true}}}, 0, nil
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
		if results[i], err = calls[i].Result(r); err != nil { //nolint:gosec // as many replies as calls
			return nil, err
		}
	}
	return results, nil
}

// Result returns the result in the reply to the call.
func (c Call) Result(r Reply) ([]byte, error) {
	if r.Err != nil {
		return nil, c.fault(fmt.Errorf("%s: %w", c.method, CallError(r.Err)))
	}
	return r.Result, nil
}

// EachResult is Results for calls of which some may fail, each for itself, as long as one does not: errs is why.
func (e *Endpoint) EachResult(ctx context.Context, calls ...Call) (results [][]byte, errs []error) {
	results, errs = make([][]byte, len(calls)), make([]error, len(calls))
	replies, err := e.Ask(ctx, calls...)
	for i, c := range calls {
		var alone [][]byte
		switch {
		case err == nil:
			results[i], errs[i] = c.Result(replies[i])
		case !endpoint.IsItem(err) || len(calls) == 1:
			errs[i] = err
		default: // which of them is at fault is not known
			if alone, errs[i] = e.Results(ctx, c); errs[i] == nil {
				results[i] = alone[0]
			}
		}
	}
	return results, errs
}

// request makes one HTTP request, counted and timed, once the rate of calls allows it.
func (e *Endpoint) request(ctx context.Context, calls []Call, into *bytes.Buffer) ([]Reply, error) {
	answered, err := e.rate.Begin(ctx, len(calls))
	if err != nil {
		return nil, err
	}
	defer answered()
	timeout := e.timeout
	if quick(calls) {
		timeout = min(timeout, itemTimeout)
	}
	for _, c := range calls {
		if c.within > 0 {
			timeout = min(timeout, c.within)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	begin := e.now()
	for _, c := range calls {
		e.count(e.name, c.method)
	}
	replies, err := e.send(ctx, calls, into)
	e.Asked(e.now().Sub(begin), err)
	return replies, err
}

// identityTries is how often in a row a node must name the right chain after it has named another one: several may
// stand behind its address.
const identityTries = 3

// identify checks that the node is on the right chain before any of its answers
// is used.
func (e *Endpoint) identify(ctx context.Context) error {
	if e.Verified() {
		return nil
	}
	for tries := 0; tries == 0 || e.Strayed() && tries < identityTries; tries++ {
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
	}
	e.Verify()
	return nil
}

// wrongChain is returned by an endpoint of another chain.
type wrongChain struct{ got, want uint64 }

func (w wrongChain) Error() string {
	return fmt.Sprintf("answers for chain %d instead of %d; correct its address", w.got, w.want)
}

// failed records why the endpoint could not answer.
func (e *Endpoint) failed(err error) {
	limited, slow := errors.AsType[rateLimited](err)
	_, other := errors.AsType[wrongChain](err)
	e.Failed(err, endpoint.Failure{
		Lags: errors.Is(err, ErrLagging), Limited: slow, After: limited.after, OtherChain: other,
	})
}

// health returns the state of the endpoint.
func (e *Endpoint) health() chain.EndpointHealth {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.State(e.name, e.Voice(), e.learnt())
}
