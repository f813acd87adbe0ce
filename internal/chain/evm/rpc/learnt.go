package rpc

import (
	"fmt"
)

// Knows reports whether the endpoint knows a block tag, as far as is known.
func (e *Endpoint) Knows(tag string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return !e.unknown.Has(tag, e.now())
}

// DoesNotKnow records that the endpoint does not know a block tag: it is not
// asked for it for a while.
func (e *Endpoint) DoesNotKnow(tag string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.unknown.Add(tag, e.now())
}

// SaysFinal records which block the endpoint calls final by the tag; ok is false if it shows none.
func (e *Endpoint) SaysFinal(tag string, number uint64, ok bool) {
	unsaid := ""
	if !ok {
		unsaid = "does not say which block is " + tag
	}
	e.Health.SaysFinal(number, unsaid)
}

// RequireHistory fails with ErrPruned if the endpoint was found not to have what
// is as old as the block.
func (e *Endpoint) RequireHistory(block uint64) error {
	head := e.Height()
	e.mu.Lock()
	defer e.mu.Unlock()
	if block <= head && !e.history.Has(head-block, e.now()) {
		return fmt.Errorf("%w: block %d", ErrPruned, block)
	}
	return nil
}

// Forgot records that the endpoint does not have what is as old as the block.
func (e *Endpoint) Forgot(block uint64) {
	head := e.Height()
	e.mu.Lock()
	defer e.mu.Unlock()
	if block < head {
		e.history.Refuse(head-block, e.now())
	}
}

// learnt says what was found out about the endpoint; the caller holds the lock.
func (e *Endpoint) learnt() []string {
	var list []string
	add := func(what, one string, n uint64) {
		if n != 1 {
			one += "s"
		}
		list = append(list, fmt.Sprintf("%s: %d %s", what, n, one))
	}
	if n, found := e.blocks.Learnt(); found {
		add("logs", "block", n)
	}
	if n, found := e.topics.Learnt(); found {
		add("filter", "recipient", n)
	}
	if n, found := e.batch.Learnt(); found {
		add("batch", "call", n)
	}
	if n, found := e.rate.Learnt(); found {
		list = append(list, fmt.Sprintf("rate: %d calls a second", n))
	}
	now := e.now()
	for _, tag := range e.unknown.Names(now) {
		list = append(list, "unknown tag: "+tag)
	}
	if n, found := e.history.Learnt(now); found {
		list = append(list, fmt.Sprintf("history: less than %d blocks", n))
	}
	return list
}
