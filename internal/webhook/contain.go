package webhook

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

// nextDue calls the store; a panic in it is returned as an error.
func (f *inFlight) nextDue(ctx context.Context, now time.Time) (at time.Time, ok bool, err error) {
	defer contain(&err)
	return f.d.Store.NextDue(ctx, now)
}

// contain turns a panic into an error.
func contain(err *error) {
	if v := recover(); v != nil {
		*err = panicked(v)
	}
}

// panicked describes the value of a panic. The value itself is shown only if it
// is an error of the runtime: any other may hold secrets.
func panicked(v any) error {
	if e, ok := v.(runtime.Error); ok {
		return fmt.Errorf("panic: %w", e)
	}
	return fmt.Errorf("panic: a value of type %T", v)
}
