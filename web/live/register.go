package live

import (
	"cmp"
	"time"

	"github.com/florinpay/florin/web/shell"
)

// stream is an open page in the hub. The hub's lock guards its fields.
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

// register holds the open pages and decides who may open one more. The hub's lock
// guards it.
type register struct {
	limits     shell.Rates
	streams    map[Topic]map[*stream]struct{}
	first      map[Topic]string // the source of the first page of a payment
	dashboards map[*stream]struct{}
	clients    map[string]int // pages by address and by neighbourhood
	opened     uint64         // pages ever opened
	all        int
}

func newRegister(limits shell.Rates) *register {
	return &register{
		limits: limits, streams: make(map[Topic]map[*stream]struct{}), first: make(map[Topic]string),
		dashboards: make(map[*stream]struct{}), clients: make(map[string]int),
	}
}

// add takes a place for a page that is to be opened, or returns nil when there is
// none.
func (r *register) add(topic Topic, client string, page Page) *stream {
	if client == shell.Unforwarded {
		client = "" // one client must not take the places of all others
	}
	if !r.room(client) || !r.roomOfTopic(topic, client) {
		return nil
	}
	r.opened++
	s := &stream{
		topic: topic, names: [2]string{client, shell.Neighbourhood(client)}, number: r.opened,
		page: page, changed: true, opening: true,
	}
	if r.streams[topic] == nil {
		r.streams[topic] = make(map[*stream]struct{}, 1)
		if topic.kind == paymentTopic {
			r.first[topic] = s.source()
		}
	}
	r.streams[topic][s] = struct{}{}
	if topic.kind == dashboardTopic {
		r.dashboards[s] = struct{}{}
	}
	for _, name := range s.names {
		r.clients[name]++
	}
	r.all++
	return s
}

// room reports whether the client may open one more page, and makes room for it if need be.
func (r *register) room(client string) bool {
	limits := r.limits
	if client != "" && (r.clients[client] >= limits.Streams ||
		r.clients[shell.Neighbourhood(client)] >= limits.NearStreams) {
		return false
	}
	return r.all < limits.AllStreams || r.makeRoom(client)
}

// maxLookedAt is how many pages makeRoom chooses from: enough to meet a source that
// fills the server, and few enough that attempts to open more cost little.
const maxLookedAt = 256

// makeRoom closes a page of the source with the most, the oldest, for one of a source
// that has fewer, so that some networks that fill the server keep nobody else's page
// away. It returns false if the client's source has as many as any other, or the client
// has no address. Pages of such clients are not of one source, and stay.
func (r *register) makeRoom(client string) bool {
	if client == "" {
		return false
	}
	var most *stream
	pages := func(s *stream) int { return r.clients[s.source()] }
	seen := 0
	for _, streams := range r.streams {
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
	if most == nil || pages(most) <= r.clients[sourceOf(client)]+1 {
		return false
	}
	most.gone = true
	r.remove(most)
	return true
}

// roomOfTopic reports whether the topic has room for one more page. A payment that
// is full makes room: strangers who know its txnid must not keep its payer's page
// away, nor close it.
func (r *register) roomOfTopic(topic Topic, client string) bool {
	full := len(r.streams[topic]) >= r.limits.PaymentStreams
	switch topic.kind {
	case campaignTopic:
		return true
	case dashboardTopic:
		return !full
	case paymentTopic:
	}
	if client != "" && r.pagesOf(topic, sourceOf(client)) >= maxOfSource {
		return false
	}
	if !full {
		return true
	}
	oldest := r.giveWay(topic, client)
	if oldest == nil {
		return false
	}
	oldest.gone = true
	r.remove(oldest)
	return true
}

// pagesOf counts the pages of a topic that a source has open.
func (r *register) pagesOf(topic Topic, source string) (n int) {
	for s := range r.streams[topic] {
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
func (r *register) giveWay(topic Topic, client string) *stream {
	pages := make(map[string]int)
	for s := range r.streams[topic] {
		pages[s.source()]++
	}
	var oldest *stream
	for s := range r.streams[topic] {
		source := s.source()
		if source == r.first[topic] || source == sourceOf(client) {
			continue
		}
		if oldest == nil || pages[source] > pages[oldest.source()] ||
			pages[source] == pages[oldest.source()] && s.number < oldest.number {
			oldest = s
		}
	}
	return oldest
}

// remove removes a page and closes it. A page that is being opened is closed by
// Admit.
func (r *register) remove(s *stream) {
	if !s.opening {
		s.page.Close()
	}
	r.forget(s)
}

func (r *register) forget(s *stream) {
	if _, ok := r.streams[s.topic][s]; !ok {
		return
	}
	delete(r.dashboards, s)
	delete(r.streams[s.topic], s)
	if len(r.streams[s.topic]) == 0 {
		delete(r.streams, s.topic)
		delete(r.first, s.topic)
	}
	for _, name := range s.names {
		if r.clients[name]--; r.clients[name] == 0 {
			delete(r.clients, name)
		}
	}
	r.all--
}
