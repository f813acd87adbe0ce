package webhook_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/webhook"
)

// outbox is a store under test, with access to its rows.
type outbox interface {
	webhook.Store
	// Enqueue adds a delivery to the URL, due at the given time.
	Enqueue(t *testing.T, url string, due time.Time) int64
	// Look returns the delivery as it is stored.
	Look(t *testing.T, id int64) stateOf
}

// conform is the conformance suite of webhook.Store. open returns a new, empty
// outbox; the subtests run in parallel.
func conform(t *testing.T, open func(t *testing.T) outbox) {
	for name, test := range map[string]func(*testing.T, outbox){
		"ClaimsWhatIsDue":        claimsWhatIsDue,
		"HoldsUntilTheLeaseEnds": holdsUntilTheLeaseEnds,
		"BoundsWhatAURLHolds":    boundsWhatAURLHolds,
		"SettlesEachState":       settlesEachState,
		"KeepsEveryAttempt":      keepsEveryAttempt,
		"OnlyTheHolderSettles":   onlyTheHolderSettles,
		"ReturnsWhatIsNextDue":   returnsWhatIsNextDue,
		"HandsOutEachOnce":       handsOutEachOnce,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func mustClaim(t *testing.T, o outbox, holder string, now time.Time, limit, perURL int) []webhook.Delivery {
	t.Helper()
	got, err := webhook.ClaimDue(t.Context(), o, holder, now, now.Add(time.Minute), limit, perURL)
	testkit.Must(t, err)
	return got
}

func mustSettle(t *testing.T, o outbox, holder string, out webhook.Outcome) {
	t.Helper()
	testkit.Must(t, o.Settle(t.Context(), holder, out))
}

func ids(ds []webhook.Delivery) []int64 {
	out := make([]int64, 0, len(ds))
	for _, d := range ds {
		out = append(out, d.ID)
	}
	slices.Sort(out)
	return out
}

// failed is an attempt with a status that does not count as success.
func failed(at time.Time) webhook.Attempt {
	return webhook.Attempt{
		At: at, URL: "https://shop.example/hook", Status: 500, Latency: 123 * time.Millisecond,
		Error: "why", Response: "no — \"really\"\n", Request: "POST /hook\n\n{}",
	}
}

func claimsWhatIsDue(t *testing.T, o outbox) {
	past := o.Enqueue(t, "https://a.example/", noon.Add(-time.Hour))
	now := o.Enqueue(t, "https://b.example/", noon)
	o.Enqueue(t, "https://c.example/", noon.Add(time.Second))
	got := mustClaim(t, o, "one", noon, 10, 10)
	if !slices.Equal(ids(got), ids([]webhook.Delivery{{ID: past}, {ID: now}})) {
		t.Fatalf("claimed %v, want %d and %d", ids(got), past, now)
	}
	for _, d := range got {
		if d.EventID == "" || d.URL == "" || d.Attempt != 0 || len(d.Body) == 0 {
			t.Errorf("claimed %+v", d)
		}
	}
	for range 3 {
		o.Enqueue(t, "https://d.example/", noon)
	}
	if got := mustClaim(t, o, "one", noon, 2, 10); len(got) != 2 {
		t.Errorf("%d claimed, limit 2", len(got))
	}
}

func holdsUntilTheLeaseEnds(t *testing.T, o outbox) {
	id := o.Enqueue(t, "https://a.example/", noon)
	first := mustClaim(t, o, "one", noon, 10, 10)
	for _, holder := range []string{"one", "two"} {
		if got := mustClaim(t, o, holder, noon.Add(59*time.Second), 10, 10); len(got) != 0 {
			t.Fatalf("%s claimed deliveries that another holds: %v", holder, ids(got))
		}
	}
	again := mustClaim(t, o, "two", noon.Add(61*time.Second), 10, 10)
	if len(again) != 1 || again[0].ID != id || again[0].EventID != first[0].EventID || again[0].Attempt != 0 {
		t.Fatalf("after the lease: %+v, before %+v", again, first)
	}
}

func boundsWhatAURLHolds(t *testing.T, o outbox) {
	for range 5 {
		o.Enqueue(t, "https://a.example/", noon)
	}
	other := o.Enqueue(t, "https://b.example/", noon)
	got := mustClaim(t, o, "one", noon, 10, 2)
	if len(got) != 3 || !slices.Contains(ids(got), other) {
		t.Fatalf("claimed %v, want two of one URL and %d", ids(got), other)
	}
	if more := mustClaim(t, o, "one", noon, 10, 2); len(more) != 0 {
		t.Fatalf("claimed %v while two are held", ids(more))
	}
	for _, d := range got {
		if d.ID != other {
			mustSettle(t, o, "one", webhook.Outcome{DeliveryID: d.ID, Attempt: failed(noon), State: webhook.Delivered})
			break
		}
	}
	if more := mustClaim(t, o, "one", noon, 10, 2); len(more) != 1 {
		t.Fatalf("claimed %v after one of two was settled", ids(more))
	}
	if more := mustClaim(t, o, "two", noon.Add(2*time.Minute), 10, 2); len(more) != 3 {
		t.Fatalf("claimed %v after all leases ended", ids(more))
	}
}

func settlesEachState(t *testing.T, o outbox) {
	for _, state := range []webhook.State{webhook.Waiting, webhook.Delivered, webhook.Failed, webhook.Stopped} {
		id := o.Enqueue(t, "https://"+string(state[0])+".example/", noon)
		got := mustClaim(t, o, "one", noon, 10, 10)
		if len(got) != 1 || got[0].ID != id {
			t.Fatalf("claimed %v, want %d", ids(got), id)
		}
		out := webhook.Outcome{DeliveryID: id, Attempt: failed(noon), State: state}
		if state == webhook.Waiting {
			out.NextAt = noon.Add(5 * time.Minute)
		}
		mustSettle(t, o, "one", out)
		row := o.Look(t, id)
		if row.State != state || row.Made != 1 || state == webhook.Waiting && !row.NextAt.Equal(out.NextAt) {
			t.Errorf("%s is stored as %+v", state, row)
		}
		if got := mustClaim(t, o, "one", noon.Add(4*time.Minute), 10, 10); len(got) != 0 {
			t.Fatalf("%s: claimed %v before its time", state, ids(got))
		}
		got = mustClaim(t, o, "one", noon.Add(6*time.Minute), 10, 10)
		if want := state == webhook.Waiting; (len(got) == 1 && got[0].Attempt == 1) != want {
			t.Errorf("%s: claimed %+v later", state, got)
		}
		for _, d := range got {
			mustSettle(t, o, "one", webhook.Outcome{DeliveryID: d.ID, Attempt: failed(noon), State: webhook.Delivered})
		}
	}
}

func keepsEveryAttempt(t *testing.T, o outbox) {
	id := o.Enqueue(t, "https://a.example/", noon)
	now := noon
	var want []webhook.Attempt
	for i := range 3 {
		got := mustClaim(t, o, "one", now, 1, 1)
		if len(got) != 1 || got[0].Attempt != i {
			t.Fatalf("claim %d: %+v", i, got)
		}
		a := failed(now)
		a.Status = 500 + i
		want = append(want, a)
		now = now.Add(time.Minute)
		mustSettle(t, o, "one", webhook.Outcome{DeliveryID: id, Attempt: a, State: webhook.Waiting, NextAt: now})
	}
	row := o.Look(t, id)
	if row.Made != 3 || len(row.Attempts) != 3 {
		t.Fatalf("%d made, %d stored", row.Made, len(row.Attempts))
	}
	for i, a := range row.Attempts {
		if !a.At.Equal(want[i].At) {
			t.Errorf("attempt %d at %v, want %v", i, a.At, want[i].At)
		}
		if a.At = want[i].At; a != want[i] {
			t.Errorf("attempt %d is %+v\nwant %+v", i, a, want[i])
		}
	}
}

func onlyTheHolderSettles(t *testing.T, o outbox) {
	id := o.Enqueue(t, "https://a.example/", noon)
	out := webhook.Outcome{DeliveryID: id, Attempt: failed(noon), State: webhook.Delivered}
	mustSettle(t, o, "other", out)
	mustClaim(t, o, "one", noon, 1, 1)
	later := noon.Add(2 * time.Minute)
	if got := mustClaim(t, o, "two", later, 1, 1); len(got) != 1 {
		t.Fatalf("claimed %v", ids(got))
	}
	mustSettle(t, o, "one", out) // too late: two has it now
	if row := o.Look(t, id); row.State != webhook.Waiting || row.Made != 0 {
		t.Fatalf("settled by another than its holder: %+v", row)
	}
	mustSettle(t, o, "two", out)
	mustSettle(t, o, "two", out)
	if row := o.Look(t, id); row.State != webhook.Delivered || row.Made != 1 || len(row.Attempts) != 1 {
		t.Fatalf("settled twice by its holder: %+v", row)
	}
}

func returnsWhatIsNextDue(t *testing.T, o outbox) {
	expect := func(now time.Time, want time.Time) {
		t.Helper()
		at, ok, err := o.NextDue(t.Context(), now)
		if err != nil || ok == want.IsZero() || ok && !at.Equal(want) {
			t.Fatalf("next due at %v, %v, %v; want %v", at, ok, err, want)
		}
	}
	expect(noon, time.Time{})
	o.Enqueue(t, "https://a.example/", noon.Add(time.Hour))
	o.Enqueue(t, "https://b.example/", noon)
	expect(noon.Add(-time.Minute), noon)
	got := mustClaim(t, o, "one", noon, 1, 1)
	expect(noon, noon.Add(time.Hour))
	mustSettle(
		t, o, "one",
		webhook.Outcome{
			DeliveryID: got[0].ID, Attempt: failed(noon), State: webhook.Waiting, NextAt: noon.Add(5 * time.Second),
		},
	)
	expect(noon, noon.Add(5*time.Second))
}

// handsOutEachOnce: several instances claim at the same time.
func handsOutEachOnce(t *testing.T, o outbox) {
	const deliveries, instances, perURL = 60, 4, 3
	for i := range deliveries {
		o.Enqueue(t, fmt.Sprintf("https://%d.example/", i%5), noon)
	}
	var mu sync.Mutex
	times := make(map[int64]int)
	var all sync.WaitGroup
	for i := range instances {
		all.Go(func() {
			holder := fmt.Sprint("instance", i)
			for idle := 0; idle < 50; {
				got, err := webhook.ClaimDue(
					context.WithoutCancel(t.Context()), o, holder, noon, noon.Add(time.Minute), 7, perURL,
				)
				if err != nil {
					t.Error(err)
					return
				}
				if len(got) == 0 {
					idle++
					time.Sleep(time.Millisecond) // the others hold the rest
				}
				for _, d := range got {
					mu.Lock()
					times[d.ID]++
					mu.Unlock()
					if err := o.Settle(
						context.WithoutCancel(t.Context()), holder,
						webhook.Outcome{DeliveryID: d.ID, Attempt: failed(noon), State: webhook.Delivered},
					); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	all.Wait()
	for id, n := range times {
		if n != 1 {
			t.Errorf("delivery %d was handed out %d times", id, n)
		}
	}
	if len(times) != deliveries {
		t.Errorf("%d of %d were handed out", len(times), deliveries)
	}
}
