package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// Times between faults, and how long one lasts.
const (
	mostQuiet  = 15 * time.Second
	mostOutage = 20 * time.Second
)

// disturb lets faults happen, one after the other, until the time is over.
func (l *lab) disturb(ctx context.Context) {
	rng := l.random(0)
	for {
		pause(ctx, time.Duration(rng.Int64N(int64(mostQuiet))))
		if ctx.Err() != nil {
			return
		}
		if err := l.fault(ctx, rng); err != nil {
			l.fail(err)
			return
		}
	}
}

// fault lets one fault happen and ends it.
func (l *lab) fault(ctx context.Context, rng *rand.Rand) error {
	n, lasts := l.networks[rng.IntN(len(l.networks))], time.Duration(rng.Int64N(int64(mostOutage)))
	switch rng.IntN(6) {
	case 0, 1:
		l.sayf("the program is killed")
		if err := l.program.kill(); err != nil {
			return fmt.Errorf("kill the program: %w", err)
		}
		pause(ctx, lasts/4)
		return l.program.serve(context.WithoutCancel(ctx))
	case 2, 3:
		if n.reorg == nil {
			return nil
		}
		depth := 1 + rng.Uint64N(n.deepest)
		l.sayf("%d blocks of %s are replaced", depth, n.name)
		return n.reorg(depth)
	case 4:
		gates := n.gates[:1+rng.IntN(len(n.gates))]
		l.sayf("%d of %d endpoints of %s fail for %v", len(gates), len(n.gates), n.name, lasts.Round(time.Second))
		for _, g := range gates {
			g.shut.Store(true)
			defer g.shut.Store(false)
		}
	default:
		l.sayf("the receiver of webhooks fails for %v", lasts.Round(time.Second))
		l.busy.Store(true)
		defer l.busy.Store(false)
	}
	pause(ctx, lasts)
	return nil
}
