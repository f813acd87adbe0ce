package webhook

import (
	"container/heap"
	"fmt"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// fill adds n deliveries of the URL with a lease that outlasts the test.
func fill(t testing.TB, l *lanes, url string, n int, now time.Time) {
	t.Helper()
	for range n {
		if !l.add(Delivery{URL: url}, now.Add(time.Hour), now) {
			t.Fatalf("a delivery to %s is left to its lease", url)
		}
	}
}

func answered(status int, latency time.Duration) Result {
	return Result{Attempt: Attempt{URL: "https://shop.example", Status: status, Latency: latency}}
}

func TestLanes_TrustIsEarned(t *testing.T) {
	t.Parallel()
	l := newLanes()
	fill(t, l, "a", PerURL, noon)
	first := l.start(noon)
	if len(first) != perURLUnknown {
		t.Fatalf("%d sent at once to an unknown receiver", len(first))
	}
	l.done(first[0], answered(200, 10*time.Millisecond), noon)
	if n := len(l.start(noon)); n != PerURL-perURLUnknown {
		t.Fatalf("%d more sent to a prompt receiver", n)
	}
}

func TestLanes_SlowReceiverChangesLane(t *testing.T) {
	t.Parallel()
	l := newLanes()
	fill(t, l, "slow", 10, noon)
	jobs := l.start(noon)
	if l.inFlight != [laneCount]int{trialLane: perURLUnknown} {
		t.Fatalf("in flight: %v", l.inFlight)
	}
	now := noon.Add(slowAfter)
	for _, j := range jobs {
		l.late(j, now)
	}
	jobs = append(jobs, l.start(now)...)
	if l.inFlight != [laneCount]int{slowLane: perURLSlow} || len(jobs) != perURLSlow {
		t.Fatalf("in flight: %v", l.inFlight)
	}
	for _, j := range jobs {
		l.done(j, answered(0, AttemptTimeout), now)
		l.late(j, now) // its timer may fire when all is over
	}
	if l.flying() != 0 || l.inFlight != [laneCount]int{} {
		t.Fatalf("in flight: %v", l.inFlight)
	}
	// It is forgiven by a prompt answer.
	j := l.start(now)[0]
	if j.lane != slowLane {
		t.Fatalf("a slow receiver is in lane %d", j.lane)
	}
	l.done(j, answered(500, time.Millisecond), now)
	if j = l.start(now)[0]; j.lane != fastLane {
		t.Fatalf("a receiver that answered promptly is in lane %d", j.lane)
	}
	l.late(j, now)
	if after := now.Add(slowFor); j.receiver.lane(after.Add(-1)) != slowLane || j.receiver.lane(after) != trialLane {
		t.Fatalf("a slow receiver is not tried again after %v", slowFor)
	}
}

// A full slow lane must not lose count of those who should be in it.
func TestLanes_NoRoomInTheSlowLane(t *testing.T) {
	t.Parallel()
	l := newLanes()
	var jobs []*job
	for i := range 2 * SlowInFlight {
		fill(t, l, strconv.Itoa(i), 1, noon)
		for _, j := range l.start(noon) {
			l.late(j, noon)
			jobs = append(jobs, j)
		}
	}
	if want := [laneCount]int{trialLane: TrialInFlight, slowLane: SlowInFlight}; l.inFlight != want {
		t.Fatalf("in flight: %v", l.inFlight)
	}
	if l.room() != FastInFlight+fastAhead {
		t.Fatalf("room for %d", l.room())
	}
	for _, j := range jobs {
		l.done(j, answered(0, AttemptTimeout), noon)
	}
	if l.flying() != 0 {
		t.Fatalf("in flight: %v", l.inFlight)
	}
}

func TestLanes_Room(t *testing.T) {
	t.Parallel()
	l := newLanes()
	fill(t, l, "slow", PerURL, noon)
	l.late(l.start(noon)[0], noon)
	fill(t, l, "unknown", PerURL, noon)
	if got := l.room(); got != FastInFlight+fastAhead {
		t.Fatalf("room for %d beside slow and unknown receivers", got)
	}
	l.receiver("prompt", noon).prompt = true
	fill(t, l, "prompt", PerURL, noon)
	for range 2 { // while they wait, and in flight
		if got := l.room(); got != FastInFlight+fastAhead-PerURL {
			t.Fatalf("room for %d", got)
		}
		l.start(noon)
	}
}

func TestLanes_TakeTurns(t *testing.T) {
	t.Parallel()
	l := newLanes()
	places := startBounds[slowLane]
	for i := range 2 * places {
		url := strconv.Itoa(i)
		l.receiver(url, noon).keptWaiting(noon)
		fill(t, l, url, 2, noon)
	}
	sent := make(map[string]int)
	for range 4 {
		jobs := l.start(noon)
		if len(jobs) != places {
			t.Fatalf("%d in the slow lane", len(jobs))
		}
		for _, j := range jobs {
			sent[j.URL]++
			l.done(j, answered(200, 2*time.Second), noon)
		}
		if len(sent) < 2*places && l.waiting <= 2*places {
			t.Fatalf("half is sent and only %d receivers had a turn", len(sent))
		}
	}
	if l.waiting != 0 || len(sent) != 2*places {
		t.Fatalf("%d wait, %d receivers had a turn", l.waiting, len(sent))
	}
}

func TestLanes_LeaseRunsOut(t *testing.T) {
	t.Parallel()
	l := newLanes()
	fill(t, l, "a", 1, noon)
	jobs := l.start(noon)
	if !l.add(Delivery{URL: "a"}, noon.Add(time.Minute), noon) {
		t.Fatal("refused although there is time")
	}
	if l.add(Delivery{URL: "a"}, noon.Add(-time.Second), noon) {
		t.Fatal("taken although it is too late")
	}
	l.done(jobs[0], answered(200, 0), noon)
	if got := l.start(noon.Add(2 * time.Minute)); len(got) != 0 || l.waiting != 0 {
		t.Fatalf("%d sent after their time, %d wait", len(got), l.waiting)
	}
}

func TestLanes_WaitingIsBounded(t *testing.T) {
	t.Parallel()
	l := newLanes()
	taken := 0
	for i := range 2 * maxWaiting {
		if l.add(Delivery{URL: strconv.Itoa(i % 100)}, noon.Add(time.Hour), noon) {
			taken++
		}
	}
	if taken != maxWaiting {
		t.Fatalf("%d wait", taken)
	}
}

func TestLanes_Heed(t *testing.T) {
	t.Parallel()
	asks := func(status int, wait time.Duration) Result {
		r := answered(status, time.Millisecond)
		r.RetryAfter = wait
		return r
	}
	for name, c := range map[string]struct {
		answers []Result
		want    time.Duration // how long nothing is sent, from the last answer
	}{
		"200":                     {[]Result{asks(200, 0)}, 0},
		"500":                     {[]Result{asks(500, 0)}, 0},
		"200 with Retry-After":    {[]Result{asks(200, time.Minute)}, 0},
		"410 with Retry-After":    {[]Result{asks(410, time.Minute)}, 0},
		"429":                     {[]Result{asks(429, 0)}, firstHold},
		"502":                     {[]Result{asks(502, 0)}, firstHold},
		"504 twice":               {[]Result{asks(504, 0), asks(504, 0)}, 2 * firstHold},
		"429 for ever":            {[]Result{asks(429, 0), asks(429, 0), asks(429, 0), asks(429, 0), asks(429, 0), asks(429, 0), asks(429, 0), asks(429, 0), asks(429, 0)}, longestHold},
		"503 with Retry-After":    {[]Result{asks(503, 90*time.Second)}, 90 * time.Second},
		"429 with a long one":     {[]Result{asks(429, 24*time.Hour)}, maxHold},
		"429, then 200":           {[]Result{asks(429, 0), asks(200, 0)}, 0},
		"429, 200, then 429":      {[]Result{asks(429, 0), asks(429, 0), asks(200, 0), asks(429, 0)}, firstHold},
		"429, then 500":           {[]Result{asks(429, 0), asks(500, 0)}, 0},
		"no answer after a 429":   {[]Result{asks(429, 0), asks(0, 0)}, 0},
		"shorter than the strike": {[]Result{asks(429, time.Millisecond)}, firstHold},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, now := newLanes(), noon
			for _, res := range c.answers {
				fill(t, l, "a", 1, now)
				if !l.wakeAt.IsZero() {
					now = l.wakeAt
				}
				jobs := l.start(now)
				if len(jobs) != 1 {
					t.Fatalf("%d sent at %v", len(jobs), now.Sub(noon))
				}
				l.done(jobs[0], res, now)
			}
			if !l.add(Delivery{URL: "a"}, now.Add(24*time.Hour), now) {
				t.Fatal("refused")
			}
			at, ok := l.wakeAt, !l.wakeAt.IsZero()
			if ok != (c.want > 0) || ok && at.Sub(now) != c.want {
				t.Fatalf("held for %v, want %v", at.Sub(now), c.want)
			}
			if ok && len(l.start(at.Add(-1))) != 0 {
				t.Fatal("sent before its time")
			}
			if n := len(l.start(now.Add(c.want))); n != 1 {
				t.Fatalf("%d sent when it is time", n)
			}
		})
	}
}

