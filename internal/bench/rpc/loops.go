package main

import (
	"time"
)

// expireEvery is how often the expirer runs.
const expireEvery = time.Second

// shortest keeps the simulated time moving.
const shortest = 10 * time.Millisecond

// step lets a network's watcher do what is due, and plans the next time. What was planned before is void: a step that
// was woken has overtaken it.
func (w *world) step(x *network) error {
	x.steps++
	number := x.steps
	pause := max(x.watcher.Step(w.ctx), shortest)
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
	w.after(expireEvery, w.expire)
	return w.expirer.RunOnce(w.ctx)
}
