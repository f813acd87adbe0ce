package shell

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestBounded: it ends as a context with a deadline does, whether somebody waits for it or not.
func TestBounded(t *testing.T) {
	t.Parallel()
	type key struct{}
	for name, act := range map[string]struct {
		do   func(b *bounded, stop context.CancelFunc)
		want error
	}{
		"Goes on":      {func(*bounded, context.CancelFunc) {}, nil},
		"Ended":        {func(b *bounded, _ context.CancelFunc) { b.end() }, context.Canceled},
		"Parent ended": {func(_ *bounded, stop context.CancelFunc) { stop() }, context.Canceled},
		"Too late":     {func(*bounded, context.CancelFunc) { time.Sleep(time.Second) }, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				parent, stop := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
				defer stop()
				alone, waited := newBounded(parent, time.Second), newBounded(parent, time.Second)
				defer waited.end()
				child, cancel := context.WithCancel(waited)
				defer cancel()
				act.do(alone, stop)
				act.do(waited, stop)
				synctest.Wait()
				for what, ctx := range map[string]context.Context{
					"alone": alone, "waited for": waited, "child": child,
				} {
					if err := ctx.Err(); !errors.Is(err, act.want) {
						t.Errorf("%s: %v, want %v", what, err, act.want)
					}
					if ctx.Value(key{}) != "value" {
						t.Errorf("%s: a value of the parent is lost", what)
					}
					select {
					case <-ctx.Done():
						if act.want == nil {
							t.Errorf("%s has ended", what)
						}
					case <-time.After(time.Millisecond):
						if act.want != nil {
							t.Errorf("%s is not done", what)
						}
					}
				}
			})
		})
	}
}