// Answers to what was sent at the same time are one strike, not many.
func TestLanes_OneStrikeAtATime(t *testing.T) {
	t.Parallel()
	l := newLanes()
	fill(t, l, "a", 1, noon)
	l.done(l.start(noon)[0], answered(200, 0), noon)
	fill(t, l, "a", PerURL, noon)
	jobs := l.start(noon)
	for _, j := range jobs {
		l.done(j, answered(429, 0), noon)
	}
	if hold := l.receivers["a"].notBefore.Sub(noon); len(jobs) != PerURL || hold != firstHold {
		t.Fatalf("%d answers of 429 hold for %v", len(jobs), hold)
	}
}

func TestLanes_FullReceiverMayHaveMore(t *testing.T) {
	t.Parallel()
	l := newLanes()
	fill(t, l, "a", PerURL, noon)
	if !l.done(l.start(noon)[0], answered(200, 0), noon) {
		t.Error("a receiver that had all it may have is not asked for again")
	}
	if l.done(l.start(noon)[0], answered(200, 0), noon) {
		t.Error("a receiver that had less is asked for again")
	}
}

// A receiver that had all it may have when the store was asked, and whose
// attempts ended before the answer came, has more to come.
func TestLanes_EndedWhileClaiming(t *testing.T) {
	t.Parallel()
	for ended, want := range map[int]bool{0: false, 1: true, PerURL - 1: true} {
		l := newLanes()
		l.receiver("a", noon).prompt = true
		fill(t, l, "a", PerURL-1, noon)
		jobs := l.start(noon)
		l.claiming()
		for _, j := range jobs[:ended] {
			l.done(j, answered(200, 0), noon)
		}
		fill(t, l, "a", 1, noon)
		if got := l.claimed(); got != want {
			t.Errorf("%d ended while claiming: more to come: %v", ended, got)
		}
		if l.claiming(); l.claimed() {
			t.Error("what ended before counts for the next claim")
		}
	}
}

