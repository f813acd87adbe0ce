package main

import (
	"container/heap"
	"time"

	"github.com/florinpay/florin/internal/testkit"
)

// begin is midnight at the beginning of the simulated day.
var begin = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)

// event is something that happens at a time.
type event struct {
	at     time.Time
	number int // events at the same time happen in the order in which they were planned
	do     func() error
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at.Before(e[j].at) || e[i].at.Equal(e[j].at) && e[i].number < e[j].number
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) } //nolint:forcetypeassert // only events are pushed
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// agenda is what will happen.
type agenda struct {
	clock   *testkit.Clock
	planned events
	number  int
}

// plan has something done at a time.
func (a *agenda) plan(at time.Time, do func() error) {
	a.number++
	heap.Push(&a.planned, event{at, a.number, do})
}

// after has something done after a while.
func (a *agenda) after(d time.Duration, do func() error) { a.plan(a.clock.Now().Add(d), do) }

// run lets everything happen that is planned before the time.
func (a *agenda) run(until time.Time) error {
	for len(a.planned) > 0 && a.planned[0].at.Before(until) {
		next := heap.Pop(&a.planned).(event) //nolint:forcetypeassert // only events are pushed
		a.clock.Set(next.at)
		if err := next.do(); err != nil {
			return err
		}
	}
	a.clock.Set(until)
	return nil
}
