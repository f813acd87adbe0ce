package main

import (
	"time"

	"github.com/florinpay/florin/internal/payment/watch"
)

// quietStep is the shortest time between two steps while no payer waits, and the time between two runs of the expirer.
// The server looks every second; what is due then comes minutes apart, so no call is made that these steps leave out.
const quietStep = 10 * time.Second

// shortest keeps the simulated time moving.
const shortest = 10 * time.Millisecond

// step lets a network's watcher do what is due, and plans the next time. What was planned before is void: a step that
// was woken has overtaken it.
func (w *world) step(x *network) error {
	x.steps++
	number := x.steps
	pause := max(x.watcher.ReadDue(w.ctx), shortest)
	if x.watcher.Level() < watch.Attended {
		pause = max(pause, quietStep)
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
	w.after(quietStep, w.expire)
	if err := w.expirer.RunOnce(w.ctx); !w.week { // in a week endpoints fail
		return err
	}
	return nil
}
