package endpoint_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain/endpoint"
)

var begin = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)

// use asks n times under a real limit and counts the refusals.
func use(l *endpoint.Limit, limit uint64, n int, now time.Time) (refusals int) {
	for range n {
		if l.Size() <= limit {
			l.Accept(l.Size(), now)
		} else if refusals++; !l.Refuse(l.Size(), 0, now) {
			return refusals
		}
	}
	return refusals
}

// Whatever the limit is, it is found within some requests, kept to, tried ever more rarely, and left when it is raised.
func TestLimit_FindsAndForgets(t *testing.T) {
	t.Parallel()
	for _, limit := range []uint64{1, 2, 5, 10, 17, 100, 999, 1_000, 2_000, 9_999, 10_000, 1_000_000} {
		l := endpoint.NewLimit(1_000, 10_000)
		use(&l, limit, 40, begin)
		if want := min(limit, 10_000); l.Size() != want {
			t.Errorf("limit %d: settled at %d", limit, l.Size())
		}
		if again := use(&l, limit, 100, begin); again != 0 {
			t.Errorf("limit %d: refused %d times after it was found", limit, again)
		}
		refusals := 0
		for minute := range 24 * 60 {
			refusals += use(&l, limit, 2, begin.Add(time.Duration(minute)*time.Minute))
		}
		if refusals > 10 {
			t.Errorf("limit %d: tried again %d times in a day", limit, refusals)
		}
		if _, found := l.Learnt(); found != (limit < 10_000) {
			t.Errorf("limit %d: learnt %v", limit, found)
		}
		use(&l, 1_000_000, 40, begin.Add(48*time.Hour))
		if _, found := l.Learnt(); found || l.Size() != 10_000 {
			t.Errorf("limit %d lifted: %d", limit, l.Size())
		}
	}
}

// What the endpoint says that it takes is asked for at once.
func TestLimit_Hint(t *testing.T) {
	t.Parallel()
	l := endpoint.NewLimit(1_000, 10_000)
	if !l.Refuse(1_000, 10, begin) || l.Size() != 10 {
		t.Fatalf("after the hint 10: %d", l.Size())
	}
	if l.Refuse(10, 10, begin); l.Size() != 5 {
		t.Errorf("a wrong hint: %d", l.Size())
	}
	one := endpoint.NewLimit(1, 10)
	if one.Refuse(1, 0, begin) || one.Size() != 1 {
		t.Errorf("less than one: %d", one.Size())
	}
}

func TestHint(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]uint64{
		"eth_getLogs is limited to a 5 range":                                                   5,
		"You can make eth_getLogs requests with up to a 10 block range.":                        10,
		"up to a 2K block range or a cap of 10K logs; this range should work: [0x0, 0xd043b8]":  2_000,
		"range 1000000 exceeds limit of 10000":                                                  0,
		"block range is larger than max block range, block range = 5120, max block range = 800": 800,
		"eth_getLogs range is too large, max is 1k blocks":                                      1_000,
		"limited to a 1,024 block range":                                                        1_024,
		"query duration must not exceed 10 seconds":                                             0,
		"query returned more than 20 results":                                                   0,
		"at most 50 requests, 128 blocks":                                                       128,
		"limit exceeded":                                                                        0,
		"error -32005 at 0x10":                                                                  0,
	} {
		if got := endpoint.Hint(message, 5_000); got != want {
			t.Errorf("%q: %d, want %d", message, got, want)
		}
	}
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	var u endpoint.Unknown
	if u.Has("safe", begin) || u.Names(begin) != nil {
		t.Error("nothing was recorded")
	}
	u.Add("safe", begin)
	if !u.Has("safe", begin.Add(time.Minute)) || u.Has("safe", begin.Add(time.Hour)) || u.Has("pending", begin) {
		t.Errorf("recorded: %v", u)
	}
	var h endpoint.History
	h.Refuse(10_000, begin)
	h.Refuse(128, begin)
	if h.Has(128, begin) || !h.Has(127, begin) || !h.Has(128, begin.Add(time.Hour)) {
		t.Errorf("history: %+v", h)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"": 2 * time.Second, "7": 7 * time.Second, "0": time.Second,
		"1.5": 1500 * time.Millisecond, "soon": 2 * time.Second,
		"86400": 5 * time.Minute, "Sun, 22 Nov 2026 00:00:30 GMT": 30 * time.Second, "NaN": 2 * time.Second,
		"Sat, 21 Nov 2026 00:00:30 GMT": time.Second, "-3": 2 * time.Second,
	} {
		if got := endpoint.RetryAfter(text, begin); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	for message, want := range map[string]time.Duration{
		"too many requests, try again in 10 seconds": 10 * time.Second, "slow down": 2 * time.Second,
		"Rate limited. Retry after 2m": 2 * time.Minute, "retry in 300ms": time.Second,
		"call rate limit exhausted, retry in 1m30s": 90 * time.Second, "retry in 2.5s": 2500 * time.Millisecond,
	} {
		if got := endpoint.BackOff(message, nil); got != want {
			t.Errorf("%q: %s, want %s", message, got, want)
		}
	}
	if got := endpoint.BackOff("", []byte(`{"rate":{"backoff_seconds":30}}`)); got != 30*time.Second {
		t.Errorf("Infura's data: %s", got)
	}
}
