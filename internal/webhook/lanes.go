package webhook

import "time"

// Limits of one Deliverer.
const (
	// FastInFlight bounds attempts at receivers that answer promptly. None of
	// them holds its place for longer than slowAfter.
	FastInFlight = 256
	// fastAhead may wait for a place in the fast lane, so that places are taken
	// while the next claim is under way.
	fastAhead = FastInFlight
	// TrialInFlight bounds attempts at receivers nothing is known of yet.
	TrialInFlight = 256
	// SlowInFlight bounds attempts that keep us waiting. Only half of it may
	// start at receivers known to be slow: the other half is for attempts that
	// turn out so, or those would keep the places of prompt ones.
	SlowInFlight = 1024
	// PerURL is how many deliveries of one URL may be held at once, by all
	// instances together: at 200 ms an answer that is 80 events a second.
	PerURL = 16
	// perURLUnknown and perURLSlow are how many are sent at once to a receiver
	// that nothing is known of yet, and to one that keeps us waiting: trust is
	// earned by one prompt answer.
	perURLUnknown = 1
	perURLSlow    = 4
	// maxWaiting bounds what is held back for receivers that have enough in
	// flight; what is over it is left to its lease.
	maxWaiting = 8192
	// maxReceivers bounds what is remembered of receivers.
	maxReceivers = 10_000

	// slowAfter is when an attempt stops counting as prompt.
	slowAfter = time.Second
	// slowFor is how long a receiver that kept us waiting is taken for slow.
	slowFor = 10 * time.Minute
)

// lane is a share of the attempts in flight that others cannot take.
type lane int

const (
	fastLane lane = iota
	trialLane
	slowLane
	laneCount
)

// startBounds is up to how many in a lane another attempt may start.
var startBounds = [laneCount]int{fastLane: FastInFlight, trialLane: TrialInFlight, slowLane: SlowInFlight / 2}

// lanes decides which delivery may be sent when, so that a slow receiver
// delays nobody else. It holds no lock and does no I/O; time is given in.
//
// An attempt starts in the lane its receiver has earned, and changes to the
// slow lane when it has taken slowAfter. A receiver is a URL: many merchants
// may share one host.
type lanes struct {
	receivers map[string]*receiver
	ready     [laneCount][]*receiver // may have one more in flight; they take turns
	resting   []*receiver            // want to be left alone
	wakeAt    time.Time              // when the first of resting may be ready; zero without any
	inFlight  [laneCount]int
	waiting   int
	ended     map[*receiver]int // attempts that ended while a claim is under way
}

// job is a claimed delivery.
type job struct {
	Delivery
	startBy  time.Time // later than this its lease might not last the attempt
	receiver *receiver
	lane     lane
	late     bool // it took slowAfter
	ended    bool // done was called
}

func newLanes() *lanes { return &lanes{receivers: make(map[string]*receiver)} }

// room is how many more deliveries are worth claiming: what waits for trial or
// for slow receivers needs no place among the fast ones.
func (l *lanes) room() int {
	n := FastInFlight + fastAhead - l.inFlight[fastLane]
	for _, r := range l.ready[fastLane] {
		n -= min(len(r.waiting), PerURL-r.inFlight)
	}
	return max(n, 0)
}

// flying is how many attempts are in flight.
func (l *lanes) flying() int {
	n := 0
	for _, k := range l.inFlight {
		n += k
	}
	return n
}

// claiming is called before the store is asked, claimed after all it gave was
// added. claimed reports whether there may be more at once: a receiver had all
// it may have when the store looked, and has less by now.
func (l *lanes) claiming() { l.ended = make(map[*receiver]int) }

func (l *lanes) claimed() (more bool) {
	for r, ended := range l.ended {
		more = more || r.inFlight+len(r.waiting)+ended >= PerURL
	}
	l.ended = nil
	return more
}

// add takes in a claimed delivery. It returns false for one that cannot be
// sent while its lease lasts, or that would have to wait where too many do: it
// is left alone and becomes due again.
func (l *lanes) add(d Delivery, startBy, now time.Time) bool {
	r := l.receiver(d.URL, now)
	crowded := l.waiting >= maxWaiting && r.inFlight+len(r.waiting) >= r.bound(now) && r.lane(now) != fastLane
	if now.After(startBy) || r.notBefore.After(startBy) || crowded {
		return false
	}
	r.waiting = append(r.waiting, &job{Delivery: d, startBy: startBy, receiver: r})
	l.waiting++
	l.enqueue(r, now)
	return true
}

