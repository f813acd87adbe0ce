package endpoint

import "time"

// Limit is how much an endpoint takes at once of one thing: blocks of a query, calls of a batch, addresses of a filter.
// Providers differ, hardly say, and change it. It is learned from refusals and acceptances, and forgotten slowly: after
// a while something larger is tried, ever more rarely where that is refused again. Its methods are pure but for the
// value itself; times come in.
type Limit struct {
	size    uint64 // to ask for now
	most    uint64 // no more is ever asked for
	refused uint64 // the smallest size that was refused; 0: none
	taken   uint64 // the largest size below refused that was accepted; 0: none
	until   time.Time
	rest    time.Duration
}

// A refused size is tried again after firstRest; each time it is refused again, the rest doubles up to lastRest.
const (
	firstRest = 10 * time.Minute
	lastRest  = 6 * time.Hour
)

// NewLimit returns a limit of which nothing is known yet: first is asked for, and never more than most.
func NewLimit(first, most uint64) Limit { return Limit{size: first, most: most} }

// Size returns how much to ask for, at least 1.
func (l *Limit) Size() uint64 { return max(l.size, 1) }

// Learnt returns the limit, if one was found that is below the most that is ever asked for.
func (l *Limit) Learnt() (size uint64, found bool) {
	if l.taken > 0 {
		return l.taken, l.refused > 0
	}
	return l.Size(), l.refused > 0
}

// Settled reports whether the size to ask for now was accepted before, and the next larger one was not.
func (l *Limit) Settled() bool { return l.refused > 0 && l.taken == l.size }

// Refuse records that asked was too much; hint, if it is not 0, is what the endpoint says that it takes, and is
// believed for as long as a refusal. It reports false if it cannot be less.
func (l *Limit) Refuse(asked, hint uint64, now time.Time) bool {
	again := l.refused > 0 && asked >= l.refused
	if !again {
		l.refused = asked
	}
	if l.taken >= asked {
		l.taken = 0 // the limit was lowered
	}
	switch {
	case l.rest == 0:
		l.rest = firstRest
	case again:
		l.rest = min(2*l.rest, lastRest)
	}
	l.until = now.Add(l.rest)
	switch {
	case asked <= 1:
		l.size = 1
		return false
	case hint > l.taken && hint < asked:
		l.size, l.refused = hint, min(l.refused, hint+1)
	case l.taken > 0:
		l.size = l.taken
	default:
		l.size = asked / 2
	}
	return true
}

// Accept records that asked was accepted. It asks for more the next time if all that it allowed was asked for: twice as
// much, or half-way to what was refused.
func (l *Limit) Accept(asked uint64, now time.Time) {
	if asked < l.size {
		return
	}
	if l.refused > 0 && asked >= l.refused {
		l.refused, l.rest = 0, 0 // the limit was raised
	}
	l.taken = max(l.taken, asked)
	next := min(2*l.Size(), l.most)
	if l.refused > 0 && now.Before(l.until) {
		next = min(next, l.Size()+(l.refused-l.Size())/2)
	}
	l.size = max(l.size, next)
}

// Lower asks for no more than size, without anything being refused.
func (l *Limit) Lower(size uint64) { l.size = max(1, min(l.size, size)) }
