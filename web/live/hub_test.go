package live

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/web/shell"
)

// testPage counts its turns. With hold set, a turn waits for it.
type testPage struct {
	turns, changes atomic.Int64
	closed         atomic.Int64
	entered        chan struct{} // nil: turns do not wait
	hold           chan struct{}
	every          time.Duration
	last           atomic.Bool // the next turn is the last
}

func (p *testPage) Turn(now time.Time, changed bool) (time.Time, bool) {
	if p.hold != nil {
		p.entered <- struct{}{}
		<-p.hold
	}
	if changed {
		p.changes.Add(1)
	}
	p.turns.Add(1)
	return now.Add(p.every), !p.last.Load()
}

func (p *testPage) Close() { p.closed.Add(1) }

// eventually waits until the condition holds.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	testkit.Until(t, time.Minute, what, so)
}

// anyRoom is more than the tests use.
var anyRoom = shell.Rates{Streams: 1000, NearStreams: 1000, PaymentStreams: 1000, AllStreams: 1000}

// opens succeeds.
func opens() error { return nil }

func take(t *testing.T, h *Hub, id payment.ID, page *testPage) {
	t.Helper()
	if err := h.Admit(Payment(id), "", page, opens); err != nil {
		t.Fatal(err)
	}
}

func TestHub_Limits(t *testing.T) {
	t.Parallel()
	h := NewHub(shell.Rates{Streams: 2, NearStreams: 100, PaymentStreams: 100, AllStreams: 4})
	defer h.Stop()
	open := func(id payment.ID, client string, page *testPage) bool {
		return h.Admit(Payment(id), client, page, opens) == nil
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
	h.Publish("a")
	eventually(t, "room after one closed", func() bool { return open("c", "x", quiet()) })
	if last.closed.Load() != 1 {
		t.Errorf("closed %d times", last.closed.Load())
	}
}

// Thirty networks that fill the server keep nobody else's page away, and win none back.
func TestHub_Limits_Full(t *testing.T) {
	t.Parallel()
	const networks, each = 30, 10
	h := NewHub(shell.Rates{Streams: 1, NearStreams: each, PaymentStreams: 1000, AllStreams: networks * each})
	defer h.Stop()
	open := func(id payment.ID, client string, page *testPage) bool {
		return h.Admit(Payment(id), client, page, opens) == nil
	}
	quiet := func() *testPage { return &testPage{every: time.Hour} }
	flood := func(network, i int) bool {
		client := fmt.Sprintf("2001:db8:%x:%x::/64", network, i)
		return open(payment.ID(client), client, quiet())
	}
	for n := range networks {
		for i := range each {
			if !flood(n, i) {
				t.Fatalf("page %d of network %d is refused", i, n)
			}
		}
	}
	payers := make([]*testPage, 50)
	for i := range payers {
		payers[i] = quiet()
		if !open("paid", fmt.Sprintf("198.51.%d.7", i), payers[i]) {
			t.Fatalf("payer %d is kept away by a full server", i)
		}
	}
	for n := range networks {
		for i := range each {
			flood(n, each+i)
		}
	}
	for i, p := range payers {
		if p.closed.Load() != 0 {
			t.Errorf("the page of payer %d was closed", i)
		}
	}
	if n := h.Count(); n > networks*each {
		t.Errorf("%d pages are open, want at most %d", n, networks*each)
	}
}

// Many addresses of one network, and many pages of one payment, leave room for others.
func TestHub_Limits_Crowds(t *testing.T) {
	t.Parallel()
	h := NewHub(shell.Rates{Streams: 1, NearStreams: 3, PaymentStreams: 5, AllStreams: 100})
	defer h.Stop()
	open := func(topic Topic, client string) bool {
		return h.Admit(topic, client, &testPage{every: time.Hour}, opens) == nil
	}
	clients := []string{"2001:db8:7:1::/64", "2001:db8:7:2::/64", "2001:db8:7:3::/64", "192.0.2.1", "192.0.2.2"}
	for i, client := range clients {
		if !open(Payment("a"), client) {
			t.Errorf("page %d, of %s, finds no room", i, client)
		}
	}
	for _, row := range []struct {
		why, client string
		topic       Topic
		want        bool
	}{
		{"its neighbours have three", "2001:db8:7:4::/64", Payment("b"), false},
		{"another network", "2001:db8:8:1::/64", Payment("b"), true},
		{"the third of its network", "192.0.2.3", Payment("b"), true},
		{"the fourth", "192.0.2.4", Payment("b"), false},
		{"the same machine", "", Payment("b"), true},
		{"the payment has five, of which the oldest gives way", "198.51.100.1", Payment("a"), true},
	} {
		if got := open(row.topic, row.client); got != row.want {
			t.Errorf("%s: a page of %q finds room: %t", row.why, row.client, got)
		}
	}
	for i := range 6 {
		if !open(Campaign("a"), "") {
			t.Errorf("page %d of a campaign finds no room", i)
		}
	}
}

// Strangers who know a txnid open as many pages as they can, from one network or
// from many. The payer's page stays open, and the payer may open another.
func TestHub_Limits_Strangers(t *testing.T) {
	t.Parallel()
	for name, stranger := range map[string]func(i int) string{
		"OneAddress":   func(int) string { return "203.0.113.7" },
		"OneNetwork":   func(i int) string { return fmt.Sprintf("203.0.113.%d", i%256) },
		"ManyNetworks": func(i int) string { return fmt.Sprintf("2001:db8:%x:1::/64", i) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := NewHub(shell.DefaultRates())
			defer h.Stop()
			quiet := func() *testPage { return &testPage{every: time.Hour} }
			payer, again := quiet(), quiet()
			take := func(client string, page *testPage) bool {
				return h.Admit(Payment("a"), client, page, opens) == nil
			}
			if !take("198.51.100.1", payer) {
				t.Fatal("the payer finds no room")
			}
			pages := make([]*testPage, 400)
			for i := range pages {
				pages[i] = quiet()
				take(stranger(i), pages[i])
			}
			if !take("198.51.100.1", again) {
				t.Error("the payer's second page finds no room")
			}
			if payer.closed.Load()+again.closed.Load() != 0 {
				t.Error("the payer's page was closed")
			}
			other := quiet()
			if !take("192.0.2.1", other) {
				t.Error("a page from elsewhere, such as the payer's telephone, finds no room")
			}
			if n := h.Count(); n > shell.DefaultRates().PaymentStreams {
				t.Errorf("%d pages of one payment are open", n)
			}
			h.Publish("a")
			eventually(t, "the payer's pages have their turns", func() bool {
				return payer.changes.Load() > 0 && again.changes.Load() > 0 && other.changes.Load() > 0
			})
		})
	}
}

