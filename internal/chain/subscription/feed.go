// Package subscription listens to an endpoint that pushes money to our addresses over a WebSocket (RFC 6455), with
// JSON-RPC 2.0 on it: eth_subscribe on EVM networks, accountSubscribe on Solana.
//
// Its invariant: a push is never believed. It only makes the network be read sooner, through the ordinary endpoints,
// and whatever the subscription withholds, invents or drops costs time alone: while it is not live the network is read
// at the pace it has without one.
package subscription

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/endpoint"
)

// Call is a subscription that an endpoint is asked for.
type Call struct {
	Subscribe, Unsubscribe string // methods
	Params                 []any
}

// Protocol says how the endpoints of a network are subscribed to.
type Protocol struct {
	// Heads subscribes to the newest blocks: as long as they come, the endpoint is alive.
	Heads Call
	// Money returns the subscriptions for money to the addresses; all is false if they would be too many, so that some
	// addresses are left out.
	Money func(*chain.WatchSet) (calls []Call, all bool)
	// News reports whether what was pushed for one of Money may be money to one of the addresses.
	News func(result json.RawMessage, watch *chain.WatchSet) bool
}

// Config says which endpoints to listen to, and for what.
type Config struct {
	Endpoints []string // ws or wss addresses, in order of preference; they may hold credentials, which are never shown
	Protocol  Protocol
	// News is called when money was pushed, and Head when a new block was; nil: nothing is. They must not block.
	News, Head func()
	// EveryHead keeps up the connection whatever is watched, and has every block pushed and no money: on a node of
	// one's own, where a push costs nothing and everything is read after each block.
	EveryHead bool
	// Count is called with the endpoint's name and the method of every call and every push; nil: nothing is.
	Count func(endpoint, method string)
	Log   *slog.Logger
}

// Pauses before the next attempt, which double from the first to the last.
const (
	firstPause = time.Second
	lastPause  = 2 * time.Minute
	// floodPause is the longest pause after an endpoint pushed too much, or a stranger paid it to.
	floodPause = time.Hour
	// steady is after how long a session counts as a success.
	steady = time.Minute
)

// Feed is the subscription to one network. It listens to one endpoint at a time, and only while there are addresses to
// watch.
type Feed struct {
	protocol  Protocol
	endpoints []*source
	news      func()
	head      func()
	everyHead bool
	count     func(endpoint, method string)
	log       *slog.Logger
	changed   chan struct{}

	mu     sync.Mutex
	wanted *chain.WatchSet
	// session is the present connection; nil: there is none.
	session *session
}

// source is an endpoint with what is known of it.
type source struct {
	url      endpoint.URL
	failures int       // in a row
	until    time.Time // it is left alone until then
}

// New returns the feed of the endpoints. It makes no connection. It fails for a malformed address.
func New(c Config) (*Feed, error) {
	f := &Feed{
		protocol: c.Protocol, news: c.News, head: c.Head, everyHead: c.EveryHead, count: c.Count, log: c.Log,
		changed: make(chan struct{}, 1),
	}
	if f.head == nil {
		f.head = func() {}
	}
	if f.everyHead {
		f.wanted = chain.NewWatchSet(0)
		f.protocol.Money = func(*chain.WatchSet) ([]Call, bool) { return nil, false }
	}
	if f.count == nil {
		f.count = func(string, string) {}
	}
	for _, raw := range c.Endpoints {
		u, err := endpoint.ParseSocket(raw)
		if err != nil {
			return nil, err
		}
		f.endpoints = append(f.endpoints, &source{url: u})
	}
	return f, nil
}

// Watch says for which addresses money is to be pushed; none ends the connection. The set must not change any more. It
// does not block.
func (f *Feed) Watch(set *chain.WatchSet) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.wanted == set {
		return
	}
	f.wanted = set
	f.signal()
}

// Live reports whether money to every one of the addresses would be pushed, as far as is known.
func (f *Feed) Live(set *chain.WatchSet) bool {
	f.mu.Lock()
	s, same := f.session, f.wanted == set
	f.mu.Unlock()
	return s != nil && same && s.live(set)
}

// Status says in words for the operator what the feed does.
func (f *Feed) Status() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.session != nil && f.session.ready():
		return "subscribed at " + f.session.name
	case f.unwanted():
		return "no subscription is needed now"
	}
	return "no subscription; the network is read by polling"
}

func (f *Feed) signal() {
	select {
	case f.changed <- struct{}{}:
	default:
	}
}

// want returns the addresses to watch; nil: none.
func (f *Feed) want() *chain.WatchSet {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.unwanted() {
		return nil
	}
	return f.wanted
}

// unwanted reports whether no connection is needed; the caller holds the lock.
func (f *Feed) unwanted() bool { return !f.everyHead && (f.wanted == nil || f.wanted.Len() == 0) }

// Run keeps the subscription until ctx ends.
func (f *Feed) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		if f.want() == nil {
			f.wait(ctx, time.Hour)
			continue
		}
		e, pause := f.choose(time.Now())
		if pause > 0 {
			_ = chain.Sleep(ctx, pause)
			continue
		}
		began := time.Now()
		err := f.listen(ctx, e)
		switch {
		case ctx.Err() != nil, err == nil:
		default:
			f.failed(e, err, time.Since(began))
		}
	}
	return nil
}

// choose returns the first endpoint that is not left alone, or after how long there is one.
func (f *Feed) choose(now time.Time) (e *source, pause time.Duration) {
	pause = lastPause
	for _, e := range f.endpoints {
		if !now.Before(e.until) {
			return e, 0
		}
		pause = min(pause, e.until.Sub(now))
	}
	return nil, pause
}

// failed leaves the endpoint alone for a while, longer each time. It is logged once.
func (f *Feed) failed(e *source, err error, lasted time.Duration) {
	if lasted > steady {
		e.failures = 0
	}
	e.failures++
	pause := min(firstPause<<min(e.failures-1, 10), lastPause)
	if errors.Is(err, errFlood) {
		pause = min(lastPause<<min(e.failures-1, 5), floodPause)
	}
	pause += rand.N(pause / 4) //nolint:gosec // many installations must not come back at once
	e.until = time.Now().Add(pause)
	level := slog.LevelDebug
	if e.failures == 1 {
		level = slog.LevelWarn
	}
	f.log.Log(context.Background(), level, "a subscription ended; the network is read by polling meanwhile",
		"endpoint", e.url.Host(), "error", err)
}

// wait returns when something has changed, or after d.
func (f *Feed) wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-f.changed:
	case <-timer.C:
	}
}
