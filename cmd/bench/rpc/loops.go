package main

import (
	"time"

	"github.com/florinpay/florin/internal/payment/watch"
)

// expireEvery is how often the expirer runs.
const expireEvery = time.Second

// weekStep is the shortest time between two steps and two expiries where a week is simulated and no payer waits.
const weekStep = 10 * time.Second

// shortest keeps the simulated time moving.
const shortest = 10 * time.Millisecond

// step lets a network's watcher do what is due, and plans the next time. What was planned before is void: a step that
// was woken has overtaken it.
func (w *world) step(x *network) error {
	x.steps++
	number := x.steps
	pause := max(x.watcher.ReadDue(w.ctx), shortest)
	if w.week && x.watcher.Level() < watch.Attended {
		pause = max(pause, weekStep)
	}
	w.after(pause, func() error {
		if number != x.steps {
			return nil
		}
		return w.step(x)
	})
	return w.measure(x)
}

// wake makes the watcher of a network look at once.
func (w *world) wake(x *network) { w.after(shortest, func() error { return w.step(x) }) }

func (w *world) expire() error {
	if w.week {
		w.after(weekStep, w.expire)
		_ = w.expirer.RunOnce(w.ctx) // it fails while endpoints do
		return nil
	}
	w.after(expireEvery, w.expire)
	return w.expirer.RunOnce(w.ctx)
}
