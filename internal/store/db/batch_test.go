package db

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// What arrives while a batch runs forms one batch, not one for each worker; a batch that is slow does not hold it up.
func TestBatcher_Turns(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		first time.Duration // how long the first batch takes
		want  time.Duration // when the second begins
	}{
		"fast": {slowBatch / 2, slowBatch / 2},
		"slow": {slowBatch * 10, slowBatch},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				var mu sync.Mutex
				var sizes []int
				var at []time.Duration
				b := NewBatcher(func(_ context.Context, ops []int) error {
					mu.Lock()
					sizes, at = append(sizes, len(ops)), append(at, time.Since(begun))
					mu.Unlock()
					if ops[0] == 0 {
						time.Sleep(test.first)
					}
					return nil
				})
				defer b.Close()
				var all sync.WaitGroup
				for i := range 6 {
					all.Go(func() {
						if err := b.Do(t.Context(), i); err != nil {
							t.Error(err)
						}
					})
					synctest.Wait() // the first one runs before the others come
				}
				all.Wait()
				if !slices.Equal(sizes, []int{1, 5}) || at[1] != test.want {
					t.Errorf("batches of %v at %v, want of [1 5] and the second at %v", sizes, at, test.want)
				}
			})
		})
	}
}