func TestLanes_MemoryIsBounded(t *testing.T) {
	t.Parallel()
	l := newLanes()
	l.receiver("slow", noon).keptWaiting(noon)
	for i := range 3 * maxReceivers {
		l.receiver(strconv.Itoa(i), noon)
		if len(l.receivers) > maxReceivers {
			t.Fatalf("%d receivers are remembered", len(l.receivers))
		}
	}
	if _, ok := l.receivers["slow"]; !ok {
		t.Error("a slow receiver was forgotten although others could have been")
	}
	for i := range 3 * maxReceivers {
		l.receiver(fmt.Sprint("slow", i), noon).keptWaiting(noon)
		if len(l.receivers) > maxReceivers {
			t.Fatalf("%d receivers are remembered", len(l.receivers))
		}
	}
}

// Whatever happens in whatever order, the counts hold and the bounds are kept.
func TestLanes_Invariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, now := newLanes(), noon
		var flying, over []*job
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				url := rapid.StringMatching("[a-e]").Draw(t, "url")
				for range rapid.IntRange(1, 40).Draw(t, "n") {
					l.add(Delivery{URL: url}, now.Add(time.Duration(rapid.IntRange(0, 90).Draw(t, "lease"))*time.Second), now)
				}
			case 1:
				for _, j := range l.start(now) {
					if now.After(j.startBy) || now.Before(j.receiver.notBefore) {
						t.Fatalf("sent out of its time")
					}
					flying = append(flying, j)
				}
			case 2:
				if len(flying) > 0 {
					l.late(flying[rapid.IntRange(0, len(flying)-1).Draw(t, "late")], now)
				}
			case 3:
				if len(flying) > 0 {
					i := rapid.IntRange(0, len(flying)-1).Draw(t, "done")
					res := answered(rapid.SampledFrom([]int{0, 200, 410, 429, 500}).Draw(t, "status"), time.Duration(rapid.IntRange(0, 15).Draw(t, "latency"))*time.Second)
					res.RetryAfter = time.Duration(rapid.IntRange(0, 100).Draw(t, "after")) * time.Second
					l.done(flying[i], res, now)
					over = append(over, flying[i])
					flying = append(flying[:i], flying[i+1:]...)
				}
			case 4:
				now = now.Add(time.Duration(rapid.IntRange(0, 60).Draw(t, "pass")) * time.Second)
				for _, j := range over {
					l.late(j, now)
				}
			}
			checkCounts(t, l, len(flying), now)
		}
	})
}

