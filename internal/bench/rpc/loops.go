package main

import (
	"time"

	"github.com/florinpay/florin/internal/payment/watch"
)

// expireEvery is how often the expirer runs.
const expireEvery = time.Second

// round runs one round of a network's watcher, and plans the next.
func (w *world) round(x *network) error {
	x.rounds++
	if err := x.watcher.RunOnce(w.ctx); err != nil {
		return err
	}
	w.after(watch.PollEvery, func() error { return w.round(x) })
	return w.measure(x)
}

func (w *world) expire() error {
	w.after(expireEvery, w.expire)
	return w.expirer.RunOnce(w.ctx)
}
