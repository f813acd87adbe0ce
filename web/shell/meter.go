package shell

import (
	"hash/maphash"
	"sync"
	"time"
)

// Sizes of a meter. A full shard first drops names with a whole allowance, and
// then any: an attack from that many addresses is for a firewall to stop, and must
// not fill the memory.
const (
	meterShards   = 16
	maxShardNames = 4_096 // 64 Ki names, about 6 MB, when full
)

// meter allows each name a rate, by the generic cell rate algorithm: it keeps for
// each the time at which its allowance is whole again.
type meter struct {
	every  time.Duration // one more is allowed after it
	burst  time.Duration // how far ahead of now the time may be
	seed   maphash.Seed
	shards [meterShards]meterShard
}

type meterShard struct {
	mu    sync.Mutex
	whole map[string]time.Time
}

func newMeter(r Rate) *meter {
	every := time.Duration(float64(time.Second) / r.PerSecond)
	m := &meter{every: every, burst: every * time.Duration(r.Burst), seed: maphash.MakeSeed()}
	for i := range m.shards {
		m.shards[i].whole = make(map[string]time.Time)
	}
	return m
}

// take counts one and returns 0, or counts nothing and returns how long to wait.
func (m *meter) take(name string, now time.Time) time.Duration {
	s := &m.shards[maphash.String(m.seed, name)%meterShards]
	s.mu.Lock()
	defer s.mu.Unlock()
	whole, known := s.whole[name]
	if whole.Before(now) {
		whole = now
	}
	next := whole.Add(m.every)
	if wait := next.Sub(now) - m.burst; wait > 0 {
		return wait
	}
	if !known && len(s.whole) >= maxShardNames {
		s.makeRoom(now)
	}
	s.whole[name] = next
	return 0
}

func (s *meterShard) makeRoom(now time.Time) {
	for name, whole := range s.whole {
		if whole.Before(now) {
			delete(s.whole, name)
		}
	}
	for name := range s.whole {
		if len(s.whole) < maxShardNames*3/4 {
			return
		}
		delete(s.whole, name)
	}
}
