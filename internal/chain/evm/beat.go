package evm

import (
	"context"
	"errors"
	"sync"
	"time"
)

// How often the endpoints are asked how far they are, and how long that may
// take. Without it an endpoint that stopped moving would stay the preferred
// one: it answers, and nothing it says is wrong.
const (
	beatEvery   = 5 * time.Second
	beatTimeout = 2 * time.Second
)

// beat has every endpoint that is not cooling down tell its newest block, if
// it is time. With one endpoint there is nothing to choose.
func (p *pool) beat(ctx context.Context) {
	p.beating.Lock()
	defer p.beating.Unlock()
	now := p.now()
	if len(p.endpoints) < 2 || now.Before(p.nextBeat) {
		return
	}
	p.nextBeat = now.Add(beatEvery)
	var all sync.WaitGroup
	for _, e := range p.ready() {
		all.Go(func() { p.pulse(ctx, e) })
	}
	all.Wait()
}

// pulse asks one endpoint. One that takes too long is left alone for a while
// like one that fails.
func (p *pool) pulse(ctx context.Context, e *endpoint) {
	short, cancel := context.WithTimeout(ctx, beatTimeout)
	defer cancel()
	err := p.try(short, e, func(ctx context.Context, e *endpoint) error {
		results, err := e.results(ctx, call{method: "eth_blockNumber"})
		if err != nil {
			return err
		}
		number, ok := parseText(results[0])
		if !ok {
			return malformed("eth_blockNumber")
		}
		e.sawHead(number)
		return nil
	})
	if err != nil && short.Err() != nil && ctx.Err() == nil {
		e.failed(errors.New("does not answer"))
	}
}

// farthest returns the number of the newest block any endpoint has shown.
func (p *pool) farthest() uint64 {
	var best uint64
	for _, e := range p.endpoints {
		best = max(best, e.health().Head)
	}
	return best
}