func checkCounts(t *rapid.T, l *lanes, flying int, now time.Time) {
	t.Helper()
	inFlight, waiting := 0, 0
	for url, r := range l.receivers {
		inFlight += r.inFlight
		waiting += len(r.waiting)
		if r.inFlight > PerURL {
			t.Fatalf("%d in flight to %s", r.inFlight, url)
		}
	}
	for lane, n := range l.inFlight {
		if n < 0 || n > [laneCount]int{FastInFlight, TrialInFlight, SlowInFlight}[lane] {
			t.Fatalf("%d in lane %d", n, lane)
		}
	}
	if l.flying() != flying || inFlight != flying {
		t.Fatalf("%v by lane, %d by receiver, %d in flight", l.inFlight, inFlight, flying)
	}
	if waiting != l.waiting {
		t.Fatalf("%d wait, %d counted", waiting, l.waiting)
	}
	checkTurns(t, l, now)
}

// checkTurns sees to it that nobody is forgotten: who could have one more in
// flight has a turn, and only one, or rests until a time that is looked at.
func checkTurns(t *rapid.T, l *lanes, now time.Time) {
	t.Helper()
	turns := make(map[*receiver]int)
	for _, ready := range l.ready {
		for _, r := range ready {
			turns[r]++
		}
	}
	for _, r := range l.resting {
		turns[r]++
		if until := r.notBefore; l.wakeAt.IsZero() || until.After(now) && l.wakeAt.After(until) || !until.After(now) && l.wakeAt.After(now) {
			t.Fatalf("a receiver rests until %v and is looked at %v (now %v)", until, l.wakeAt, now)
		}
	}
	for url, r := range l.receivers {
		if could := len(r.waiting) > 0 && r.inFlight < r.bound(now); could && turns[r] != 1 || turns[r] > 1 || r.queued != (turns[r] == 1) {
			t.Fatalf("%s has %d turns, could start: %v", url, turns[r], could)
		}
	}
}

