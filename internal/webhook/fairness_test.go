package webhook

import (
	"container/heap"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestDivide: the next delivery goes to the receiver that holds the fewest.
func TestDivide(t *testing.T) {
	t.Parallel()
	const bound = 3
	grant := func(_ ReceiverID, n int) bool { return n <= bound }
	later := noon.Add(time.Second)
	for name, c := range map[string]struct {
		due   []DueReceiver
		limit int
		want  []Share
	}{
		"None":        {nil, 10, nil},
		"BoundOfOne":  {[]DueReceiver{{1, noon, 0}}, 10, []Share{{1, 3}}},
		"HeldCounts":  {[]DueReceiver{{1, noon, 2}, {2, noon, 3}}, 10, []Share{{1, 1}}},
		"FewestFirst": {[]DueReceiver{{1, noon, 2}, {2, later, 0}}, 2, []Share{{2, 2}}},
		"OldestFirst": {[]DueReceiver{{1, later, 0}, {2, noon, 0}}, 1, []Share{{2, 1}}},
		"OneEachFirst": {
			[]DueReceiver{{1, noon, 0}, {2, noon, 0}, {3, noon, 0}}, 4, []Share{{1, 2}, {2, 1}, {3, 1}},
		},
		"AllThatFits":     {[]DueReceiver{{1, noon, 0}, {2, noon, 1}}, 10, []Share{{1, 3}, {2, 2}}},
		"HeldAboveBounds": {[]DueReceiver{{1, noon, 9}}, 10, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Divide(c.due, c.limit, grant); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// TestDivide_Invariants: a claim is never larger than its limit, and no receiver
// gets a delivery while one that may have more would hold fewer.
func TestDivide_Invariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		bounds := make(map[ReceiverID]int)
		var due []DueReceiver
		for id := range ReceiverID(rapid.IntRange(0, 6).Draw(t, "receivers")) {
			bounds[id] = rapid.IntRange(0, 5).Draw(t, "bound")
			due = append(due, DueReceiver{id, noon, rapid.IntRange(0, 6).Draw(t, "held")})
		}
		limit := rapid.IntRange(0, 20).Draw(t, "limit")
		holds := make(map[ReceiverID]int)
		for _, r := range due {
			holds[r.ID] = r.Held
		}
		total := 0
		shares := Divide(due, limit, func(id ReceiverID, n int) bool { return n <= bounds[id] })
		for _, s := range shares {
			holds[s.Receiver] += s.N
			total += s.N
		}
		if total > limit {
			t.Fatalf("%d claimed, limit %d", total, limit)
		}
		for _, s := range shares {
			for _, r := range due {
				if holds[r.ID] < bounds[r.ID] && holds[r.ID]+1 < holds[s.Receiver] {
					t.Fatalf("%d holds %d and gets more than %d, which holds %d", s.Receiver, holds[s.Receiver], r.ID, holds[r.ID])
				}
			}
		}
	})
}

// TestHangingReceiversDelayNoOther checks the rate of spec.md section 12 in simulated time: 40 receivers answer in
// 50 ms, others hang, each with a longer queue than it may have in flight. The rate must equal that without hanging
// receivers. With a thousand of them the deliverer needs a minute to learn which ones hang.
func TestHangingReceiversDelayNoOther(t *testing.T) {
	t.Parallel()
	alone := promptRate(0, 0)
	for name, c := range map[string]struct {
		hanging int
		after   time.Duration
		percent int
	}{"100": {100, 0, 95}, "500": {500, 0, 90}, "1000": {1000, 75 * time.Second, 90}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rate := promptRate(c.hanging, c.after)
			t.Logf("%d deliveries a second, %d without receivers that hang", rate, alone)
			if rate < 1000 || rate*100 < alone*c.percent {
				t.Errorf("%d deliveries a second, %d without receivers that hang", rate, alone)
			}
		})
	}
}

// measured is how much simulated time the rate is taken from.
const measured = 20 * time.Second

// promptRate simulates a deliverer and returns how many deliveries a second prompt receivers get, measured from the
// given time.
func promptRate(hanging int, after time.Duration) int {
	const prompt, latency = 40, 50 * time.Millisecond
	l, now, end := newLoad(), noon, noon.Add(after+measured)
	var pending events
	delivered := 0
	for claimAt := noon; now.Before(end); {
		if !now.Before(claimAt) {
			for _, j := range claimAll(l, hanging+prompt, now) {
				took := latency
				if int(j.Receiver) < hanging {
					took = AttemptTimeout
					heap.Push(&pending, event{now.Add(slowAfter), j, false})
				}
				heap.Push(&pending, event{now.Add(took), j, true})
			}
			claimAt = now.Add(claimSpacing)
		}
		if len(pending) == 0 || pending[0].at.After(claimAt) {
			now = claimAt
			continue
		}
		e := heap.Pop(&pending).(event)
		now = e.at
		switch {
		case !e.end:
			l.late(e.job, now)
		case int(e.job.Receiver) < hanging:
			l.done(e.job, answered(0, AttemptTimeout), now)
		default:
			l.done(e.job, answered(200, latency), now)
			if now.Sub(noon) > after {
				delivered++
			}
		}
	}
	return delivered / int(measured/time.Second)
}

// claimAll claims from a store in which every receiver always has more due.
func claimAll(l *load, receivers int, now time.Time) []*job {
	due := make([]DueReceiver, receivers)
	for i := range due {
		due[i] = DueReceiver{ID: ReceiverID(i), Since: noon, Held: l.receiver(ReceiverID(i), now).inFlight}
	}
	var jobs []*job
	for _, s := range l.plan(due, claimBatch, now) {
		for range s.N {
			jobs = append(jobs, l.start(Delivery{Receiver: s.Receiver}, now))
		}
	}
	return jobs
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