// A page that gave way while it was opened, or had its turn, is closed once and has
// no turn after that.
func TestHub_GivesWay(t *testing.T) {
	t.Parallel()
	h := NewHub(shell.Rates{Streams: 10, NearStreams: 10, PaymentStreams: 2, AllStreams: 10})
	defer h.Stop()
	admit := func(client string, page *testPage, open func() error) {
		t.Helper()
		if err := h.Admit(Payment("a"), client, page, open); err != nil {
			t.Fatalf("%s: %v", client, err)
		}
	}
	first := &testPage{every: time.Hour}
	busy := &testPage{entered: make(chan struct{}), hold: make(chan struct{}), every: time.Millisecond}
	opening, last := &testPage{every: time.Millisecond}, &testPage{every: time.Hour}
	admit("192.0.2.1", first, opens)
	admit("198.51.100.1", busy, opens)
	<-busy.entered
	admit("203.0.113.1", opening, func() error {
		admit("233.252.0.1", last, opens)
		return nil
	})
	busy.hold <- struct{}{}
	eventually(t, "the pages that stay have their turns, and no worker is left", func() bool {
		return first.turns.Load() > 0 && last.turns.Load() > 0 && h.Idle()
	})
	if busy.closed.Load() != 1 || busy.turns.Load() != 1 {
		t.Errorf("the page in its turn was closed %d times and had %d turns", busy.closed.Load(), busy.turns.Load())
	}
	if opening.closed.Load() != 1 || opening.turns.Load() != 0 {
		t.Errorf("the page being opened was closed %d times and had %d turns", opening.closed.Load(), opening.turns.Load())
	}
	if n := h.Count(); n != 2 {
		t.Errorf("%d pages are counted", n)
	}
}

