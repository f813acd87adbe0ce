package web

import (
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/web/shell"
)

// hub keeps the open pages and gives each its turn: when its payment has
// changed, and when its time has come. A page has no goroutine of its own, or
// ten thousand of them would fill the memory with stacks; a few workers serve
// all.
//
// What has changed a page reads from the database, so news that come in a rush
// are one piece of news, and news that are lost only make it wait for the next
// look.
type hub struct {
	mu      sync.Mutex
	streams map[payment.ID]map[*stream]struct{}
	desks   map[*stream]struct{} // those any payment is news for
	clients map[string]int       // by address and by neighbourhood
	all     int
	ready   []*stream // whose turn it is, in order
	workers int
	ticking bool
	stopped bool
}

// turner is an open page: turn does what is due and returns when the next turn
// is, or false when the page is done with.
type turner interface {
	turn(now time.Time, news bool) (next time.Time, more bool)
	close()
}

// stream is an open page in the hub. Its fields belong to the hub's lock.
type stream struct {
	id      payment.ID
	names   [2]string // the client's address and neighbourhood
	page    turner
	next    time.Time
	news    bool
	waiting bool // it is in ready
	busy    bool // a worker serves it
	opening bool // it has its place, and no connection yet
}

// Streams that are no payment's begin so: a dashboard's, which ends in the
// user, and a campaign's, which ends in its name.
const (
	deskStream     = "desk:"
	campaignStream = "campaign:"
)

// hubTick is how exactly turns come.
const hubTick = 250 * time.Millisecond

// maxWorkers serve pages at once. A turn reads the database and writes to a
// socket, which mostly has room.
var maxWorkers = max(8, 2*runtime.GOMAXPROCS(0))

func newHub() *hub {
	return &hub{streams: make(map[payment.ID]map[*stream]struct{}), desks: make(map[*stream]struct{}), clients: make(map[string]int)}
}

// admit takes a page in, opens it and gives it its first turn. Its place is
// taken before it is opened: pages that come at once can't pass the limits
// together, and a client that has the head of its answer is counted. It fails
// with errManyStreams, or as open does. An empty client is not limited by
// itself.
func (h *hub) admit(id payment.ID, client string, r shell.Rates, page turner, open func() error) error {
	s := h.place(id, client, r, page)
	if s == nil {
		return errManyStreams
	}
	err := open()
	h.mu.Lock()
	defer h.mu.Unlock()
	s.opening = false
	switch {
	case err != nil:
		h.forget(s)
		return err
	case h.stopped:
		page.close()
	default:
		h.wake(s)
	}
	return nil
}

// place takes a place for a page that is to be opened, or returns nil when
// there is none.
func (h *hub) place(id payment.ID, client string, r shell.Rates, page turner) *stream {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.room(id, client, r) {
		return nil
	}
	s := &stream{id: id, names: [2]string{client, shell.Neighbourhood(client)}, page: page, news: true, opening: true}
	if h.streams[id] == nil {
		h.streams[id] = make(map[*stream]struct{}, 1)
	}
	h.streams[id][s] = struct{}{}
	if strings.HasPrefix(string(id), deskStream) {
		h.desks[s] = struct{}{}
	}
	for _, name := range s.names {
		h.clients[name]++
	}
	h.all++
	if !h.ticking {
		h.ticking = true
		go h.tick()
	}
	return s
}

func (h *hub) room(id payment.ID, client string, r shell.Rates) bool {
	if h.stopped || h.all >= r.AllStreams {
		return false
	}
	// A campaign has as many readers as there is room for: unlike a payment,
	// it is everybody's.
	if len(h.streams[id]) >= r.PaymentStreams && !strings.HasPrefix(string(id), campaignStream) {
		return false
	}
	return client == "" || h.clients[client] < r.Streams && h.clients[shell.Neighbourhood(client)] < r.NearStreams
}

func (h *hub) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all
}

// publish tells every page of the payment, or with an empty id every page
// there is: news may have been lost then. It never blocks.
func (h *hub) publish(id payment.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if id != "" {
		h.tell(h.streams[id])
		// A desk is not woken for each: it takes its turn in a second anyway.
		for s := range h.desks {
			s.news = true
		}
		return
	}
	for _, streams := range h.streams {
		h.tell(streams)
	}
}

func (h *hub) tell(streams map[*stream]struct{}) {
	for s := range streams {
		s.news = true
		h.wake(s)
	}
}

// wake gives the page a turn. One that is being opened or served gets it after
// that.
func (h *hub) wake(s *stream) {
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

// work serves pages until nobody waits.
func (h *hub) work() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for len(h.ready) > 0 && !h.stopped {
		s := h.ready[0]
		h.ready = h.ready[1:]
		news := s.news
		s.waiting, s.news, s.busy = false, false, true
		h.mu.Unlock()
		next, more := s.page.turn(time.Now(), news)
		h.mu.Lock()
		s.busy, s.next = false, next
		switch {
		case !more:
			h.remove(s)
		case s.news:
			h.wake(s)
		}
	}
	h.workers--
	if len(h.ready) == 0 {
		h.ready = nil
	}
}

// tick wakes pages whose time has come, as long as there are pages.
func (h *hub) tick() {
	t := time.NewTicker(hubTick)
	defer t.Stop()
	for now := range t.C {
		if !h.wakeDue(now) {
			return
		}
	}
}

func (h *hub) wakeDue(now time.Time) (more bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, streams := range h.streams {
		for s := range streams {
			if !now.Before(s.next) {
				h.wake(s)
			}
		}
	}
	h.ticking = h.all > 0
	return h.ticking
}

// remove forgets a page and closes it. One that is being opened is closed by
// who opens it.
func (h *hub) remove(s *stream) {
	if !s.opening {
		s.page.close()
	}
	h.forget(s)
}

func (h *hub) forget(s *stream) {
	if _, ok := h.streams[s.id][s]; !ok {
		return
	}
	delete(h.desks, s)
	delete(h.streams[s.id], s)
	if len(h.streams[s.id]) == 0 {
		delete(h.streams, s.id)
	}
	for _, name := range s.names {
		if h.clients[name]--; h.clients[name] == 0 {
			delete(h.clients, name)
		}
	}
	h.all--
}

// stop closes every page; no more are taken in. Stopping twice is fine.
func (h *hub) stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stopped = true
	for _, streams := range h.streams {
		for s := range streams {
			h.remove(s)
		}
	}
}
