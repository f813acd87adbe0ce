package db

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// TestCoalescer: those who ask while a read runs are answered by the next one, and
// by one alone.
func TestCoalescer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewCoalescer[string, int]()
		var stored, reads atomic.Int64
		go1 := make(chan struct{})
		read := func(context.Context) (int, error) {
			v := stored.Load()
			if reads.Add(1) == 1 {
				<-go1
			}
			return int(v), nil
		}
		var all sync.WaitGroup
		all.Go(func() {
			if v, err := s.Get(t.Context(), "k", read); v != 0 || err != nil {
				t.Errorf("the first reads %d, %v", v, err)
			}
		})
		synctest.Wait()
		stored.Store(1)
		for range 50 {
			all.Go(func() {
				if v, err := s.Get(t.Context(), "k", read); v != 1 || err != nil {
					t.Errorf("who asked after the change reads %d, %v", v, err)
				}
			})
		}
		all.Go(func() {
			if v, err := s.Get(t.Context(), "other", read); v != 1 || err != nil {
				t.Errorf("another key waits: %d, %v", v, err)
			}
		})
		synctest.Wait()
		close(go1)
		all.Wait()
		if n := reads.Load(); n != 3 {
			t.Errorf("%d reads for three", n)
		}
		if len(s.last) != 0 {
			t.Errorf("%d reads are kept", len(s.last))
		}
	})
}

// TestCoalescer_LeavingAndFailing: one who leaves takes nothing from the others,
// and a read that fails or panics is an error to all who wait for it.
func TestCoalescer_LeavingAndFailing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewCoalescer[string, int]()
		hold := make(chan struct{})
		first, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			v, err := s.Get(first, "k", func(ctx context.Context) (int, error) {
				<-hold
				return 7, ctx.Err()
			})
			if v != 7 || err != nil {
				t.Errorf("the read ends with who asked for it: %d, %v", v, err)
			}
		})
		synctest.Wait()
		leave()
		broken := errors.New("broken")
		all.Go(func() {
			if _, err := s.Get(t.Context(), "k", func(context.Context) (int, error) {
				return 0, broken
			}); !errors.Is(err,
				broken) {
				t.Errorf("the second gets %v", err)
			}
		})
		synctest.Wait()
		gone, goNow := context.WithCancel(t.Context())
		all.Go(func() {
			if _, err := s.Get(gone, "k", nil); !errors.Is(err, context.Canceled) {
				t.Errorf("who leaves gets %v", err)
			}
		})
		all.Go(func() {
			if _, err := s.Get(t.Context(), "k", nil); !errors.Is(err, broken) {
				t.Errorf("who waits for the second gets %v", err)
			}
		})
		synctest.Wait()
		goNow()
		synctest.Wait()
		close(hold)
		all.Wait()
		func() {
			defer func() { _ = recover() }()
			_, _ = s.Get(t.Context(), "k", func(context.Context) (int, error) { panic("broken") })
		}()
		if len(s.last) != 0 {
			t.Error("a panic leaves the key taken")
		}
	})
}
