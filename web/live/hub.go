package live

import (
	"runtime"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/web/shell"
)

var errManyStreams = fault.Retry(fault.Limited, 30*time.Second, "too many pages are open at once")

// Hub holds the open pages and gives each its turns. A page has no goroutine of its
// own, since ten thousand stacks would fill the memory; a few workers serve all.
type Hub struct {
	mu      sync.Mutex
	pages   *register
	ready   []*stream // waiting for a turn, in order
	workers int
	ticking bool
	stopped bool
}

// Page is an open page. Turn sends what is due and returns when the next turn is,
// or false when the page is done. One page has one turn at a time.
type Page interface {
	Turn(now time.Time, changed bool) (next time.Time, more bool)
	Close()
}

// tick is the precision of turns.
const tick = 250 * time.Millisecond

// maxWorkers serve pages at once. A turn reads the database and writes to a
// socket, which mostly has room.
var maxWorkers = max(8, 2*runtime.GOMAXPROCS(0))

// NewHub returns a hub with the limits on streams of the rates.
func NewHub(r shell.Rates) *Hub {
	return &Hub{pages: newRegister(r)}
}

// Admit adds a page, opens it and gives it its first turn. Its place is taken
// before it is opened, so that pages that come at once cannot pass the limits
// together. It fails with fault.Limited, or as open does. An empty client has no
// limit of its own.
func (h *Hub) Admit(topic Topic, client string, page Page, open func() error) error {
	s := h.place(topic, client, page)
	if s == nil {
		return errManyStreams
	}
	err := open()
	h.mu.Lock()
	defer h.mu.Unlock()
	s.opening = false
	switch {
	case err != nil:
		h.pages.forget(s)
		return err
	case h.stopped || s.gone:
		page.Close()
	default:
		h.wake(s)
	}
	return nil
}

// place takes a place for a page that is to be opened, or returns nil when there
// is none.
func (h *Hub) place(topic Topic, client string, page Page) *stream {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped {
		return nil
	}
	s := h.pages.add(topic, client, page)
	if s != nil && !h.ticking {
		h.ticking = true
		go h.tick()
	}
	return s
}

// Count returns how many pages are open.
func (h *Hub) Count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.pages.all
}

// Publish reports that a payment has changed. With an empty id any may have changed,
// because events were lost: every page gets a turn. It never blocks.
func (h *Hub) Publish(id payment.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if id != "" {
		h.publish(h.pages.streams[Payment(id)])
		// A dashboard is not woken for each payment: it has a turn every second.
		for s := range h.pages.dashboards {
			s.changed = true
		}
		return
	}
	for _, streams := range h.pages.streams {
		h.publish(streams)
	}
}

func (h *Hub) publish(streams map[*stream]struct{}) {
	for s := range streams {
		s.changed = true
		h.wake(s)
	}
}

// wake gives the page a turn. A page that is being opened or served gets it after
// that.
func (h *Hub) wake(s *stream) {
	if s.waiting || s.busy || s.opening {
		return
	}
	s.waiting = true
	h.ready = append(h.ready, s)
	if h.workers < maxWorkers {
		h.workers++
		go h.work()
	}
}

// work serves pages until none is ready.
func (h *Hub) work() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for len(h.ready) > 0 && !h.stopped {
		s := h.ready[0]
		h.ready = h.ready[1:]
		if s.gone {
			continue
		}
		changed := s.changed
		s.waiting, s.changed, s.busy = false, false, true
		h.mu.Unlock()
		next, more := s.page.Turn(time.Now(), changed)
		h.mu.Lock()
		s.busy, s.next = false, next
		switch {
		case s.gone: // closed while it had its turn
		case !more:
			h.pages.remove(s)
		case s.changed:
			h.wake(s)
		}
	}
	h.workers--
	if len(h.ready) == 0 {
		h.ready = nil
	}
}

// tick wakes pages whose time has come, as long as there are pages.
func (h *Hub) tick() {
	t := time.NewTicker(tick)
	defer t.Stop()
	for now := range t.C {
		if !h.wakeDue(now) {
			return
		}
	}
}

func (h *Hub) wakeDue(now time.Time) (more bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, streams := range h.pages.streams {
		for s := range streams {
			if !now.Before(s.next) {
				h.wake(s)
			}
		}
	}
	h.ticking = h.pages.all > 0
	return h.ticking
}

// Stop closes every page; no more are admitted. Stopping twice is fine.
func (h *Hub) Stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stopped = true
	for _, streams := range h.pages.streams {
		for s := range streams {
			h.pages.remove(s)
		}
	}
}

// Idle reports whether no page has a turn or waits for one.
func (h *Hub) Idle() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.workers == 0
}
