package webhook

import (
	"net/http"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func answered(status int, latency time.Duration) Result {
	return Result{Attempt: Attempt{URL: "https://shop.example", Status: status, Latency: latency}}
}

// end is what becomes of an attempt when its answer is there.
func end(l *load, j *job, res Result, now time.Time) (more bool) {
	res = l.heard(j, res, now)
	return l.done(j, res, now)
}

// begin plans a claim of a receiver that always has more due, and starts it.
func begin(l *load, id ReceiverID, now time.Time) []*job {
	held := 0
	if r, ok := l.receivers[id]; ok {
		held = r.inFlight
	}
	var jobs []*job
	for _, s := range l.plan([]DueReceiver{{ID: id, Since: now, Held: held}}, claimBatch, now) {
		for range s.N {
			jobs = append(jobs, l.start(Delivery{Receiver: id}, now))
		}
	}
	return jobs
}

func TestLoad_PromptAnswerEarnsMore(t *testing.T) {
	t.Parallel()
	l := newLoad()
	first := begin(l, 1, noon)
	if len(first) != perURLUnknown {
		t.Fatalf("%d claimed of an unknown receiver", len(first))
	}
	end(l, first[0], answered(200, 10*time.Millisecond), noon)
	if n := len(begin(l, 1, noon)); n != PerURL {
		t.Fatalf("%d claimed of a prompt receiver", n)
	}
}

func TestLoad_SlowReceiverChangesClass(t *testing.T) {
	t.Parallel()
	l := newLoad()
	jobs := begin(l, 1, noon)
	if l.inFlight != [classCount]int{trialClass: perURLUnknown} {
		t.Fatalf("in flight: %v", l.inFlight)
	}
	now := noon.Add(slowAfter)
	for _, j := range jobs {
		if more := l.late(j, now); !more {
			t.Error("a slow receiver may have more than an unknown one, and is not claimed again")
		}
	}
	jobs = append(jobs, begin(l, 1, now)...)
	if l.inFlight != [classCount]int{slowClass: perURLSlow} || len(jobs) != perURLSlow {
		t.Fatalf("in flight: %v", l.inFlight)
	}
	for _, j := range jobs {
		end(l, j, answered(0, AttemptTimeout), now)
		l.late(j, now) // its timer may fire after its end
	}
	if l.attempts() != 0 || l.inFlight != [classCount]int{} {
		t.Fatalf("in flight: %v", l.inFlight)
	}
	// After a prompt answer the receiver is not slow.
	j := begin(l, 1, now)[0]
	if j.class != slowClass {
		t.Fatalf("a slow receiver is in class %d", j.class)
	}
	end(l, j, answered(500, time.Millisecond), now)
	if j = begin(l, 1, now)[0]; j.class != promptClass {
		t.Fatalf("a receiver that answered promptly is in class %d", j.class)
	}
	l.late(j, now)
	if after := now.Add(slowFor); j.receiver.class(after.Add(-1)) != slowClass ||
		j.receiver.class(after) != trialClass {
		t.Fatalf("a slow receiver is not tried again after %v", slowFor)
	}
}

// TestLoad_SlowClassFull: late attempts beyond its bound stay counted in their class.
func TestLoad_SlowClassFull(t *testing.T) {
	t.Parallel()
	l := newLoad()
	var jobs []*job
	for i := range 2 * SlowInFlight {
		for _, j := range begin(l, ReceiverID(i), noon) {
			l.late(j, noon)
			jobs = append(jobs, j)
		}
	}
	if want := [classCount]int{trialClass: TrialInFlight, slowClass: SlowInFlight}; l.inFlight != want {
		t.Fatalf("in flight: %v", l.inFlight)
	}
	if !l.hasRoom() {
		t.Fatal("no room for prompt receivers")
	}
	for _, j := range jobs {
		end(l, j, answered(0, AttemptTimeout), noon)
	}
	if l.attempts() != 0 {
		t.Fatalf("in flight: %v", l.inFlight)
	}
}

// TestLoad_FullClassIsClaimedAgain: when an attempt of a full class ends, the receivers that were left out are claimed
// again.
func TestLoad_FullClassIsClaimedAgain(t *testing.T) {
	t.Parallel()
	l := newLoad()
	var jobs []*job
	for i := range TrialInFlight {
		jobs = append(jobs, begin(l, ReceiverID(i), noon)...)
	}
	if got := begin(l, TrialInFlight, noon); len(got) != 0 {
		t.Fatalf("%d claimed beyond the class", len(got))
	}
	if !end(l, jobs[0], answered(200, 0), noon) {
		t.Error("not claimed again")
	}
	if got := begin(l, TrialInFlight, noon); len(got) != 1 {
		t.Errorf("%d claimed when there is room", len(got))
	}
}

func TestLoad_Pause(t *testing.T) {
	t.Parallel()
	asks := func(status int, wait time.Duration) Result {
		r := answered(status, time.Millisecond)
		r.RetryAfter = wait
		return r
	}
	var many []Result
	for range 9 {
		many = append(many, asks(429, 0))
	}
	for name, c := range map[string]struct {
		answers []Result
		want    time.Duration // how long nothing is sent, from the last answer
	}{
		"200":                      {[]Result{asks(200, 0)}, 0},
		"500":                      {[]Result{asks(500, 0)}, 0},
		"200 with Retry-After":     {[]Result{asks(200, time.Minute)}, 0},
		"410 with Retry-After":     {[]Result{asks(410, time.Minute)}, 0},
		"429":                      {[]Result{asks(429, 0)}, firstHold},
		"502":                      {[]Result{asks(502, 0)}, firstHold},
		"504 twice":                {[]Result{asks(504, 0), asks(504, 0)}, 2 * firstHold},
		"429 for ever":             {many, longestHold},
		"503":                      {[]Result{asks(503, 0)}, firstHold},
		"503 with Retry-After":     {[]Result{asks(503, 90*time.Second)}, 90 * time.Second},
		"another asks for one":     {[]Result{asks(429, 0), asks(429, time.Second)}, time.Second},
		"429 with a long one":      {[]Result{asks(429, 24*time.Hour)}, maxHold},
		"429, then 200":            {[]Result{asks(429, 0), asks(200, 0)}, 0},
		"429, 200, then 429":       {[]Result{asks(429, 0), asks(429, 0), asks(200, 0), asks(429, 0)}, busyHold},
		"429, 200, then 429 twice": {[]Result{asks(429, 0), asks(200, 0), asks(429, 0), asks(429, 0)}, firstHold},
		"200, then 429 of an hour": {[]Result{asks(200, 0), asks(429, time.Hour)}, longestHold},
		"429, then 500":            {[]Result{asks(429, 0), asks(500, 0)}, 0},
		"no answer after a 429":    {[]Result{asks(429, 0), asks(0, 0)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, now := newLoad(), noon
			for _, res := range c.answers {
				if r := l.receiver(1, now); now.Before(r.notBefore) {
					now = r.notBefore
				}
				jobs := begin(l, 1, now)
				if len(jobs) == 0 {
					t.Fatalf("nothing sent at %v", now.Sub(noon))
				}
				for _, j := range jobs[1:] {
					l.inFlight[j.class]--
					j.receiver.inFlight--
				}
				end(l, jobs[0], res, now)
			}
			if c.want > 0 && len(begin(l, 1, now.Add(c.want-1))) != 0 {
				t.Fatal("sent before its time")
			}
			if len(begin(l, 1, now.Add(c.want))) == 0 {
				t.Fatalf("nothing sent after %v", c.want)
			}
		})
	}
}

// TestLoad_Window: busy answers halve what is in flight, those that were in flight together once; each round that is
// accepted adds one, until the receiver has its whole share again.
func TestLoad_Window(t *testing.T) {
	t.Parallel()
	l, now := newLoad(), noon
	end(l, begin(l, 1, now)[0], answered(200, 0), now)
	round := func(status, want int) {
		t.Helper()
		jobs := begin(l, 1, now)
		if len(jobs) != want {
			t.Fatalf("%d in flight, want %d", len(jobs), want)
		}
		for _, j := range jobs {
			end(l, j, answered(status, 0), now)
		}
		now = now.Add(busyHold)
	}
	for _, want := range []int{PerURL, 8, 4, 2} {
		round(http.StatusServiceUnavailable, want)
	}
	for want := 1; want < PerURL; want++ {
		round(http.StatusOK, want)
	}
	round(http.StatusInternalServerError, PerURL)
	round(http.StatusOK, PerURL)
}

// TestLoad_Spared: a busy answer costs no attempt while others get through or the receiver says how soon; but not for
// ever, for a delivery that is always refused.
func TestLoad_Spared(t *testing.T) {
	t.Parallel()
	unanswered := answered(0, time.Millisecond)
	unanswered.Refused = true
	soon, late := answered(429, 0), answered(503, 0)
	soon.RetryAfter, late.RetryAfter = time.Second, time.Hour
	for name, c := range map[string]struct {
		res         Result
		alone, with time.Duration
	}{
		"503":              {answered(503, time.Minute), 0, busyDelay},
		"502":              {answered(502, 0), 0, busyDelay},
		"502 of a timeout": {answered(502, slowAfter), 0, 0},
		"504":              {answered(504, 0), 0, 0},
		"500":              {answered(500, 0), 0, 0},
		"200":              {answered(200, 0), 0, 0},
		"refused":          {unanswered, 0, busyDelay},
		"no answer":        {answered(0, AttemptTimeout), 0, 0},
		"in a second":      {soon, time.Second, time.Second},
		"in an hour":       {late, 0, time.Hour},
	} {
		l := newLoad()
		if got := l.heard(l.start(Delivery{Receiver: 1}, noon), c.res, noon).Spared; got != c.alone {
			t.Errorf("%s, alone: %v, want %v", name, got, c.alone)
		}
		l = newLoad()
		l.receiver(1, noon).accepted = noon
		j := l.start(Delivery{Receiver: 1}, noon)
		if got := l.heard(j, c.res, noon.Add(getsThrough)).Spared; got != c.with {
			t.Errorf("%s while others get through: %v, want %v", name, got, c.with)
		}
		if got := l.heard(j, c.res, noon.Add(getsThrough+1)).Spared; got > 0 && c.alone == 0 {
			t.Errorf("%s when others got through long ago: %v", name, got)
		}
	}
	l := newLoad()
	l.receiver(1, noon).accepted = noon
	n := 0
	for l.heard(l.start(Delivery{ID: 7, Receiver: 1}, noon), answered(503, 0), noon).Spared > 0 {
		n++
	}
	if n != sparedTries || len(l.spared) != 0 {
		t.Errorf("%d tries of one delivery cost nothing; %d are remembered", n, len(l.spared))
	}
}

// TestLoad_MayHaveMore: a receiver that got its whole share is claimed again
// when one of its attempts ends; one that got less is not.
func TestLoad_MayHaveMore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		got  int
		want bool
	}{"WholeShare": {PerURL, true}, "Less": {PerURL - 1, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLoad()
			l.receiver(1, noon).prompt = true
			shares := l.plan([]DueReceiver{{ID: 1, Since: noon}}, claimBatch, noon)
			claimed := make([]Delivery, c.got)
			var jobs []*job
			for i := range claimed {
				claimed[i].Receiver = 1
				jobs = append(jobs, l.start(claimed[i], noon))
			}
			if l.claimed(shares, claimed, noon) {
				t.Error("claimed again at once, although it holds all that its bound allows")
			}
			if got := end(l, jobs[0], answered(200, 0), noon); got != c.want {
				t.Errorf("claimed again: %t", got)
			}
		})
	}
}

