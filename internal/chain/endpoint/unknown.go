package endpoint

import (
	"maps"
	"slices"
	"time"
)

// Unknown is what an endpoint does not know, such as a block tag. It is asked again after a while.
type Unknown map[string]time.Time

// unknownFor is how long something counts as unknown: asking again costs one call, and not asking for a tag of finality
// holds up what depends on it.
const unknownFor = 10 * time.Minute

// Add records that the endpoint does not know the name.
func (u *Unknown) Add(name string, now time.Time) {
	if *u == nil {
		*u = make(Unknown)
	}
	(*u)[name] = now.Add(unknownFor)
}

// Has reports whether the endpoint does not know the name, as of lately.
func (u Unknown) Has(name string, now time.Time) bool { return now.Before(u[name]) }

// Names lists what the endpoint does not know, in order.
func (u Unknown) Names(now time.Time) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(u)) {
		if u.Has(name, now) {
			names = append(names, name)
		}
	}
	return names
}

// historyFor is how long a depth counts as missing: with one endpoint nothing is read meanwhile.
const historyFor = time.Minute

// History is how far back an endpoint answers, in blocks before its newest one.
type History struct {
	refused uint64 // the smallest depth that it did not have; 0: none
	until   time.Time
}

// Refuse records that the endpoint does not have a block so far back.
func (h *History) Refuse(depth uint64, now time.Time) {
	if h.refused == 0 || depth < h.refused || !now.Before(h.until) {
		h.refused = max(depth, 1)
	}
	h.until = now.Add(historyFor)
}

// Has reports whether the endpoint may have a block so far back.
func (h *History) Has(depth uint64, now time.Time) bool {
	return h.refused == 0 || depth < h.refused || !now.Before(h.until)
}

// Learnt returns a depth that the endpoint does not have, if one is known.
func (h *History) Learnt(now time.Time) (depth uint64, found bool) {
	return h.refused, h.refused > 0 && now.Before(h.until)
}
