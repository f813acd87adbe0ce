package app

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/retention"
)

const (
	// retainEvery is how often it is looked for what has grown too old, by one of the instances.
	retainEvery = time.Hour
	// retainFirst is when a server looks first: it has other things to do when it starts.
	retainFirst = 5 * time.Minute
	// retainLease is the name of the lease.
	retainLease = "retention"
)

// retention drops what is older than it is kept.
func (a *App) retention() loop {
	return loop{
		name: "retention", first: retainFirst, every: retainEvery, within: retainEvery, turn: a.retainOnce,
		failed: "what is older than it is kept was not dropped; it is tried again in an hour",
	}
}

// retainOnce drops what is too old now, unless another instance does.
func (a *App) retainOnce(ctx context.Context) error {
	now := a.clock.Now()
	// The lease ends a moment before the next look of its holder, so that any instance may be next.
	mine, err := a.Store.Lease(ctx, retainLease, a.holder, now, now.Add(retainEvery-time.Minute))
	if err != nil || !mine {
		return err
	}
	dropped, err := retention.Run(ctx, a.Store.Retention().DropBatch, a.Config.Keep, a.clock.Now, retention.Pause)
	if len(dropped) > 0 {
		a.log.Info("dropped what is older than it is kept", "dropped", fmt.Sprint(dropped))
	}
	return err
}