func TestLoad_MemoryIsBounded(t *testing.T) {
	t.Parallel()
	l := newLoad()
	l.receiver(-1, noon).slow(noon)
	for i := range 3 * maxReceivers {
		l.receiver(ReceiverID(i), noon)
		if len(l.receivers) > maxReceivers {
			t.Fatalf("%d receivers are remembered", len(l.receivers))
		}
	}
	if _, ok := l.receivers[-1]; !ok {
		t.Error("a slow receiver was forgotten before the others")
	}
	for i := range 3 * maxReceivers {
		l.receiver(ReceiverID(-2-i), noon).slow(noon)
		if len(l.receivers) > maxReceivers {
			t.Fatalf("%d receivers are remembered", len(l.receivers))
		}
	}
}

// TestLoad_Invariants: in any order of events the counts agree and the bounds hold.
func TestLoad_Invariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, now := newLoad(), noon
		var running, over []*job
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				due := drawDue(t, l, now)
				for _, s := range l.plan(due, rapid.IntRange(1, 40).Draw(t, "limit"), now) {
					for range rapid.IntRange(0, s.N).Draw(t, "claimed") {
						j := l.start(Delivery{Receiver: s.Receiver}, now)
						if now.Before(j.receiver.notBefore) {
							t.Fatalf("sent during a pause")
						}
						running = append(running, j)
					}
				}
			case 1:
				if len(running) > 0 {
					l.late(running[rapid.IntRange(0, len(running)-1).Draw(t, "late")], now)
				}
			case 2:
				if len(running) > 0 {
					i := rapid.IntRange(0, len(running)-1).Draw(t, "done")
					end(l, running[i], drawResult(t), now)
					over = append(over, running[i])
					running = append(running[:i], running[i+1:]...)
				}
			case 3:
				now = now.Add(time.Duration(rapid.IntRange(0, 60).Draw(t, "pass")) * time.Second)
				for _, j := range over {
					l.late(j, now)
				}
			}
			checkCounts(t, l, len(running))
		}
	})
}

