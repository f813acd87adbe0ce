package web

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/payment"
)

// testPage counts its turns; a turn waits until it is let go.
type testPage struct {
	turns, news atomic.Int64
	closed      atomic.Int64
	entered     chan struct{} // nil: turns do not wait
	hold        chan struct{}
	every       time.Duration
	last        atomic.Bool // the next turn is the last
}

func (p *testPage) turn(now time.Time, news bool) (time.Time, bool) {
	if p.hold != nil {
		p.entered <- struct{}{}
		<-p.hold
	}
	if news {
		p.news.Add(1)
	}
	p.turns.Add(1)
	return now.Add(p.every), !p.last.Load()
}

func (p *testPage) close() { p.closed.Add(1) }

// eventually waits until it is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if so() {
			return
		}
	}
	t.Fatalf("%s: not within 30 s", what)
}

func TestHubLimits(t *testing.T) {
	t.Parallel()
	h, r := newHub(), Rates{Streams: 2, NearStreams: 100, PaymentStreams: 100, AllStreams: 4}
	defer h.stop()
	quiet := func() *testPage { return &testPage{every: time.Hour} }
	h.add("a", "x", quiet())
	last := quiet()
	h.add("a", "x", last)
	if h.room("c", "x", r) || !h.room("c", "y", r) {
		t.Error("a client with two pages gets a third, or another none")
	}
	h.add("b", "", quiet())
	h.add("b", "", quiet())
	if h.room("c", "", r) {
		t.Error("a fifth page is opened")
	}
	eventually(t, "first turn", func() bool { return last.turns.Load() > 0 })
	last.last.Store(true)
	h.publish("a")
	eventually(t, "room after one closed", func() bool { return h.room("c", "x", r) })
	if last.closed.Load() != 1 {
		t.Errorf("closed %d times", last.closed.Load())
	}
}

// Many addresses of one network, and many pages of one payment, leave room for others.
func TestHubLimits_Crowds(t *testing.T) {
	t.Parallel()
	h, r := newHub(), Rates{Streams: 1, NearStreams: 3, PaymentStreams: 5, AllStreams: 100}
	defer h.stop()
	open := func(id payment.ID, client string) bool {
		ok := h.room(id, client, r)
		if ok {
			h.add(id, client, &testPage{every: time.Hour})
		}
		return ok
	}
	for i, client := range []string{"2001:db8:7:1::/64", "2001:db8:7:2::/64", "2001:db8:7:3::/64", "192.0.2.1", "192.0.2.2"} {
		if !open("a", client) {
			t.Errorf("page %d, of %s, finds no room", i, client)
		}
	}
	for _, row := range []struct {
		why, client string
		id          payment.ID
		want        bool
	}{
		{"its neighbours have three", "2001:db8:7:4::/64", "b", false},
		{"the payment has five", "198.51.100.1", "a", false},
		{"another network", "2001:db8:8:1::/64", "b", true},
		{"the third of its network", "192.0.2.3", "b", true},
		{"the fourth", "192.0.2.4", "b", false},
		{"the same machine", "", "b", true},
	} {
		if got := open(row.id, row.client); got != row.want {
			t.Errorf("%s: a page of %q finds room: %t", row.why, row.client, got)
		}
	}
}

func TestHubNewsInARushAreOnePiece(t *testing.T) {
	t.Parallel()
	h := newHub()
	defer h.stop()
	busy, other := &testPage{entered: make(chan struct{}), hold: make(chan struct{}), every: time.Hour}, &testPage{every: time.Hour}
	h.add("a", "", busy)
	h.add("b", "", other)
	<-busy.entered
	for range 100 {
		h.publish("a")
	}
	busy.hold <- struct{}{}
	<-busy.entered // the turn for all the news
	busy.hold <- struct{}{}
	eventually(t, "two turns", func() bool { return busy.turns.Load() == 2 })
	time.Sleep(3 * hubTick)
	if busy.turns.Load() != 2 || other.turns.Load() != 1 {
		t.Errorf("turns: %d and %d, want 2 and 1", busy.turns.Load(), other.turns.Load())
	}
	h.publish("")
	<-busy.entered
	busy.hold <- struct{}{}
	eventually(t, "news for everybody", func() bool { return other.news.Load() == 2 })
}

func TestHubTicks(t *testing.T) {
	t.Parallel()
	h := newHub()
	defer h.stop()
	p := &testPage{every: time.Millisecond}
	h.add("a", "", p)
	eventually(t, "turns without news", func() bool { return p.turns.Load() >= 3 })
	if p.news.Load() != 1 {
		t.Errorf("news %d times", p.news.Load())
	}
}

func TestHubStops(t *testing.T) {
	t.Parallel()
	h := newHub()
	h.stop()
	late := &testPage{}
	h.add("a", "", late)
	if late.closed.Load() != 1 {
		t.Error("a page was taken in after the stop")
	}
	h = newHub()
	pages := make([]*testPage, 50)
	for i := range pages {
		pages[i] = &testPage{every: time.Millisecond}
		h.add("a", "", pages[i])
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { h.publish("") })
	}
	h.stop()
	h.stop()
	all.Wait()
	for _, p := range pages {
		if p.closed.Load() == 0 {
			t.Fatal("a page was left open")
		}
	}
	eventually(t, "no worker left", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.workers == 0 && !h.ticking && h.all == 0
	})
}
