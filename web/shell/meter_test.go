package shell

import (
	"strconv"
	"testing"
	"time"
)

func TestMeter(t *testing.T) {
	t.Parallel()
	m := newMeter(Rate{PerSecond: 2, Burst: 3})
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	for i := range 3 {
		if wait := m.take("a", now); wait != 0 {
			t.Fatalf("number %d has to wait %v", i, wait)
		}
	}
	if wait := m.take("a", now); wait != 500*time.Millisecond {
		t.Errorf("the fourth waits %v, want 500ms", wait)
	}
	if wait := m.take("b", now); wait != 0 {
		t.Errorf("another name waits %v", wait)
	}
	if wait := m.take("a", now.Add(500*time.Millisecond)); wait != 0 {
		t.Errorf("after the time, it still waits %v", wait)
	}
	if wait := m.take("a", now.Add(time.Hour)); wait != 0 {
		t.Errorf("after an hour it waits %v", wait)
	}
}

func TestMeterStaysSmall(t *testing.T) {
	t.Parallel()
	m := newMeter(Rate{PerSecond: 1, Burst: 1})
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	for i := range 200_000 {
		m.take(strconv.Itoa(i), now)
	}
	total := 0
	for i := range m.shards {
		total += len(m.shards[i].whole)
	}
	if total > meterShards*maxShardNames {
		t.Errorf("%d names are kept", total)
	}
}