// A page takes its place before its client gets a response, so pages that come at
// once cannot exceed the limit. A page that cannot be opened frees its place.
func TestHub_Limits_AtOnce(t *testing.T) {
	t.Parallel()
	h := NewHub(shell.Rates{PaymentStreams: 1, AllStreams: 1})
	defer h.Stop()
	first, second := &testPage{every: time.Hour}, &testPage{every: time.Hour}
	broken := errors.New("the client has gone")
	err := h.Admit(Payment("a"), "", first, func() error {
		if err := h.Admit(Payment("a"), "", second, opens); !errors.Is(err, errManyStreams) {
			t.Errorf("while the first page is opened, a second: %v", err)
		}
		h.Publish("a")
		return broken
	})
	if !errors.Is(err, broken) || h.Count() != 0 {
		t.Errorf("a page that can't be opened: %v, and %d are counted", err, h.Count())
	}
	if err := h.Admit(Payment("a"), "", second, opens); err != nil {
		t.Errorf("its place is not free: %v", err)
	}
	eventually(t, "the second page has its turn", func() bool { return second.turns.Load() == 1 })
	if first.turns.Load() != 0 {
		t.Error("a page without a connection had a turn")
	}
}

func TestHub_ChangesAtOnceAreOneTurn(t *testing.T) {
	t.Parallel()
	h := NewHub(anyRoom)
	defer h.Stop()
	busy, other := &testPage{
		entered: make(chan struct{}), hold: make(chan struct{}), every: time.Hour,
	}, &testPage{every: time.Hour}
	take(t, h, "a", busy)
	take(t, h, "b", other)
	<-busy.entered
	for range 100 {
		h.Publish("a")
	}
	busy.hold <- struct{}{}
	<-busy.entered // one turn for all changes
	busy.hold <- struct{}{}
	eventually(t, "two turns", func() bool { return busy.turns.Load() == 2 })
	time.Sleep(3 * tick)
	if busy.turns.Load() != 2 || other.turns.Load() != 1 {
		t.Errorf("turns: %d and %d, want 2 and 1", busy.turns.Load(), other.turns.Load())
	}
	h.Publish("")
	<-busy.entered
	busy.hold <- struct{}{}
	eventually(t, "a turn for every page", func() bool { return other.changes.Load() == 2 })
}

func TestHub_Ticks(t *testing.T) {
	t.Parallel()
	h := NewHub(anyRoom)
	defer h.Stop()
	p := &testPage{every: time.Millisecond}
	take(t, h, "a", p)
	eventually(t, "turns without a change", func() bool { return p.turns.Load() >= 3 })
	if p.changes.Load() != 1 {
		t.Errorf("%d turns with a change", p.changes.Load())
	}
}

func TestHub_Stop(t *testing.T) {
	t.Parallel()
	h := NewHub(anyRoom)
	h.Stop()
	late := &testPage{}
	if err := h.Admit(Payment("a"), "", late, opens); err == nil {
		t.Error("a page was taken in after the stop")
	}
	h = NewHub(anyRoom)
	if err := h.Admit(Payment("a"), "", late, func() error {
		h.Stop()
		return nil
	}); err != nil || late.closed.Load() != 1 {
		t.Errorf("a page that was being opened at the stop was closed %d times: %v", late.closed.Load(), err)
	}
	h = NewHub(anyRoom)
	pages := make([]*testPage, 50)
	for i := range pages {
		pages[i] = &testPage{every: time.Millisecond}
		take(t, h, "a", pages[i])
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { h.Publish("") })
	}
	h.Stop()
	h.Stop()
	all.Wait()
	for _, p := range pages {
		if p.closed.Load() == 0 {
			t.Fatal("a page was left open")
		}
	}
	eventually(t, "no worker left", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.workers == 0 && !h.ticking && h.pages.all == 0
	})
}
