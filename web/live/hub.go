package live

import (
	"cmp"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/web/shell"
)

var errManyStreams = fault.Retry(fault.Limited, 30*time.Second, "too many pages are open at once")

// Topic is what a page shows, and so which changes concern it.
type Topic struct {
	name string
	kind topicKind
}

type topicKind int

const (
	paymentTopic topicKind = iota
	campaignTopic
	dashboardTopic
)

// Payment is the topic of one payment. The number of its pages is limited.
func Payment(id payment.ID) Topic { return Topic{string(id), paymentTopic} }

// Campaign is the topic of a public campaign, whose pages are limited only by the
// room there is.
func Campaign(slug string) Topic { return Topic{slug, campaignTopic} }

// Dashboard is the topic of a user's dashboard, which any payment may concern.
func Dashboard(userID int64) Topic { return Topic{strconv.FormatInt(userID, 10), dashboardTopic} }

// Hub holds the open pages and gives each its turns. A page has no goroutine of its
// own, since ten thousand stacks would fill the memory; a few workers serve all.
type Hub struct {
	rates      shell.Rates
	mu         sync.Mutex
	streams    map[Topic]map[*stream]struct{}
	first      map[Topic]string // the source of the first page of a payment
	opened     uint64           // pages ever opened
	dashboards map[*stream]struct{}
	clients    map[string]int // by address and by neighbourhood
	all        int
	ready      []*stream // waiting for a turn, in order
	workers    int
	ticking    bool
	stopped    bool
}

// Page is an open page. Turn sends what is due and returns when the next turn is,
// or false when the page is done. One page has one turn at a time.
type Page interface {
	Turn(now time.Time, changed bool) (next time.Time, more bool)
	Close()
}

// stream is an open page in the hub. Its fields belong to the hub's lock.
type stream struct {
	topic   Topic
	names   [2]string // the client's address and neighbourhood
	number  uint64    // in the order of opening
	page    Page
	next    time.Time
	changed bool // its topic has changed since its last turn
	waiting bool // it is in ready
	busy    bool // a worker serves it
	opening bool // its place is taken, its connection not open yet
	gone    bool // its place was given to another
}

// source is what one person may have many addresses of: the neighbourhood, or the
// client itself if it has none.
func (s *stream) source() string { return cmp.Or(s.names[1], s.names[0]) }

func sourceOf(client string) string { return cmp.Or(shell.Neighbourhood(client), client) }

// maxOfSource is how many pages of one payment one source may have open: more than a
// household or a shop needs, and a tenth of what a payment may have.
const maxOfSource = 20

// tick is the precision of turns.
const tick = 250 * time.Millisecond

// maxWorkers serve pages at once. A turn reads the database and writes to a
// socket, which mostly has room.
var maxWorkers = max(8, 2*runtime.GOMAXPROCS(0))

