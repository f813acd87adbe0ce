package db

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// maxBatch is how many operations share one commit at most: with more, the
	// last to arrive would wait for all others without the commit getting
	// cheaper.
	maxBatch = 128
	// batchWorkers are how many batches run at once at most: the second one only while the first is slow.
	batchWorkers = 2
	// slowBatch is when a batch no longer keeps the next one: it waits for a lock, or for a disk that is slow. Until
	// then operations collect, since one batch of twenty costs the server less than two of ten.
	slowBatch = 50 * time.Millisecond
	// batchTimeout bounds what several callers wait for, one batch or one shared
	// read: a server that does not answer is an error to them, not a hang. The transactions in it are bounded by
	// answerWithin.
	batchTimeout = 2 * answerWithin
)

// Batcher runs operations of one kind together: those that wait while a batch
// runs form the next batch.
type Batcher[T any] struct {
	queue chan *batched[T]
	run   func(context.Context, []T) error
	turn  chan struct{} // filled by who collects operations, or runs a batch that is not slow
	stop  chan struct{}
	busy  sync.WaitGroup
	once  sync.Once
}

// batched is an operation in the queue.
type batched[T any] struct {
	op   T
	err  error
	done chan struct{}
}

// NewBatcher returns a batcher that calls run with the operations of a batch.
// run keeps the failure of a single operation in that operation; its error is
// that of the whole batch and is returned to every caller.
func NewBatcher[T any](run func(context.Context, []T) error) *Batcher[T] {
	return newBatcher(batchWorkers, run)
}

func newBatcher[T any](workers int, run func(context.Context, []T) error) *Batcher[T] {
	b := &Batcher[T]{queue: make(chan *batched[T]), run: run, turn: make(chan struct{}, 1), stop: make(chan struct{})}
	for range workers {
		b.busy.Go(b.loop)
	}
	return b
}

// Do returns when the batch of the operation has run. A caller that leaves
// while its operation is in the queue gets the cause of its context; once the
// operation is taken, Do waits for the outcome, since it may be committed.
func (b *Batcher[T]) Do(ctx context.Context, op T) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	one := &batched[T]{op: op, done: make(chan struct{})}
	select {
	case b.queue <- one:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-b.stop:
		return ErrClosed
	}
	<-one.done
	return one.err
}

func (b *Batcher[T]) loop() {
	for {
		select {
		case b.turn <- struct{}{}:
		case <-b.stop:
			return
		}
		select {
		case one := <-b.queue:
			b.inTurn(func() { b.runBatch(b.collect(one)) })
		case <-b.stop:
			return
		}
	}
}

// inTurn calls fn and passes the turn on: when fn has ended, or when it has become slow.
func (b *Batcher[T]) inTurn(fn func()) {
	next := sync.OnceFunc(func() { <-b.turn })
	defer next()
	defer time.AfterFunc(slowBatch, next).Stop()
	fn()
}

// collect returns the operation with those that wait behind it.
func (b *Batcher[T]) collect(first *batched[T]) []*batched[T] {
	all := []*batched[T]{first}
	for len(all) < maxBatch {
		select {
		case one := <-b.queue:
			all = append(all, one)
		default:
			return all
		}
	}
	return all
}

func (b *Batcher[T]) runBatch(all []*batched[T]) {
	ops := make([]T, len(all))
	for i, one := range all {
		ops[i] = one.op
	}
	ctx, cancel := context.WithTimeout(context.Background(), batchTimeout)
	defer cancel()
	err := b.run(ctx, ops)
	for _, one := range all {
		one.err = err
		close(one.done)
	}
}

// Close waits for running batches. Operations still in the queue fail with
// ErrClosed.
func (b *Batcher[T]) Close() {
	b.once.Do(func() { close(b.stop) })
	b.busy.Wait()
}

// panicked carries a panic of a caller's function from the goroutine that ran
// it back to the caller.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v\n%s", p.value, p.stack) }

// Guard runs fn and returns its panic as an error.
func Guard(fn func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicked{v, debug.Stack()}
		}
	}()
	return fn()
}

// Repanic panics if err is a panic that Guard caught.
func Repanic(err error) {
	if p, ok := errors.AsType[*panicked](err); ok {
		panic(p)
	}
}
