package rpc

import (
	"testing"
	"time"
)

// TestEndpoint_LogsAccepted: ranges grow while answers are small, stay where they are as large as is aimed for, and
// shrink where they are larger; a refused size is not asked for again until its rest is over.
func TestEndpoint_LogsAccepted(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	fresh := func() *Endpoint { return newEndpoint(&wire{now: func() time.Time { return now }}, 1, nil) }
	blocks := func(e *Endpoint) uint64 {
		n, _ := e.LogLimits()
		return n
	}
	for name, c := range map[string]struct {
		bytes int
		want  uint64
	}{
		"Small":  {wantedAnswer / 2, 2 * firstSpan},
		"Wanted": {wantedAnswer, firstSpan},
		"Large":  {wantedAnswer + 1, firstSpan / 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := fresh()
			e.LogsAccepted(firstSpan, 0, c.bytes)
			if got := blocks(e); got != c.want {
				t.Errorf("after an answer of %d bytes it asks for %d blocks, want %d", c.bytes, got, c.want)
			}
		})
	}
	t.Run("NeverMoreThanTheMost", func(t *testing.T) {
		t.Parallel()
		e := fresh()
		for range 20 {
			e.LogsAccepted(blocks(e), 0, 0)
		}
		if got := blocks(e); got != maxSpan {
			t.Errorf("it asks for %d blocks, want %d", got, maxSpan)
		}
	})
	t.Run("OneBlockIsTheLeast", func(t *testing.T) {
		t.Parallel()
		e := fresh()
		for range 20 {
			e.LogsAccepted(blocks(e), 0, wantedAnswer+1)
		}
		if got := blocks(e); got != 1 {
			t.Errorf("it asks for %d blocks, want 1", got)
		}
	})
	t.Run("Refused", func(t *testing.T) {
		t.Parallel()
		e := fresh()
		if !e.ReduceBlocks(firstSpan, 10) {
			t.Fatal("it gives up")
		}
		for range 20 {
			e.LogsAccepted(blocks(e), 0, 0)
		}
		if got := blocks(e); got != 10 {
			t.Errorf("the endpoint allows 10 blocks, and is asked for %d", got)
		}
	})
	t.Run("Recipients", func(t *testing.T) {
		t.Parallel()
		e := fresh()
		if !e.ReduceTopics(maxTopicAddresses) {
			t.Fatal("it gives up")
		}
		e.LogsAccepted(10, 5, 0)
		if _, got := e.LogLimits(); got != maxTopicAddresses/2 {
			t.Errorf("it names %d recipients, want %d", got, maxTopicAddresses/2)
		}
	})
}
