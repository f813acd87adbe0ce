package endpoint_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain/endpoint"
)

// TestOrder: an endpoint that is slow, or lags, is asked after the others; those about as quick keep their order.
func TestOrder(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	type standings = map[string]endpoint.Standing
	for name, c := range map[string]struct {
		standings standings
		want      string
	}{
		"Unknown":  {standings{}, "abc"},
		"Similar":  {standings{"a": {9, 300 * ms}, "b": {9, 90 * ms}, "c": {9, 0}}, "abc"},
		"Slow":     {standings{"a": {9, 12_000 * ms}, "b": {9, 90 * ms}, "c": {9, 0}}, "bca"},
		"Lags":     {standings{"a": {9, 50 * ms}, "b": {99, 90 * ms}, "c": {95, 0}}, "bca"},
		"LagsMore": {standings{"a": {9, 50 * ms}, "b": {99, 900 * ms}, "c": {95, 50 * ms}}, "cba"},
	} {
		got := []string{"a", "b", "c"}
		if endpoint.Order(got, c.standings); strings.Join(got, "") != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
}

// TestLatency: one slow answer shows, a request that was given up counts as long as it was waited for, and after a
// while nothing is known.
func TestLatency(t *testing.T) {
	t.Parallel()
	var l endpoint.Latency
	l.Observe(time.Millisecond, true, begin) // refused at once
	if l.Lately(begin) != 0 {
		t.Error("a refusal is no measure")
	}
	for range 20 {
		l.Observe(100*time.Millisecond, false, begin)
	}
	l.Observe(12*time.Second, true, begin)
	if got := l.Lately(begin.Add(time.Minute)); got < 2*time.Second {
		t.Errorf("given up after 12 s: %s", got)
	}
	if got := l.Lately(begin.Add(time.Hour)); got != 0 || l.Average() == 0 {
		t.Errorf("after an hour: %s", got)
	}
}

// TestItem: an answer about one item, or a timeout of it, is no failure of the endpoint; what fails for all is.
func TestItem(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection refused")
	for name, c := range map[string]struct {
		err      error
		answered bool
		want     bool
	}{
		"Answer": {errors.New("error -32000"), true, true}, "Timeout": {context.DeadlineExceeded, false, true},
		"Transport": {broken, false, false}, "None": {nil, true, false},
	} {
		err := endpoint.OfItem(c.err, c.answered)
		if endpoint.IsItem(err) != c.want || c.err != nil && (!errors.Is(err, c.err) || err.Error() != c.err.Error()) {
			t.Errorf("%s: %v is of an item: %v", name, err, !c.want)
		}
	}
}

// TestRate_Learns: an endpoint whose plan is slower than the configured rate is soon refused no more, and keeps what it
// allows for a while; when it allows more again, it gets more.
func TestRate_Learns(t *testing.T) {
	t.Parallel()
	now := begin
	sleep := func(_ context.Context, d time.Duration) error {
		now = now.Add(d)
		return nil
	}
	clock := endpoint.Clock{Now: func() time.Time { return now }, Sleep: sleep}
	r := endpoint.NewRate(25, clock)
	// use makes calls for so long, of which the endpoint allows so many a second, and counts those it refuses.
	use := func(allowed int, d time.Duration) (refused int) {
		var sent []time.Time
		for end := now.Add(d); now.Before(end); {
			answered, err := r.Begin(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			sent = slices.DeleteFunc(sent, func(at time.Time) bool { return now.Sub(at) >= time.Second })
			if sent = append(sent, now); len(sent) > allowed {
				refused++
				r.Refused()
			}
			answered()
		}
		return refused
	}
	if n := use(10, time.Minute); n == 0 || n > 60 {
		t.Errorf("%d calls were refused while the rate was learnt", n)
	}
	if n, found := r.Learnt(); !found || n > 10 || n < 5 {
		t.Errorf("learnt %d, %v", n, found)
	}
	if n := use(10, 5*time.Minute); n != 0 {
		t.Errorf("%d calls were refused after it was learnt", n)
	}
	use(100, 2*time.Hour)
	if n, found := r.Learnt(); found {
		t.Errorf("it allows more again, and gets %d", n)
	}
	if r.Most(100) != 25 {
		t.Errorf("a request may hold %d", r.Most(100))
	}
}
