package webhook

import "time"

// Limits of one Deliverer.
const (
	// PromptInFlight bounds attempts at receivers that answer promptly. None of
	// them holds its place for longer than slowAfter.
	PromptInFlight = 512
	// TrialInFlight bounds attempts at receivers whose speed is not known yet.
	TrialInFlight = 256
	// SlowInFlight bounds attempts that have taken slowAfter. Only half of it may
	// start at receivers known to be slow: the other half is for attempts that
	// turn out to be slow, which would otherwise keep the places of prompt ones.
	SlowInFlight = 1024
	// PerURL is how many deliveries of one URL an instance may hold at once, and all together may claim within
	// slowAfter: 80 events a second at 200 ms for each answer.
	PerURL = 16
	// perURLUnknown and perURLSlow are the same for a receiver whose speed is
	// not known yet, and for a slow one: one prompt answer earns it PerURL.
	perURLUnknown = 1
	perURLSlow    = 4
	// maxReceivers bounds the receivers whose speed is remembered.
	maxReceivers = 10_000
	// sparedTries is how often a busy answer to one delivery costs no attempt of its schedule, before the next one
	// does: a shop may have an order to which it always says that it is busy. maxSpared bounds the deliveries
	// remembered.
	sparedTries = 16
	maxSpared   = 100_000
	// busyDelay is when a delivery is tried again that met a busy receiver; it doubles with every fourth time, up to
	// eight seconds.
	busyDelay = time.Second

	// slowAfter is when an attempt stops counting as prompt.
	slowAfter = time.Second
	// slowFor is how long a receiver counts as slow after a slow attempt.
	slowFor = 10 * time.Minute
)

// class is a priority class: a share of the places in flight that the other
// classes cannot take.
type class int

const (
	promptClass class = iota
	trialClass
	slowClass
	classCount
)

// startBounds is up to how many in flight another attempt of the class may start.
var startBounds = [classCount]int{promptClass: PromptInFlight, trialClass: TrialInFlight, slowClass: SlowInFlight / 2}

// load counts what one Deliverer has in flight and remembers the speed of its
// receivers. It bounds how many deliveries of each receiver may be claimed;
// Divide decides which receivers come first. It holds no lock and does no I/O.
//
// An attempt starts in the class of its receiver and changes to the slow class
// when it has taken slowAfter.
type load struct {
	receivers map[ReceiverID]*receiver
	inFlight  [classCount]int
	full      [classCount]bool // the last claim left deliveries because the class was full
	spared    map[int64]int    // by delivery: its busy answers that cost no attempt
}

// job is a claimed delivery.
type job struct {
	Delivery
	receiver *receiver
	class    class
	began    time.Time
	late     bool // it has taken slowAfter
	ended    bool // done was called
}

func newLoad() *load {
	return &load{receivers: make(map[ReceiverID]*receiver), spared: make(map[int64]int)}
}

// attempts is how many attempts are in flight.
func (l *load) attempts() int {
	n := 0
	for _, k := range l.inFlight {
		n += k
	}
	return n
}

// hasRoom reports whether an attempt of any class may start.
func (l *load) hasRoom() bool {
	for c, n := range l.inFlight {
		if n < startBounds[c] {
			return true
		}
	}
	return false
}

// plan decides how many deliveries of each receiver to claim, at most limit.
func (l *load) plan(due []DueReceiver, limit int, now time.Time) []Share {
	room := startBounds
	for c, n := range l.inFlight {
		room[c] -= n
	}
	for _, r := range l.receivers {
		r.mayHaveMore = false
	}
	l.full = [classCount]bool{}
	for i, d := range due {
		if r, ok := l.receivers[d.ID]; ok {
			due[i].Held = max(d.Held, r.inFlight)
		}
	}
	return Divide(due, limit, func(id ReceiverID, n int) bool {
		r := l.receiver(id, now)
		c := r.class(now)
		switch {
		case now.Before(r.notBefore):
			return false
		case n > r.bound(now):
			r.mayHaveMore = true
			return false
		case room[c] <= 0:
			l.full[c] = true
			return false
		}
		room[c]--
		return true
	})
}

// claimed records the deliveries claimed by the shares. It reports whether more
// can be claimed at once: a receiver got its whole share and may have more.
func (l *load) claimed(shares []Share, got []Delivery, now time.Time) (more bool) {
	n := make(map[ReceiverID]int)
	for _, d := range got {
		n[d.Receiver]++
	}
	for _, s := range shares {
		r := l.receiver(s.Receiver, now)
		r.mayHaveMore = n[s.Receiver] >= s.N
		more = more ||
			r.mayHaveMore && r.inFlight < r.bound(now) && l.inFlight[r.class(now)] < startBounds[r.class(now)]
	}
	return more
}

// start counts a claimed delivery as in flight.
func (l *load) start(d Delivery, now time.Time) *job {
	r := l.receiver(d.Receiver, now)
	j := &job{Delivery: d, receiver: r, class: r.class(now), began: now}
	r.inFlight++
	l.inFlight[j.class]++
	return j
}

// late records that an attempt has taken slowAfter: its receiver is slow, and
// the attempt changes to the slow class if there is room. It reports whether more
// may be claimed now.
func (l *load) late(j *job, now time.Time) (more bool) {
	if j.ended {
		return false
	}
	j.late = true
	j.receiver.slow(now)
	more = j.receiver.mayHaveMore
	if j.class != slowClass && l.inFlight[slowClass] < SlowInFlight {
		more = more || l.full[j.class]
		l.inFlight[j.class]--
		j.class = slowClass
		l.inFlight[slowClass]++
	}
	return more
}

// heard takes what an answer says of its receiver. It returns the result with when to try again if it costs no attempt:
// the receiver is busy and accepts others, or says itself how soon.
func (l *load) heard(j *job, res Result, now time.Time) Result {
	j.receiver.observe(j.began, res, now)
	n := l.spared[j.ID]
	soon := res.RetryAfter > 0 && res.RetryAfter <= longestHold
	if !busy(res) || n >= sparedTries || !soon && !j.receiver.acceptsOthers(now) {
		delete(l.spared, j.ID)
		return res
	}
	if len(l.spared) >= maxSpared {
		clear(l.spared)
	}
	l.spared[j.ID] = n + 1
	if res.Spared = res.RetryAfter; !soon {
		res.Spared = max(busyDelay<<min(n/4, 3), res.RetryAfter)
	}
	return res
}

// done ends an attempt. It reports whether more may be claimed now.
func (l *load) done(j *job, res Result, now time.Time) (more bool) {
	r := j.receiver
	j.ended = true
	r.inFlight--
	l.inFlight[j.class]--
	if j.late || res.Attempt.Latency >= slowAfter {
		r.slow(now)
	} else {
		r.prompt, r.slowUntil = true, time.Time{}
	}
	return r.mayHaveMore || l.full[j.class]
}

func (l *load) receiver(id ReceiverID, now time.Time) *receiver {
	r, ok := l.receivers[id]
	if !ok {
		if len(l.receivers) >= maxReceivers {
			l.forget(now)
		}
		r = &receiver{}
		l.receivers[id] = r
	}
	return r
}

// forget removes idle receivers to make room: first those that are not slow. A
// forgotten receiver is on trial again until its first prompt answer.
func (l *load) forget(now time.Time) {
	for _, evenSlow := range []bool{false, true} {
		for id, r := range l.receivers {
			if len(l.receivers) <= maxReceivers/2 {
				return
			}
			if r.inFlight == 0 && (evenSlow || r.class(now) != slowClass) {
				delete(l.receivers, id)
			}
		}
	}
}