// What spec.md section 12 asks for, in time that is counted and not waited
// for: 40 receivers answer in 50 ms, and however many others hang, each with
// more to do than it is given, the rate is that of being alone. When a
// thousand hang it takes a minute to find out which.
func TestLanes_HangingReceiversDelayNobody(t *testing.T) {
	t.Parallel()
	alone := fastRate(t, 0, 0)
	for _, c := range []struct {
		hanging int
		after   time.Duration
		percent int
	}{{100, 0, 95}, {500, 0, 90}, {1000, 75 * time.Second, 90}} {
		rate := fastRate(t, c.hanging, c.after)
		t.Logf("%d hanging: %d a second, alone %d", c.hanging, rate, alone)
		if rate < 1000 || rate*100 < alone*c.percent {
			t.Errorf("with %d hanging receivers %d deliveries a second, alone %d", c.hanging, rate, alone)
		}
	}
}

// played is the time that is counted.
const played = 20 * time.Second

// fastRate plays, from the time given on, and returns how many
// deliveries a second the fast receivers had.
func fastRate(t *testing.T, hanging int, after time.Duration) int {
	t.Helper()
	const latency = 50 * time.Millisecond
	rows := newRows(hanging, 40)
	l, now, ends := newLanes(), noon, noon.Add(after+played)
	var flights events
	delivered := 0
	for claimed := noon; now.Before(ends); {
		if !now.Before(claimed) {
			rows.claim(l, now)
			claimed = now.Add(claimSpacing)
		}
		for _, j := range l.start(now) {
			took := latency
			if j.URL[0] == 'h' {
				took = AttemptTimeout
				heap.Push(&flights, event{now.Add(slowAfter), j, false})
			}
			heap.Push(&flights, event{now.Add(took), j, true})
		}
		if len(flights) == 0 || flights[0].at.After(claimed) {
			now = claimed
			continue
		}
		e := heap.Pop(&flights).(event)
		now = e.at
		switch {
		case !e.end:
			l.late(e.job, now)
		case e.job.URL[0] == 'h':
			rows.release(e.job.Delivery)
			l.done(e.job, answered(0, AttemptTimeout), now)
		default:
			rows.release(e.job.Delivery)
			l.done(e.job, answered(200, latency), now)
			if now.Sub(noon) > after {
				delivered++
			}
		}
	}
	return delivered / int(played/time.Second)
}

// rows is a store that never runs dry.
type rows struct {
	urls  []string // those that hang first
	next  int
	held  map[string]int
	lease map[int64]bool // by id: whether it is held
	ends  []lease        // in order
}

type lease struct {
	Delivery
	until time.Time
}

func newRows(hanging, fast int) *rows {
	r := &rows{held: make(map[string]int), lease: make(map[int64]bool)}
	for i := range hanging {
		r.urls = append(r.urls, fmt.Sprint("hang", i))
	}
	for i := range fast {
		r.urls = append(r.urls, fmt.Sprint("fast", i))
	}
	return r
}

func (r *rows) claim(l *lanes, now time.Time) {
	for ; len(r.ends) > 0 && !r.ends[0].until.After(now); r.ends = r.ends[1:] {
		r.release(r.ends[0].Delivery)
	}
	room := min(l.room(), claimBatch)
	for n := 0; n < len(r.urls) && room > 0; n++ {
		d := Delivery{ID: int64(r.next), URL: r.urls[r.next%len(r.urls)]}
		r.next++
		if r.held[d.URL] >= PerURL {
			continue
		}
		r.held[d.URL]++
		r.lease[d.ID] = true
		r.ends = append(r.ends, lease{d, now.Add(Lease)})
		room--
		l.add(d, now.Add(Lease-AttemptTimeout-leaseMargin), now)
	}
}

func (r *rows) release(d Delivery) {
	if r.lease[d.ID] {
		delete(r.lease, d.ID)
		r.held[d.URL]--
	}
}

type event struct {
	at  time.Time
	job *job
	end bool
}

type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at.Before(e[j].at) }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	last := old[len(old)-1]
	*e = old[:len(old)-1]
	return last
}
