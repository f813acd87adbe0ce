package webhook_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/webhook"
)

// A busy shop: so many workers, which take so long for an event each.
const (
	busyWorkers = 4
	busyWork    = 400 * time.Millisecond
)

// busyShop refuses what comes while all its workers are at work.
func busyShop(t *testing.T, refuse func(http.ResponseWriter)) string {
	t.Helper()
	places := make(chan struct{}, busyWorkers)
	return startReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		select {
		case places <- struct{}{}:
			time.Sleep(busyWork)
			<-places
		default:
			refuse(w)
		}
	}).URL
}

// closedShop takes no connection while all its workers are at work: nothing listens then.
func closedShop(t *testing.T) string {
	t.Helper()
	listen := func(address string) net.Listener {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Error(err)
		}
		return l
	}
	l := listen("127.0.0.1:0")
	address := l.Addr().String()
	places, over := make(chan struct{}, busyWorkers), make(chan struct{})
	var mu sync.Mutex
	var running sync.WaitGroup
	t.Cleanup(func() {
		close(over)
		mu.Lock()
		_ = l.Close()
		mu.Unlock()
		running.Wait()
	})
	running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			places <- struct{}{}
			running.Go(func() { workOn(c); <-places })
			if len(places) < busyWorkers {
				continue
			}
			_ = l.Close()
			places <- struct{}{} // once a worker is free
			<-places
			mu.Lock()
			select {
			case <-over:
			default:
				l = listen(address)
			}
			mu.Unlock()
		}
	})
	return "http://" + address
}

// workOn takes an event as a worker of the shop does.
func workOn(c net.Conn) {
	defer c.Close()
	q, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, q.Body)
	time.Sleep(busyWork)
	_, _ = io.WriteString(c, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
}

// TestRun_BusyReceiver: sixty events at once reach a shop that takes ten a second within half a minute, however it says
// that it is busy, and few of them cost an attempt.
func TestRun_BusyReceiver(t *testing.T) {
	t.Parallel()
	const events, within = 60, 30 * time.Second
	says := func(status int, after string) func(*testing.T) string {
		return func(t *testing.T) string {
			t.Helper()
			return busyShop(t, func(w http.ResponseWriter) {
				if after != "" {
					w.Header().Set("Retry-After", after)
				}
				w.WriteHeader(status)
			})
		}
	}
	for name, open := range map[string]func(*testing.T) string{
		"503": says(503, ""), "429 for a second": says(429, "1"), "502": says(502, ""), "Closed": closedShop,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, o := open(t), newMemory()
			for range events {
				o.Enqueue(t, url, overdue())
			}
			began := time.Now()
			run(t, deliverer(o, "one", time.Now))
			for o.Count(webhook.Delivered) < events && time.Since(began) < within {
				time.Sleep(20 * time.Millisecond)
			}
			t.Logf("%d of %d after %v", o.Count(webhook.Delivered), events, time.Since(began).Round(time.Millisecond))
			if o.Count(webhook.Delivered) < events {
				t.Error("not all were delivered")
			}
			if n := o.attempts(); n > events+3 {
				t.Errorf("%d attempts were counted", n)
			}
		})
	}
}

// attempts is how many attempts were counted.
func (m *memory) attempts() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, r := range m.rows {
		n += r.Attempt
	}
	return n
}

func TestParseRetryAfter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value string
		want  time.Duration
		ok    bool
	}{
		{"0", 0, true},
		{"120", 2 * time.Minute, true},
		{" 5 ", 5 * time.Second, true},
		{"86400", webhook.MaxRetryAfter, true},
		{"86401", webhook.MaxRetryAfter, true},
		{"99999999999999999999999999", webhook.MaxRetryAfter, true},
		{"Sat, 21 Nov 2026 12:01:00 GMT", time.Minute, true},
		{"Saturday, 21-Nov-26 12:01:00 GMT", time.Minute, true},
		{"Sat Nov 21 12:01:00 2026", time.Minute, true},
		{"Sat, 21 Nov 2026 11:00:00 GMT", 0, true},
		{"Sat, 21 Nov 2099 12:00:00 GMT", webhook.MaxRetryAfter, true},
		{"Fri, 31 Dec 9999 23:59:59 GMT", webhook.MaxRetryAfter, true},
		{"", 0, false},
		{"-1", 0, false},
		{"+1", 0, false},
		{"1.5", 0, false},
		{"soon", 0, false},
		{"2026-11-21T12:01:00Z", 0, false},
	} {
		got, ok := webhook.ParseRetryAfter(c.value, noon)
		if got != c.want || ok != c.ok {
			t.Errorf("%q: got %v, %v; want %v, %v", c.value, got, ok, c.want, c.ok)
		}
	}
}

func FuzzParseRetryAfter(f *testing.F) {
	for _, s := range []string{"0", "120", "-1", "1e9", "Sat, 21 Nov 2026 12:01:00 GMT", "9999999999999999999"} {
		f.Add(s, int64(0))
	}
	f.Fuzz(func(t *testing.T, value string, seconds int64) {
		now := time.Unix(seconds%(1<<40), 0)
		got, ok := webhook.ParseRetryAfter(value, now)
		if got < 0 || got > webhook.MaxRetryAfter || !ok && got != 0 {
			t.Fatalf("%q at %v: %v, %v", value, now, got, ok)
		}
		// A date is parsed as the time until it, in whole seconds.
		if at, err := http.ParseTime(value); err == nil && at.After(now) && at.Sub(now) < webhook.MaxRetryAfter &&
			got != at.Sub(now) {
			t.Fatalf("%q at %v: %v, want %v", value, now, got, at.Sub(now))
		}
	})
}
