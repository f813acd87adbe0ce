package web

import (
	"sync"

	"github.com/florinpay/florin/internal/payment"
)

// hub tells open pages that their payment has changed. What has changed they
// read from the database, so news that come in a rush are one piece of news,
// and news that are lost only make a page wait for the next look.
type hub struct {
	mu      sync.RWMutex
	streams map[payment.ID]map[*stream]struct{}
	clients map[string]int
	all     int
}

// stream is one open page.
type stream struct {
	id     payment.ID
	client string
	// news holds at most one piece of news.
	news chan struct{}
}

func newHub() *hub {
	return &hub{streams: make(map[payment.ID]map[*stream]struct{}), clients: make(map[string]int)}
}

// publish tells every page of the payment, or with an empty id every page
// there is: news may have been lost then. It never blocks.
func (h *hub) publish(id payment.ID) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if id != "" {
		tell(h.streams[id])
		return
	}
	for _, streams := range h.streams {
		tell(streams)
	}
}

func tell(streams map[*stream]struct{}) {
	for s := range streams {
		select {
		case s.news <- struct{}{}:
		default: // it knows already
		}
	}
}

// open adds a page; ok is false if the client, or everybody together, has as
// many as allowed. An empty client is not limited by itself.
func (h *hub) open(id payment.ID, client string, r Rates) (s *stream, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all >= r.AllStreams || client != "" && h.clients[client] >= r.Streams {
		return nil, false
	}
	s = &stream{id: id, client: client, news: make(chan struct{}, 1)}
	if h.streams[id] == nil {
		h.streams[id] = make(map[*stream]struct{}, 1)
	}
	h.streams[id][s] = struct{}{}
	h.clients[client]++
	h.all++
	return s, true
}

// close removes a page.
func (h *hub) close(s *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.streams[s.id], s)
	if len(h.streams[s.id]) == 0 {
		delete(h.streams, s.id)
	}
	if h.clients[s.client]--; h.clients[s.client] == 0 {
		delete(h.clients, s.client)
	}
	h.all--
}
