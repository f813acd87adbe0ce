package store

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// Methods in flight share a commit on PostgreSQL as they do on SQLite: those
// that wait while a commit runs go into the next transaction together.
const (
	// committers run side by side, so that one collects while the other waits
	// for the disk.
	committers = 2
	// batchTimeout bounds what several wait for, one transaction of a batch or
	// one shared read: a server that does not answer is an error to them, not a hang.
	batchTimeout = 30 * time.Second
)

// errAlone: the batch failed for the sake of one in it; each runs alone now.
var errAlone = errors.New("the batch failed")

// batcher runs operations of one kind together.
type batcher[T any] struct {
	queue chan *batched[T]
	// run runs the operations in one transaction. An operation's own failure
	// is kept in it; the error is that of the transaction, after which
	// nothing is stored.
	run  func(context.Context, []T) error
	stop chan struct{}
	busy sync.WaitGroup
	once sync.Once
}

// batched is an operation on its way.
type batched[T any] struct {
	op   T
	err  error
	done chan struct{}
}

func newBatcher[T any](run func(context.Context, []T) error) *batcher[T] {
	b := &batcher[T]{queue: make(chan *batched[T]), run: run, stop: make(chan struct{})}
	for range committers {
		b.busy.Go(b.loop)
	}
	return b
}

// do returns when the operation is committed or the transaction has failed.
func (b *batcher[T]) do(ctx context.Context, op T) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	one := &batched[T]{op: op, done: make(chan struct{})}
	select {
	case b.queue <- one:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-b.stop:
		return errClosed
	}
	<-one.done // once it is taken it may be committed, and the caller must know
	return one.err
}

func (b *batcher[T]) loop() {
	for {
		select {
		case one := <-b.queue:
			b.together(b.collect(one))
		case <-b.stop:
			return
		}
	}
}

func (b *batcher[T]) collect(first *batched[T]) []*batched[T] {
	all := []*batched[T]{first}
	for len(all) < maxShared {
		select {
		case one := <-b.queue:
			all = append(all, one)
		default:
			return all
		}
	}
	return all
}

func (b *batcher[T]) together(all []*batched[T]) {
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

// close waits for what is under way.
func (b *batcher[T]) close() {
	b.once.Do(func() { close(b.stop) })
	b.busy.Wait()
}

// panicked carries a panic of a caller's function from where it was run back
// to its caller.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v\n%s", p.value, p.stack) }

// guard runs fn and returns its panic as an error.
func guard(fn func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicked{v, debug.Stack()}
		}
	}()
	return fn()
}

// repanic panics where guard was called for, if fn has panicked.
func repanic(err error) {
	if p, ok := errors.AsType[*panicked](err); ok {
		panic(p)
	}
}
