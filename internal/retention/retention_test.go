package retention_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/florinpay/florin/internal/retention"
)

// A part is dropped batch by batch from where the last one ended, with a pause after each; what is kept for ever is not
// asked for.
func TestRun(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)
	policy := retention.Policy{Events: 48 * time.Hour, Sessions: time.Hour}
	type call struct {
		part   retention.Part
		before time.Time
		after  int64
	}
	var calls []call
	drop := func(_ context.Context, part retention.Part, before time.Time, after int64) (retention.Batch, error) {
		calls = append(calls, call{part, before, after})
		if part == retention.Events && after < 20 {
			return retention.Batch{Dropped: 3, Through: after + 10}, nil
		}
		return retention.Batch{Done: true}, nil
	}
	pauses := 0
	pause := func(context.Context, time.Duration) error { pauses++; return nil }
	dropped, err := retention.Run(t.Context(), drop, policy, func() time.Time { return now }, pause)
	events, sessions := now.Add(-48*time.Hour), now.Add(-time.Hour)
	want := []call{
		{retention.Events, events, 0},
		{retention.Events, events, 10},
		{retention.Events, events, 20},
		{retention.Sessions, sessions, 0},
	}
	if len(calls) != len(want) {
		t.Fatalf("batches %v, want %v", calls, want)
	}
	for i := range want {
		if calls[i] != want[i] {
			t.Errorf("batch %d is %v, want %v", i, calls[i], want[i])
		}
	}
	if err != nil || pauses != len(want) || len(dropped) != 1 || dropped[retention.Events] != 6 {
		t.Errorf("dropped %v with %d pauses: %v", dropped, pauses, err)
	}
}

// What was dropped before a failure is reported, and the failure names the part.
func TestRun_Fails(t *testing.T) {
	t.Parallel()
	broken := errors.New("no disk")
	drop := func(_ context.Context, _ retention.Part, _ time.Time, after int64) (retention.Batch, error) {
		if after > 0 {
			return retention.Batch{}, broken
		}
		return retention.Batch{Dropped: 1, Through: 1}, nil
	}
	pause := func(context.Context, time.Duration) error { return nil }
	dropped, err := retention.Run(t.Context(), drop, retention.Policy{Audit: time.Hour}, time.Now, pause)
	if !errors.Is(err, broken) || err.Error() != "drop audit entries: no disk" || dropped[retention.Audit] != 1 {
		t.Errorf("dropped %v: %v", dropped, err)
	}
}

// A part that fails does not keep the others from being dropped, and a stop does.
func TestRun_GoesOn(t *testing.T) {
	t.Parallel()
	broken := errors.New("no disk")
	policy := retention.Policy{Attempts: time.Hour, Events: time.Hour, Sessions: time.Hour}
	drop := func(_ context.Context, part retention.Part, _ time.Time, _ int64) (retention.Batch, error) {
		if part == retention.Attempts {
			return retention.Batch{}, broken
		}
		return retention.Batch{Dropped: 1, Done: true}, nil
	}
	ctx, stop := context.WithCancel(t.Context())
	pause := func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	dropped, err := retention.Run(ctx, drop, policy, time.Now, pause)
	if !errors.Is(err, broken) || dropped[retention.Events] != 1 || dropped[retention.Sessions] != 1 {
		t.Errorf("dropped %v: %v", dropped, err)
	}
	pause = func(ctx context.Context, _ time.Duration) error { stop(); return ctx.Err() }
	dropped, err = retention.Run(ctx, drop, policy, time.Now, pause)
	if !errors.Is(err, context.Canceled) || len(dropped) != 1 {
		t.Errorf("after a stop dropped %v: %v", dropped, err)
	}
}

// The database is left alone for nine times as long as a batch took, and a stop does not wait for that.
func TestPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if err := retention.Pause(t.Context(), time.Second); err != nil || time.Since(began) != 9*time.Second {
			t.Errorf("paused for %v: %v", time.Since(began), err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := retention.Pause(ctx, time.Hour); !errors.Is(err, context.Canceled) {
			t.Errorf("a stop gives %v", err)
		}
	})
}