func drawDue(t *rapid.T, l *load, now time.Time) []DueReceiver {
	var due []DueReceiver
	for id := range ReceiverID(5) {
		if rapid.Bool().Draw(t, "due") {
			held := l.receiver(id, now).inFlight + rapid.IntRange(0, 2).Draw(t, "held elsewhere")
			due = append(due, DueReceiver{ID: id, Since: now, Held: held})
		}
	}
	return due
}

func drawResult(t *rapid.T) Result {
	status := rapid.SampledFrom([]int{0, 200, 410, 429, 500}).Draw(t, "status")
	res := answered(status, time.Duration(rapid.IntRange(0, 15).Draw(t, "latency"))*time.Second)
	res.RetryAfter = time.Duration(rapid.IntRange(0, 100).Draw(t, "after")) * time.Second
	return res
}

func checkCounts(t *rapid.T, l *load, running int) {
	t.Helper()
	inFlight := 0
	for id, r := range l.receivers {
		inFlight += r.inFlight
		if r.inFlight > PerURL {
			t.Fatalf("%d in flight to %d", r.inFlight, id)
		}
	}
	for c, n := range l.inFlight {
		if n < 0 || n > [classCount]int{PromptInFlight, TrialInFlight, SlowInFlight}[c] {
			t.Fatalf("%d in class %d", n, c)
		}
	}
	if l.attempts() != running || inFlight != running {
		t.Fatalf("%v by class, %d by receiver, %d in flight", l.inFlight, inFlight, running)
	}
}
