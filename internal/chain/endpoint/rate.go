package endpoint

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// DefaultRate is how many calls a second an endpoint gets where nothing else is configured: what the cheapest plans of
// providers allow.
const DefaultRate = 25

// Of strangers, at most one in strangersPart of the rate's requests is under way, and never more than mostStrangers.
const strangersPart, mostStrangers = 5, 50

// UnlimitedRate is more than a node can answer.
const UnlimitedRate = 1e9

// Rate bounds the calls to one endpoint: no second ever sees more of them, however long they take to arrive. Every call
// of a batch counts, because providers count them so. Its methods are safe for concurrent use, also on nil, which is no
// bound. Callers wait in the order in which they came.
//
// A call holds one of the rate's slots from before it is sent until a second after its answer. So of two calls in one
// slot the second arrives at least a second after the first, wherever each was delayed.
type Rate struct {
	clock  Clock
	window time.Duration
	turn   chan struct{} // held by the caller that waits for slots
	// stranger has one entry for each request that strangers may have under way, with the time from which on it may.
	stranger chan time.Time

	most  int // slots that are configured
	mu    sync.Mutex
	slots int         // in use: fewer where the endpoint was found to allow fewer
	free  int         // below 0 while more are in use than that
	limit Limit       // what is known of how many it allows
	quiet time.Time   // refusals until then are of calls that were made before the last one
	rests []time.Time // when slots of answered calls are free, in order
	freed chan struct{}
}

// Clock is the time a rate goes by. Its zero value is the real one.
type Clock struct {
	Now func() time.Time
	// Sleep returns after the duration, or with the error of ctx when that ends before.
	Sleep func(ctx context.Context, d time.Duration) error
}

// ErrBusy: the caller gave up before the rate allowed its calls. The endpoint was not asked, and is not to blame.
var ErrBusy = errors.New("not asked: the rate of calls to this endpoint is used up")

// NewRate returns a bound of so many calls a second; 0 or less is none.
func NewRate(perSecond float64, clock Clock) *Rate {
	if perSecond <= 0 {
		return nil
	}
	if clock.Now == nil || clock.Sleep == nil {
		clock = Clock{time.Now, chain.Sleep}
	}
	slots := int(min(max(perSecond, 1), UnlimitedRate))
	r := &Rate{
		clock: clock, window: max(time.Duration(float64(slots)/perSecond*float64(time.Second)), time.Second),
		turn: make(chan struct{}, 1), most: slots, slots: slots, free: slots,
		stranger: make(chan time.Time, max(1, min(slots/strangersPart, mostStrangers))),
		limit:    NewLimit(uint64(slots), uint64(slots)), freed: make(chan struct{}, 1),
	}
	for range cap(r.stranger) {
		r.stranger <- time.Time{}
	}
	return r
}

// Most returns the most calls that one request may hold, at most n.
func (r *Rate) Most(n int) int {
	if r == nil {
		return n
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return min(n, r.slots)
}

// Refused records that the endpoint refused a call because of its rate: it gets fewer a second. What it allows is
// learnt, and forgotten slowly (Limit).
func (r *Rate) Refused() {
	if r == nil || r.most >= UnlimitedRate {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := r.clock.Now(); !now.Before(r.quiet) {
		r.quiet = now.Add(r.window)
		r.limit.Refuse(uint64(r.slots), 0, now)
		r.resize()
	}
}

// Learnt returns how many calls a second the endpoint was found to allow, if that is less than is configured.
func (r *Rate) Learnt() (calls int, found bool) {
	if r == nil {
		return 0, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.slots, r.slots < r.most
}

// resize makes the slots as many as the limit allows.
func (r *Rate) resize() {
	n := int(r.limit.Size()) //nolint:gosec // at most as many as are configured
	r.free += n - r.slots
	r.slots = n
}

// Begin waits until a request of so many calls, at most Most, may be sent. answered must be called when its answer is
// there, or will not come. It fails with ErrBusy and the error of ctx when that ends before. Strangers wait for each
// other (chain.AsStranger).
func (r *Rate) Begin(ctx context.Context, calls int) (answered func(), err error) {
	if r == nil {
		return func() {}, nil
	}
	if calls > r.most {
		return nil, fmt.Errorf("%d calls in one request at a rate of %d", calls, r.most)
	}
	if !chain.OfStranger(ctx) {
		return r.begin(ctx, calls)
	}
	var free time.Time
	select {
	case free = <-r.stranger:
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", ErrBusy, ctx.Err())
	}
	if wait := free.Sub(r.clock.Now()); wait > 0 {
		err = r.clock.Sleep(ctx, wait)
	}
	var done func()
	if err == nil {
		done, err = r.begin(ctx, calls)
	}
	if err != nil {
		r.stranger <- free
		return nil, fmt.Errorf("%w: %w", ErrBusy, err)
	}
	return sync.OnceFunc(func() {
		done()
		r.stranger <- r.clock.Now().Add(r.window)
	}), nil
}

func (r *Rate) begin(ctx context.Context, calls int) (answered func(), err error) {
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", ErrBusy, ctx.Err())
	}
	for {
		taken, wait, known := r.take(calls)
		switch {
		case taken > 0:
			return sync.OnceFunc(func() { r.giveBack(taken) }), nil
		case known:
			err = r.clock.Sleep(ctx, wait)
		default:
			err = r.awaitAnswer(ctx)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrBusy, err)
		}
	}
}

// take takes the slots if they are free, and otherwise returns after how long they will be; known is false while too
// many of them wait for an answer. All of them are enough for calls that were put together before there were fewer.
func (r *Rate) take(calls int) (taken int, wait time.Duration, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock.Now()
	for len(r.rests) > 0 && !r.rests[0].After(now) {
		r.rests = r.rests[1:]
		r.free++
	}
	calls = min(calls, r.slots)
	if calls > r.free && !now.Before(r.quiet) {
		r.limit.Accept(uint64(r.slots), now) // a second in which all were used, and none was refused
		r.resize()
	}
	missing := calls - r.free
	switch {
	case missing <= 0:
		r.free -= calls
		return calls, 0, true
	case missing <= len(r.rests):
		return 0, r.rests[missing-1].Sub(now), true
	}
	return 0, 0, false
}

func (r *Rate) giveBack(calls int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.clock.Now().Add(r.window)
	for range calls {
		r.rests = append(r.rests, at)
	}
	select {
	case r.freed <- struct{}{}:
	default:
	}
}

// awaitAnswer waits until a call has its answer.
func (r *Rate) awaitAnswer(ctx context.Context) error {
	select {
	case <-r.freed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
