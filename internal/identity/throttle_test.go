package identity

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/fault"
)

// tries returns how many attempts in a row pass.
func (t *throttle) tries(email, address string, now time.Time, most int) int {
	for i := range most {
		if t.take(email, address, true, now) != nil {
			return i
		}
	}
	return most
}

func TestThrottle(t *testing.T) {
	t.Parallel()
	th := newThrottle()
	if got := th.tries("ada", "192.0.2.1", noon, 100); got != perUserAndAddress.burst {
		t.Errorf("%d tries pass, want %d", got, perUserAndAddress.burst)
	}
	if got := th.tries("eve", "192.0.2.1", noon, 1); got != 1 {
		t.Error("another user is refused from the address")
	}
	if got := th.tries("ada", "192.0.2.2", noon, 1); got != 1 {
		t.Error("the user is refused from another address")
	}
	if got := th.tries("ada", "192.0.2.1", noon.Add(perUserAndAddress.interval-time.Second), 1); got != 0 {
		t.Error("a try passes before its time")
	}
	if got := th.tries("ada", "192.0.2.1", noon.Add(2*perUserAndAddress.interval), 100); got != 2 {
		t.Errorf("%d tries pass after two intervals, want 2", got)
	}
}

// TestThrottle_Spraying: one password tried for many users counts by address.
func TestThrottle_Spraying(t *testing.T) {
	t.Parallel()
	th := newThrottle()
	passed := 0
	for i := range 1000 {
		if th.take(fmt.Sprintf("user%d", i), "192.0.2.1", true, noon) == nil {
			passed++
		}
	}
	if passed != perAddress.burst {
		t.Errorf("%d tries pass, want %d", passed, perAddress.burst)
	}
}

func TestThrottle_Addresses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		a, b string
		same bool
	}{
		"one subscriber's IPv6":  {"2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true},
		"two subscribers' IPv6":  {"2001:db8:1:2::1", "2001:db8:1:3::1", false},
		"IPv4 in IPv6":           {"::ffff:192.0.2.1", "192.0.2.1", true},
		"two IPv4":               {"192.0.2.1", "192.0.2.2", false},
		"zone":                   {"fe80::1%eth0", "fe80::1%eth1", true},
		"no address is one, too": {"", "", true},
	} {
		th := newThrottle()
		th.tries("ada", c.a, noon, 100)
		if refused := th.tries("ada", c.b, noon, 1) == 0; refused != c.same {
			t.Errorf("%s: counted together is %t, want %t", name, refused, c.same)
		}
	}
}

func TestThrottle_ManyAtOnce(t *testing.T) {
	t.Parallel()
	th := newThrottle()
	var passed atomic.Int64
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			if th.take("ada", "192.0.2.1", true, noon) == nil {
				passed.Add(1)
			}
		})
	}
	wg.Wait()
	if got := passed.Load(); got != int64(perUserAndAddress.burst) {
		t.Errorf("%d of 100 at once pass, want %d", got, perUserAndAddress.burst)
	}
}

func TestThrottle_Bounded(t *testing.T) {
	t.Parallel()
	th := newThrottle()
	for i := range 2 * maxTracked {
		if err := th.take("ada", fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255), true, noon); err != nil {
			t.Fatalf("try %d: %v", i, err)
		}
	}
	if n := len(th.whole); n > maxTracked+1 {
		t.Errorf("%d senders are remembered, want at most %d", n, maxTracked+1)
	}
	const more = maxTracked / 2
	for i := range more {
		if err := th.take("ada", fmt.Sprintf("11.0.%d.%d", i>>8, i&255), true, noon.Add(24*time.Hour)); err != nil {
			t.Fatalf("try %d of the next day: %v", i, err)
		}
	}
	if n := len(th.whole); n > 2*more {
		t.Errorf("%d senders are remembered a day later, want the %d of that day", n, 2*more)
	}
	for s := range th.whole {
		if strings.HasPrefix(s.address, "10.") {
			t.Fatalf("%s is still remembered a day later", s.address)
		}
	}
}

func TestThrottle_RetryAfter(t *testing.T) {
	t.Parallel()
	th := newThrottle()
	th.tries("ada", "192.0.2.1", noon, 100)
	f := fault.Of(th.take("ada", "192.0.2.1", true, noon))
	if f == nil || f.Kind != fault.Limited || f.RetryAfter != perUserAndAddress.interval {
		t.Fatalf("the refusal is %+v, want fault.Limited and %s", f, perUserAndAddress.interval)
	}
}

// Guesses for one user from ever new addresses reach the limit of the user. A
// device the user signed in from before is not delayed; others wait minutes.
func TestThrottle_Distributed(t *testing.T) {
	t.Parallel()
	th, passed := newThrottle(), 0
	for i := range 1000 {
		if th.take("ada", fmt.Sprintf("192.0.%d.%d", 2+i/250, i%250), false, noon) == nil {
			passed++
		}
	}
	if passed != perUser.burst {
		t.Errorf("%d guesses from 1000 addresses pass, want %d", passed, perUser.burst)
	}
	if err := th.take("ada", "198.51.100.7", true, noon); err != nil {
		t.Errorf("the user's own device waits: %v", err)
	}
	if err := th.take("eve", "198.51.100.7", false, noon); err != nil {
		t.Errorf("another user waits: %v", err)
	}
	err := th.take("ada", "198.51.100.8", false, noon)
	if f := fault.Of(err); f == nil || f.Kind != fault.Limited || f.RetryAfter <= 0 || f.RetryAfter > 5*time.Minute {
		t.Errorf("a new device of the user waits: %v", err)
	}
	if err := th.take("ada", "198.51.100.8", false, noon.Add(perUser.interval)); err != nil {
		t.Errorf("a new device of the user still waits: %v", err)
	}
}

// Wrong codes are counted over all addresses; right ones cost nothing.
func TestCodeBudget(t *testing.T) {
	t.Parallel()
	b := newCodeBudget()
	for range 100 {
		if err := b.take(1, noon); err != nil {
			t.Fatal(err)
		}
		b.giveBack(1)
	}
	passed := 0
	for range 100 {
		if b.take(1, noon) == nil {
			passed++
		}
	}
	if passed != perUserCodes.burst || b.take(2, noon) != nil {
		t.Errorf("%d wrong codes pass, want %d", passed, perUserCodes.burst)
	}
	hour := 0
	for i := range 60 {
		if b.take(1, noon.Add(time.Duration(i+1)*time.Minute)) == nil {
			hour++
		}
	}
	if hour != 10 {
		t.Errorf("%d wrong codes pass in the hour after, want 10", hour)
	}
}