// enqueue gives the receiver a turn if it has something waiting and may have
// one more in flight.
func (l *lanes) enqueue(r *receiver, now time.Time) {
	switch {
	case r.queued || len(r.waiting) == 0 || r.inFlight >= r.bound(now):
	case now.Before(r.notBefore):
		r.queued = true
		l.resting = append(l.resting, r)
		if l.wakeAt.IsZero() || r.notBefore.Before(l.wakeAt) {
			l.wakeAt = r.notBefore
		}
	default:
		r.queued = true
		lane := r.lane(now)
		l.ready[lane] = append(l.ready[lane], r)
	}
}

// start returns what is to be sent now. The receivers of a lane take turns,
// one delivery each, so that many deliveries of one do not go before the few
// of another.
func (l *lanes) start(now time.Time) []*job {
	l.rouse(now)
	var jobs []*job
	for lane := range laneCount {
		for len(l.ready[lane]) > 0 && l.inFlight[lane] < startBounds[lane] {
			r := l.ready[lane][0]
			l.ready[lane] = l.ready[lane][1:]
			r.queued = false
			if j := l.next(r, lane, now); j != nil {
				jobs = append(jobs, j)
			}
			l.enqueue(r, now)
		}
	}
	return jobs
}

// rouse gives those a turn again that have been left alone for long enough.
func (l *lanes) rouse(now time.Time) {
	if l.wakeAt.IsZero() || now.Before(l.wakeAt) {
		return
	}
	resting := l.resting
	l.resting, l.wakeAt = nil, time.Time{}
	for _, r := range resting {
		r.queued = false
		l.enqueue(r, now)
	}
}

// next starts the receiver's next delivery, unless its turn has come to
// nothing meanwhile.
func (l *lanes) next(r *receiver, turn lane, now time.Time) *job {
	for len(r.waiting) > 0 && now.After(r.waiting[0].startBy) {
		l.pop(r) // its lease makes it due again
	}
	lane := r.lane(now)
	if len(r.waiting) == 0 || r.inFlight >= r.bound(now) || now.Before(r.notBefore) || lane != turn {
		return nil
	}
	j := l.pop(r)
	j.lane = lane
	r.inFlight++
	l.inFlight[lane]++
	return j
}

func (l *lanes) pop(r *receiver) *job {
	j := r.waiting[0]
	r.waiting[0] = nil
	r.waiting = r.waiting[1:]
	l.waiting--
	return j
}

// late tells that an attempt has taken slowAfter: its receiver is slow and it
// changes to the slow lane, if there is room for it.
func (l *lanes) late(j *job, now time.Time) {
	if j.ended {
		return
	}
	j.late = true
	j.receiver.keptWaiting(now)
	if j.lane != slowLane && l.inFlight[slowLane] < SlowInFlight {
		l.inFlight[j.lane]--
		j.lane = slowLane
		l.inFlight[slowLane]++
	}
	l.enqueue(j.receiver, now)
}

// done tells what came of an attempt. It reports whether the receiver had as
// much as the store gives of one URL, so that there may be more of it.
func (l *lanes) done(j *job, res Result, now time.Time) bool {
	r := j.receiver
	j.ended = true
	full := r.inFlight+len(r.waiting) >= PerURL
	r.inFlight--
	l.inFlight[j.lane]--
	if l.ended != nil {
		l.ended[r]++
	}
	if j.late || res.Attempt.Latency >= slowAfter {
		r.keptWaiting(now)
	} else {
		r.prompt, r.slowUntil = true, time.Time{}
	}
	r.heed(res, now)
	if !now.Before(r.notBefore) && r.queued && !l.wakeAt.IsZero() {
		l.wakeAt = now // it may be resting, and need not any more
	}
	l.enqueue(r, now)
	return full
}

func (l *lanes) receiver(url string, now time.Time) *receiver {
	r, ok := l.receivers[url]
	if !ok {
		if len(l.receivers) >= maxReceivers {
			l.forget(now)
		}
		r = &receiver{}
		l.receivers[url] = r
	}
	return r
}

// forget makes room: first the idle receivers that nothing is held against,
// then any idle ones. To be unknown costs a receiver one answer.
func (l *lanes) forget(now time.Time) {
	for _, evenSlow := range []bool{false, true} {
		for url, r := range l.receivers {
			if len(l.receivers) <= maxReceivers/2 {
				return
			}
			if r.inFlight == 0 && len(r.waiting) == 0 && (evenSlow || r.lane(now) != slowLane) {
				delete(l.receivers, url)
			}
		}
	}
}
