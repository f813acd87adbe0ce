package webhook_test

import (
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/webhook"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// middle is the jitter that leaves a duration as it is.
const middle = 0.5

func result(status int, retryAfter time.Duration) webhook.Result {
	return webhook.Result{
		Attempt:    webhook.Attempt{At: noon, URL: "https://shop.example/hook", Status: status, Latency: 2 * time.Second},
		RetryAfter: retryAfter,
	}
}

func TestDecide_State(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		made   int
		status int
		want   webhook.State
	}{
		{"200", 0, 200, webhook.Delivered},
		{"204", 5, 204, webhook.Delivered},
		{"299 at the last", 9, 299, webhook.Delivered},
		{"no answer", 0, 0, webhook.Waiting},
		{"no answer at the last", 9, 0, webhook.Failed},
		{"101", 0, 101, webhook.Waiting},
		{"301", 0, 301, webhook.Waiting},
		{"304", 9, 304, webhook.Failed},
		{"400", 0, 400, webhook.Waiting},
		{"404", 8, 404, webhook.Waiting},
		{"410", 0, 410, webhook.Stopped},
		{"410 at the last", 9, 410, webhook.Stopped},
		{"429", 0, 429, webhook.Waiting},
		{"429 at the last", 9, 429, webhook.Failed},
		{"500", 0, 500, webhook.Waiting},
		{"503 after all of them", 12, 503, webhook.Failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			state, next := webhook.Decide(c.made, result(c.status, 0), middle)
			if state != c.want {
				t.Fatalf("got %s, want %s", state, c.want)
			}
			if (state == webhook.Waiting) == next.IsZero() {
				t.Fatalf("%s is next due at %v", state, next)
			}
		})
	}
	state, next := webhook.Decide(9, webhook.Result{Attempt: webhook.Attempt{At: noon}, Unsent: true}, middle)
	if state != webhook.Waiting || !next.Equal(webhook.Parked()) {
		t.Fatalf("without a callback URL: %s until %s", state, next)
	}
	refused := webhook.Result{Attempt: webhook.Attempt{At: noon, URL: "https://shop.example/"}, Unsent: true}
	if state, next = webhook.Decide(9, refused, middle); state != webhook.Waiting || next.After(noon.Add(2*time.Hour)) {
		t.Fatalf("refused by the operator's list: %s until %s", state, next)
	}
}

// TestDecide_Spared: what costs no attempt is tried again soon, also after all of them.
func TestDecide_Spared(t *testing.T) {
	t.Parallel()
	r := result(503, time.Second)
	r.Spared = time.Second
	for _, made := range []int{0, 9} {
		state, next := webhook.Decide(made, r, 0)
		if state != webhook.Waiting || !next.Equal(noon.Add(3*time.Second)) {
			t.Errorf("after %d attempts: %s until %s", made, state, next)
		}
	}
}

// The waits of Standard Webhooks 1.0, counted from the end of each attempt.
func TestDecide_Schedule(t *testing.T) {
	t.Parallel()
	want := []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
		10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
	if webhook.MaxAttempts != len(want)+1 {
		t.Fatalf("%d attempts, want %d", webhook.MaxAttempts, len(want)+1)
	}
	ended := noon.Add(2 * time.Second)
	var sum time.Duration
	for made, wait := range want {
		sum += wait
		for jitter, share := range map[float64]float64{0: -0.1, 0.25: -0.05, middle: 0, 0.75: 0.05, 1: 0.1} {
			_, next := webhook.Decide(made, result(500, 0), jitter)
			if exact := ended.Add(wait + time.Duration(share*float64(wait))); next.Sub(exact).Abs() > time.Millisecond {
				t.Errorf("after attempt %d with jitter %v: %v, want %v", made+1, jitter, next.Sub(ended), exact.Sub(ended))
			}
		}
	}
	if sum < 75*time.Hour {
		t.Errorf("the attempts end after %v", sum)
	}
}

func TestDecide_BadJitterStaysBounded(t *testing.T) {
	t.Parallel()
	ended := noon.Add(2 * time.Second)
	for _, jitter := range []float64{-7, 7, math.NaN(), math.Inf(1), math.Inf(-1)} {
		_, next := webhook.Decide(1, result(500, 0), jitter)
		if wait := next.Sub(ended); wait < 270*time.Second || wait > 330*time.Second {
			t.Errorf("jitter %v: %v", jitter, wait)
		}
	}
}

func TestDecide_RetryAfterAndThrottle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		made   int
		status int
		asked  time.Duration
		jitter float64
		want   time.Duration
	}{
		{"asked for longer than the schedule", 0, http.StatusServiceUnavailable, time.Minute, 0, time.Minute},
		{"jitter only adds to it", 0, http.StatusServiceUnavailable, time.Minute, 1, 66 * time.Second},
		{"asked for less than the schedule", 1, http.StatusServiceUnavailable, time.Minute, middle, 5 * time.Minute},
		{"asked for more than a day", 0, http.StatusServiceUnavailable, 1000 * time.Hour, 0, webhook.MaxRetryAfter},
		{"asked for less than nothing", 0, http.StatusServiceUnavailable, -time.Hour, middle, 5 * time.Second},
		{"throttled", 0, http.StatusTooManyRequests, 0, middle, 5 * time.Second},
		{"throttled later", 2, http.StatusTooManyRequests, 0, middle, 30 * time.Minute},
		{"throttled and asked", 0, http.StatusTooManyRequests, 2 * time.Minute, 0, 2 * time.Minute},
		{"500 is no throttle", 0, http.StatusInternalServerError, 0, middle, 5 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			state, next := webhook.Decide(c.made, result(c.status, c.asked), c.jitter)
			if got := next.Sub(noon.Add(2 * time.Second)); state != webhook.Waiting || got != c.want {
				t.Fatalf("got %s after %v, want %v", state, got, c.want)
			}
		})
	}
}
