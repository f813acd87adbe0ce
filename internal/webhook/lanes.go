package webhook

import "time"

// Limits of one Deliverer.
const (
	// FastInFlight bounds attempts at receivers that answer promptly. None of
	// them holds its place for longer than slowAfter.
	FastInFlight = 256
	// SlowInFlight bounds attempts at receivers that keep us waiting. They wait
	// for each other, and for nobody else.
	SlowInFlight = 1024
	// PerURL is how many deliveries of one URL may be held at once, by all
	// instances together: at 200 ms an answer that is 80 events a second.
	PerURL = 16
	// perURLUnknown and perURLSlow are how many are sent at once to a receiver
	// that nothing is known of yet, and to one that keeps us waiting: trust is
	// earned by one prompt answer.
	perURLUnknown = 2
	perURLSlow    = 4
	// maxWaiting bounds what is held back for slow receivers; what is over it
	// is left to its lease.
	maxWaiting = 4096
	// maxReceivers bounds what is remembered of receivers.
	maxReceivers = 10_000

	// slowAfter is when an attempt stops counting as prompt.
	slowAfter = time.Second
	// slowFor is how long a receiver that kept us waiting is taken for slow.
	slowFor = 10 * time.Minute
)

// lanes decides which delivery may be sent when, so that a slow receiver
// delays nobody else. It holds no lock and does no I/O; time is given in.
//
// An attempt starts in the fast lane unless its receiver is known to be slow,
// and changes to the slow lane when it has taken slowAfter. A receiver is a
// URL: many merchants may share one host.
type lanes struct {
	receivers  map[string]*receiver
	queue      []*receiver // those with deliveries waiting, the longest waiting first
	fast, slow int         // attempts in flight
	waiting    int
}

// job is a claimed delivery.
type job struct {
	Delivery
	startBy  time.Time // later than this its lease might not last the attempt
	receiver *receiver
	slow     bool // which lane it is in
	late     bool // it took slowAfter
	ended    bool // done was called
}

func newLanes() *lanes { return &lanes{receivers: make(map[string]*receiver)} }

// room is how many more deliveries are worth claiming.
func (l *lanes) room(now time.Time) int {
	n := FastInFlight - l.fast
	for _, r := range l.queue {
		if !r.slow(now) {
			n -= len(r.waiting) // they will need the fast lane
		}
	}
	return max(n, 0)
}

// add takes in a claimed delivery. It returns false for one that cannot be
// sent while its lease lasts: it is left alone and becomes due again.
func (l *lanes) add(d Delivery, startBy, now time.Time) bool {
	r := l.receiver(d.URL, now)
	if now.After(startBy) || r.notBefore.After(startBy) || l.waiting >= maxWaiting {
		return false
	}
	if len(r.waiting) == 0 {
		l.queue = append(l.queue, r)
	}
	r.waiting = append(r.waiting, &job{Delivery: d, startBy: startBy, receiver: r})
	l.waiting++
	return true
}

// start returns what is to be sent now. The receivers take turns, one delivery
// each, so that many deliveries of one do not go before the few of another.
func (l *lanes) start(now time.Time) []*job {
	var jobs []*job
	for before := -1; before < len(jobs); {
		before = len(jobs)
		for _, r := range l.queue {
			if j := l.next(r, now); j != nil {
				jobs = append(jobs, j)
			}
		}
	}
	l.requeue(jobs)
	return jobs
}

// requeue puts those that had a turn behind those that had none, and drops
// those that have nothing waiting any more.
func (l *lanes) requeue(served []*job) {
	had := make(map[*receiver]bool, len(served))
	for _, j := range served {
		had[j.receiver] = true
	}
	var first, behind []*receiver
	for _, r := range l.queue {
		switch {
		case len(r.waiting) == 0:
		case had[r]:
			behind = append(behind, r)
		default:
			first = append(first, r)
		}
	}
	l.queue = append(first, behind...)
}

// next starts the receiver's next delivery if there is one and it may start.
func (l *lanes) next(r *receiver, now time.Time) *job {
	for len(r.waiting) > 0 && now.After(r.waiting[0].startBy) {
		l.pop(r) // its lease makes it due again
	}
	slow := r.slow(now)
	switch {
	case len(r.waiting) == 0, r.inFlight >= r.bound(now), now.Before(r.notBefore):
		return nil
	case slow && l.slow >= SlowInFlight, !slow && l.fast >= FastInFlight:
		return nil
	}
	j := l.pop(r)
	j.slow = slow
	r.inFlight++
	if slow {
		l.slow++
	} else {
		l.fast++
	}
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
// leaves the fast lane, if there is room for it in the slow one.
func (l *lanes) late(j *job, now time.Time) {
	if j.ended {
		return
	}
	j.late = true
	j.receiver.keptWaiting(now)
	if !j.slow && l.slow < SlowInFlight {
		j.slow = true
		l.fast--
		l.slow++
	}
}

// done tells what came of an attempt. It reports whether the receiver had as
// much as the store gives of one URL, so that there may be more of it.
func (l *lanes) done(j *job, res Result, now time.Time) bool {
	r := j.receiver
	j.ended = true
	full := r.inFlight+len(r.waiting) >= PerURL
	r.inFlight--
	if j.slow {
		l.slow--
	} else {
		l.fast--
	}
	if j.late || res.Attempt.Latency >= slowAfter {
		r.keptWaiting(now)
	} else {
		r.prompt, r.slowUntil = true, time.Time{}
	}
	r.heed(res, now)
	return full
}

// wake is when a receiver that wants to be left alone may be sent to again;
// ok is false if nothing waits for that.
func (l *lanes) wake(now time.Time) (at time.Time, ok bool) {
	for _, r := range l.queue {
		if r.notBefore.After(now) && (!ok || r.notBefore.Before(at)) {
			at, ok = r.notBefore, true
		}
	}
	return at, ok
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
			if r.inFlight == 0 && len(r.waiting) == 0 && (evenSlow || !r.slow(now)) {
				delete(l.receivers, url)
			}
		}
	}
}
