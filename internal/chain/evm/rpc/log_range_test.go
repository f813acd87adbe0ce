package rpc

import (
	"testing"
	"time"
)

// For any limit of a provider, the span approaches it within a few requests, rarely
// exceeds it, and follows when the limit changes.
func TestSpan_FindsTheLimit(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	for _, limit := range []uint64{1, 2, 5, 10, 17, 999, 1_000, 2_000, 5_000, 9_999, 10_000, 1_000_000} {
		s := newLogRange()
		refusals := 0
		for range 40 {
			if s.size == 0 || s.size > maxSpan {
				t.Fatalf("limit %d: %d blocks", limit, s.size)
			}
			if s.size <= limit {
				s.grow(s.size, 1_000, now)
			} else if s.shrink(s.size, now); true {
				refusals++
			}
		}
		if best := min(limit, maxSpan); s.size > best || s.size*5 < best*4 {
			t.Errorf("limit %d: settled at %d blocks", limit, s.size)
		}
		if refusals > 25 {
			t.Errorf("limit %d: refused %d of 40 times", limit, refusals)
		}
		later := now.Add(ceilingTTL + time.Second) // the operator has changed the plan
		for range 20 {
			s.grow(s.size, 1_000, later)
		}
		if s.size != maxSpan {
			t.Errorf("limit %d lifted: %d blocks", limit, s.size)
		}
	}
}

// Answers stay near the size that is wanted, and do not grow past it.
func TestSpan_AnswerSize(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	const perBlock = 100_000 // bytes of logs
	s := newLogRange()
	for range 30 {
		s.grow(s.size, int(s.size)*perBlock, now)
	}
	if bytes := int(s.size) * perBlock; bytes > wantedAnswer || bytes < wantedAnswer/4 {
		t.Errorf("settled at answers of %d bytes, wanted are %d", bytes, wantedAnswer)
	}
	if one := (&logRange{size: 1, ceiling: 2}); one.shrink(1, now) {
		t.Error("less than one block was found")
	}
}

// A short range at the head proves nothing about the provider's limit.
func TestSpan_ShortRange(t *testing.T) {
	t.Parallel()
	s := newLogRange()
	for range 100 {
		s.grow(3, 100, time.Time{})
	}
	if s.size != firstSpan {
		t.Errorf("after short ranges %d blocks", s.size)
	}
}
