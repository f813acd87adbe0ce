package web

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/web/shell"
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
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if so() {
			return
		}
	}
	t.Fatalf("%s: not within a minute", what)
}

// anyRoom limits nobody.
var anyRoom = shell.Rates{Streams: 1000, NearStreams: 1000, PaymentStreams: 1000, AllStreams: 1000}

// opens returns nil, as the opening of a page that has its client.
func opens() error { return nil }

func take(t *testing.T, h *hub, id payment.ID, page *testPage) {
	t.Helper()
	if err := h.admit(id, "", anyRoom, page, opens); err != nil {
		t.Fatal(err)
	}
}

func TestHubLimits(t *testing.T) {
	t.Parallel()
	h, r := newHub(), shell.Rates{Streams: 2, NearStreams: 100, PaymentStreams: 100, AllStreams: 4}
	defer h.stop()
	open := func(id payment.ID, client string, page *testPage) bool {
		return h.admit(id, client, r, page, opens) == nil
	}
	quiet := func() *testPage { return &testPage{every: time.Hour} }
	last := quiet()
	if !open("a", "x", quiet()) || !open("a", "x", last) {
		t.Error("a client does not get two pages")
	}
	if open("c", "x", quiet()) || !open("c", "y", quiet()) {
		t.Error("a client with two pages gets a third, or another none")
	}
	if !open("b", "", quiet()) || open("c", "", quiet()) {
		t.Error("there is no room for four pages, or for a fifth")
	}
	eventually(t, "first turn", func() bool { return last.turns.Load() > 0 })
	last.last.Store(true)
	h.publish("a")
	eventually(t, "room after one closed", func() bool { return open("c", "x", quiet()) })
	if last.closed.Load() != 1 {
		t.Errorf("closed %d times", last.closed.Load())
	}
}

// Many addresses of one network, and many pages of one payment, leave room for others.
func TestHubLimits_Crowds(t *testing.T) {
	t.Parallel()
	h, r := newHub(), shell.Rates{Streams: 1, NearStreams: 3, PaymentStreams: 5, AllStreams: 100}
	defer h.stop()
	open := func(id payment.ID, client string) bool {
		return h.admit(id, client, r, &testPage{every: time.Hour}, opens) == nil
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
		{"a campaign has as many as come", "", campaignStream + "a", true},
		{"one more", "", campaignStream + "a", true},
		{"one more", "", campaignStream + "a", true},
		{"one more", "", campaignStream + "a", true},
		{"one more", "", campaignStream + "a", true},
		{"the sixth", "", campaignStream + "a", true},
	} {
		if got := open(row.id, row.client); got != row.want {
			t.Errorf("%s: a page of %q finds room: %t", row.why, row.client, got)
		}
	}
}

// A page has its place before its client has an answer, or pages that come at
// once would all find room. One that can't be opened gives its place back.
func TestHubLimits_AtOnce(t *testing.T) {
	t.Parallel()
	h, r := newHub(), shell.Rates{PaymentStreams: 1, AllStreams: 1}
	defer h.stop()
	first, second := &testPage{every: time.Hour}, &testPage{every: time.Hour}
	broken := errors.New("the client has gone")
	err := h.admit("a", "", r, first, func() error {
		if err := h.admit("a", "", r, second, opens); !errors.Is(err, errManyStreams) {
			t.Errorf("while the first page is opened, a second: %v", err)
		}
		h.publish("a")
		return broken
	})
	if !errors.Is(err, broken) || h.count() != 0 {
		t.Errorf("a page that can't be opened: %v, and %d are counted", err, h.count())
	}
	if err := h.admit("a", "", r, second, opens); err != nil {
		t.Errorf("its place is not free: %v", err)
	}
	eventually(t, "the second page has its turn", func() bool { return second.turns.Load() == 1 })
	if first.turns.Load() != 0 {
		t.Error("a page without a connection had a turn")
	}
}

func TestHubNewsInARushAreOnePiece(t *testing.T) {
	t.Parallel()
	h := newHub()
	defer h.stop()
	busy, other := &testPage{entered: make(chan struct{}), hold: make(chan struct{}), every: time.Hour}, &testPage{every: time.Hour}
	take(t, h, "a", busy)
	take(t, h, "b", other)
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
	take(t, h, "a", p)
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
	if err := h.admit("a", "", anyRoom, late, opens); err == nil {
		t.Error("a page was taken in after the stop")
	}
	h = newHub()
	if err := h.admit("a", "", anyRoom, late, func() error { h.stop(); return nil }); err != nil || late.closed.Load() != 1 {
		t.Errorf("a page that was being opened at the stop was closed %d times: %v", late.closed.Load(), err)
	}
	h = newHub()
	pages := make([]*testPage, 50)
	for i := range pages {
		pages[i] = &testPage{every: time.Millisecond}
		take(t, h, "a", pages[i])
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