// NewHub returns a hub with the limits on streams of the rates.
func NewHub(r shell.Rates) *Hub {
	return &Hub{
		rates: r, streams: make(map[Topic]map[*stream]struct{}), first: make(map[Topic]string),
		dashboards: make(map[*stream]struct{}), clients: make(map[string]int),
	}
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
		h.forget(s)
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
	if client == shell.Unforwarded {
		client = "" // one client must not take the places of all others
	}
	if !h.room(client) || !h.roomOfTopic(topic, client) {
		return nil
	}
	h.opened++
	s := &stream{
		topic: topic, names: [2]string{client, shell.Neighbourhood(client)}, number: h.opened,
		page: page, changed: true,
		opening: true,
	}
	if h.streams[topic] == nil {
		h.streams[topic] = make(map[*stream]struct{}, 1)
		if topic.kind == paymentTopic {
			h.first[topic] = s.source()
		}
	}
	h.streams[topic][s] = struct{}{}
	if topic.kind == dashboardTopic {
		h.dashboards[s] = struct{}{}
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

func (h *Hub) room(client string) bool {
	r := h.rates
	if h.stopped || client != "" &&
		(h.clients[client] >= r.Streams || h.clients[shell.Neighbourhood(client)] >= r.NearStreams) {
		return false
	}
	return h.all < r.AllStreams || h.makeRoom(client)
}

// maxLookedAt is how many pages makeRoom chooses from: enough to meet a source that
// fills the server, and few enough that attempts to open more cost little.
const maxLookedAt = 256

// makeRoom closes a page of the source with the most, the oldest, for one of a source
// that has fewer, so that some networks that fill the server keep nobody else's page
// away. It returns false if the client's source has as many as any other, or the client
// has no address. Pages of such clients are not of one source, and stay.
func (h *Hub) makeRoom(client string) bool {
	if client == "" {
		return false
	}
	var most *stream
	pages := func(s *stream) int { return h.clients[s.source()] }
	seen := 0
	for _, streams := range h.streams {
		for s := range streams {
			if s.source() != "" && (most == nil || pages(s) > pages(most) ||
				pages(s) == pages(most) && s.number < most.number) {
				most = s
			}
			if seen++; seen == maxLookedAt {
				break
			}
		}
		if seen == maxLookedAt {
			break
		}
	}
	if most == nil || pages(most) <= h.clients[sourceOf(client)]+1 {
		return false
	}
	most.gone = true
	h.remove(most)
	return true
}

// roomOfTopic reports whether the topic has room for one more page. A payment that
// is full makes room: strangers who know its txnid must not keep its payer's page
// away, nor close it.
func (h *Hub) roomOfTopic(topic Topic, client string) bool {
	full := len(h.streams[topic]) >= h.rates.PaymentStreams
	switch topic.kind {
	case campaignTopic:
		return true
	case dashboardTopic:
		return !full
	case paymentTopic:
	}
	if client != "" && h.pagesOf(topic, sourceOf(client)) >= maxOfSource {
		return false
	}
	if !full {
		return true
	}
	oldest := h.giveWay(topic, client)
	if oldest == nil {
		return false
	}
	oldest.gone = true
	h.remove(oldest)
	return true
}

// pagesOf counts the pages of a topic that a source has open.
func (h *Hub) pagesOf(topic Topic, source string) (n int) {
	for s := range h.streams[topic] {
		if s.source() == source {
			n++
		}
	}
	return n
}

// giveWay returns the page that makes room for one of the client: the oldest of the
// source with the most pages. It is never one of the source that opened the payment
// first, which is the payer's unless a stranger knew the txnid before, nor one of the
// client's own. It returns nil if there is none.
func (h *Hub) giveWay(topic Topic, client string) *stream {
	pages := make(map[string]int)
	for s := range h.streams[topic] {
		pages[s.source()]++
	}
	var oldest *stream
	for s := range h.streams[topic] {
		source := s.source()
		if source == h.first[topic] || source == sourceOf(client) {
			continue
		}
		if oldest == nil || pages[source] > pages[oldest.source()] ||
			pages[source] == pages[oldest.source()] && s.number < oldest.number {
			oldest = s
		}
	}
	return oldest
}

// Count returns how many pages are open.
func (h *Hub) Count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all
}

// Publish reports that a payment has changed. With an empty id any may have changed,
// because events were lost: every page gets a turn. It never blocks.
func (h *Hub) Publish(id payment.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if id != "" {
		h.publish(h.streams[Payment(id)])
		// A dashboard is not woken for each payment: it has a turn every second.
		for s := range h.dashboards {
			s.changed = true
		}
		return
	}
	for _, streams := range h.streams {
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
			h.remove(s)
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

// remove removes a page and closes it. A page that is being opened is closed by
// Admit.
func (h *Hub) remove(s *stream) {
	if !s.opening {
		s.page.Close()
	}
	h.forget(s)
}

func (h *Hub) forget(s *stream) {
	if _, ok := h.streams[s.topic][s]; !ok {
		return
	}
	delete(h.dashboards, s)
	delete(h.streams[s.topic], s)
	if len(h.streams[s.topic]) == 0 {
		delete(h.streams, s.topic)
		delete(h.first, s.topic)
	}
	for _, name := range s.names {
		if h.clients[name]--; h.clients[name] == 0 {
			delete(h.clients, name)
		}
	}
	h.all--
}

// Stop closes every page; no more are admitted. Stopping twice is fine.
func (h *Hub) Stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stopped = true
	for _, streams := range h.streams {
		for s := range streams {
			h.remove(s)
		}
	}
}

// Idle reports whether no page has a turn or waits for one.
func (h *Hub) Idle() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.workers == 0
}
