package app

import (
	"context"
	"time"
)

// requestsWithin bounds the requests in progress after the server has stopped to accept connections. With the longest
// delivery before it, a server ends within the 30 s that systemd and Kubernetes allow, unless FLORIN_DRAIN_WAIT is
// longer.
const requestsWithin = 10 * time.Second

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
		"a second signal ends it at once", "wait", a.Config.DrainWait)
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
