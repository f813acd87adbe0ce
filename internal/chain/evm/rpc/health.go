package rpc

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain/endpoint"
)

// Interval and timeout of the health check. Without it, an endpoint that no
// longer follows the chain would stay the preferred one: its answers are valid,
// only old.
const (
	healthEvery  = 5 * time.Second
	probeTimeout = 2 * time.Second
)

// CheckHealth reads the newest block of every endpoint that is not cooling down,
// except healthy ones among the first, of which the caller is about to ask for it, at
// most once in healthEvery. One that has answered since is not asked, and a single endpoint is
// not checked, because there is nothing to choose.
func (p *Pool) CheckHealth(ctx context.Context, except int) {
	p.checking.Lock()
	defer p.checking.Unlock()
	now := p.now()
	if len(p.endpoints) < 2 || now.Before(p.nextCheck) {
		return
	}
	p.nextCheck = now.Add(healthEvery)
	var all sync.WaitGroup
	for i, e := range p.Ready() {
		if i < except && e.health().Healthy || e.HeadSince(now.Add(-healthEvery)) {
			continue
		}
		all.Go(func() { p.probe(ctx, e) })
	}
	all.Wait()
}

// probe reads the newest block of one endpoint. One that takes too long cools
// down like one that fails.
func (p *Pool) probe(ctx context.Context, e *Endpoint) {
	short, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	err := p.Try(short, e, func(ctx context.Context, e *Endpoint) error {
		results, err := e.Results(ctx, NewCall("eth_blockNumber"))
		if err != nil {
			return err
		}
		number, ok := ParseNumber(results[0])
		if !ok {
			return Malformed("eth_blockNumber")
		}
		e.RecordHead(number)
		return nil
	})
	if err != nil && short.Err() != nil && ctx.Err() == nil && !errors.Is(err, endpoint.ErrBusy) {
		e.failed(errors.New("does not answer"))
	}
}

// Behind reports whether another endpoint that is in use has reported a much newer
// block than this one.
func (p *Pool) Behind(e *Endpoint) bool {
	own, cooling := e.Standing()
	return !cooling && slices.ContainsFunc(p.Ready(), func(o *Endpoint) bool {
		other, _ := o.Standing()
		return own.Lags(other)
	})
}

// HighestBlock returns the number of the newest block any endpoint has
// reported.
func (p *Pool) HighestBlock() uint64 {
	var best uint64
	for _, e := range p.endpoints {
		best = max(best, e.Height())
	}
	return best
}
