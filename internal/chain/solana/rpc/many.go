package rpc

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/florinpay/florin/internal/chain/endpoint"
)

// Limits of calls for many accounts or signatures.
const (
	// StatusesPerCall is the limit of getSignatureStatuses.
	StatusesPerCall = 256
	// SignaturesPerPage is the limit of getSignaturesForAddress.
	SignaturesPerPage = 1_000
	// ParallelCalls is how many calls are made to a node at the same time.
	ParallelCalls = 8
)

// Each calls f for every part of the list, ParallelCalls at a time.
func Each[T any](ctx context.Context, list []T, size int, f func(ctx context.Context, part []T, at int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(ParallelCalls)
	for i := 0; i < len(list); i += size {
		g.Go(func() error { return f(ctx, list[i:min(i+size, len(list))], i) })
	}
	return g.Wait()
}

// Isolation bounds the calls that are made to find the items for which an endpoint fails.
type Isolation struct {
	mu        sync.Mutex
	failed    int
	succeeded bool
}

const (
	// failingCalls is how many calls may fail before one succeeds: enough to get to the first item of a hundred.
	failingCalls = 12
	// isolatingCalls is how many more there may be then.
	isolatingCalls = 64
)

// Isolated calls f for all items and, where that fails, for ever smaller parts of them, so that an item for which the
// node fails does not keep the others from being read. one handles such an item. f may be called concurrently.
func Isolated[T any](
	ctx context.Context, i *Isolation, items []T, f func(context.Context, []T) error, one func(T, error) error,
) error {
	err := f(ctx, items)
	switch more := i.count(err == nil); {
	case err == nil:
		return nil
	case !more && ctx.Err() == nil:
		return i.whole(err)
	case ctx.Err() != nil, !endpoint.IsItem(err) && !errors.Is(err, ErrMalformed):
		return err
	case len(items) == 1:
		i.mu.Lock()
		defer i.mu.Unlock()
		return one(items[0], err)
	case errors.Is(err, context.DeadlineExceeded): // halves would take the time of one call each, one after the other
		size := 1
		if len(items) > AccountsPerCall {
			size = AccountsPerCall
		}
		return Each(ctx, items, size, func(ctx context.Context, part []T, _ int) error {
			return Isolated(ctx, i, part, f, one)
		})
	}
	half := len(items) / 2
	if err := Isolated(ctx, i, items[:half], f, one); err != nil {
		return err
	}
	return Isolated(ctx, i, items[half:], f, one)
}

// whole returns the failure as that of the node, where it has answered for no item.
func (i *Isolation) whole(err error) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if item, some := errors.AsType[endpoint.Item](err); some && !i.succeeded {
		return item.Err
	}
	return err
}

// count counts a call and reports whether there may be more.
func (i *Isolation) count(succeeded bool) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.succeeded = i.succeeded || succeeded
	if !succeeded {
		i.failed++
	}
	return i.failed < failingCalls || i.succeeded && i.failed < isolatingCalls
}
