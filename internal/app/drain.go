package app

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/webhook"
)

const (
	// requestsWithin bounds the requests in progress after the server has stopped to accept connections.
	requestsWithin = 10 * time.Second
	// loopsWithin bounds what the loops still write when everything else has ended.
	loopsWithin = 5 * time.Second
)

// StopWithin bounds an ordered stop, from the signal to the end of the process, for a FLORIN_DRAIN_WAIT: balancers
// notice while deliveries end, then requests end, then the loops, then the last traces are exported. What stops the
// process by force (TimeoutStopSec, terminationGracePeriodSeconds, stop_grace_period) must allow at least as much.
func StopWithin(drainWait time.Duration) time.Duration {
	return max(drainWait, webhook.StopWithin) + requestsWithin + loopsWithin + traceWithin
}

// drain returns when the server may stop: ctx has ended, balancers had FLORIN_DRAIN_WAIT to notice that it is not
// ready, and the deliveries in progress have ended. All that time requests are served. If working ends, a loop has
// failed, and it returns at once.
func (a *App) drain(ctx, working context.Context, stopDelivering func(), delivered <-chan struct{}) {
	select {
	case <-working.Done():
		return
	case <-ctx.Done():
	}
	a.server.Drain()
	a.recharge.StopWaiting()
	stopDelivering()
	a.log.Info("florin stops: it serves until balancers have noticed and deliveries have ended; "+
		"a second signal ends it at once", "wait", a.Config.DrainWait, "within", StopWithin(a.Config.DrainWait))
	noticed := time.NewTimer(a.Config.DrainWait)
	defer noticed.Stop()
	select {
	case <-working.Done():
	case <-noticed.C:
	}
	select {
	case <-working.Done():
	case <-delivered:
	}
}

// traceWithin bounds the export of the last spans, which a collector that does not answer must not hold up.
const traceWithin = 2 * time.Second

// closeTrace exports the last spans.
func (a *App) closeTrace(ctx context.Context) {
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), traceWithin)
	defer cancel()
	if err := a.trace.Close(end); err != nil {
		a.log.Warn("the last traces were not exported", "error", err)
	}
}
