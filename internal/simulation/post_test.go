package simulation

import (
	"bytes"
	"context"
	"encoding/json"
	"hash/fnv"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/webhook"
)

// mailbox is what receivers were sent. Several are sent to at once.
type mailbox struct {
	mu    sync.Mutex
	got   map[string][]letterIn // by event
	fresh []string              // what came in this round, in no order
}

type letterIn struct {
	body json.RawMessage
	good bool // it was answered with success
}

// mail is the way of one instance to the receivers. What a receiver answers is
// a function of seed, event and attempt, so it does not matter who asks first.
type mail struct {
	w  *world
	in *instance
}

func (m mail) Send(_ context.Context, d webhook.Delivery) webhook.Result {
	at := m.in.now()
	res := webhook.Result{Attempt: webhook.Attempt{At: at, URL: d.URL}}
	if m.in.fuse.isDead() {
		return res
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(d.EventID))
	dice := (h.Sum64() ^ m.w.seed*0x9e3779b97f4a7c15 ^ uint64(d.Attempt)*0xc2b2ae3d27d4eb4f) >> 33 % 100
	bad := uint64(20)
	if m.w.badPost {
		bad = 70
	}
	switch {
	case m.w.fullPost:
		res.Attempt.Status, res.RetryAfter = http.StatusServiceUnavailable, 20*time.Second
	case dice >= bad:
		res.Attempt.Status = http.StatusOK
	case dice%3 == 0:
		res.Attempt.Status = http.StatusInternalServerError
	case dice%3 == 1:
		res.Attempt.Latency, res.Attempt.Error = webhook.AttemptTimeout, "no answer in time"
	default:
		res.Attempt.Status = http.StatusFound
	}
	m.w.post.mu.Lock()
	defer m.w.post.mu.Unlock()
	m.w.post.got[d.EventID] = append(m.w.post.got[d.EventID], letterIn{d.Body, res.Attempt.Status == http.StatusOK})
	m.w.post.fresh = append(m.w.post.fresh, d.EventID)
	return res
}

// sortMail tells what was sent, and checks that it is true: that the
// event is stored, and that what was sent of it is always the same.
func (w *world) sortMail() {
	w.post.mu.Lock()
	defer w.post.mu.Unlock()
	slices.Sort(w.post.fresh)
	for _, id := range w.post.fresh {
		w.tellf("sent %s", id)
		letters := w.post.got[id]
		last := letters[len(letters)-1]
		if !bytes.Equal(letters[0].body, last.body) {
			w.failf("event %s was sent as %s and as %s", id, letters[0].body, last.body)
		}
		var body struct {
			TxnID   payment.ID `json:"txnid"`
			Status  string     `json:"status"`
			EventID string     `json:"eventId"`
		}
		w.must(json.Unmarshal(last.body, &body))
		events, err := w.books.Events(w.Context(), body.TxnID)
		w.must(err)
		if !slices.ContainsFunc(events, func(e payment.Event) bool {
			return e.ID == id && body.EventID == id && string(e.Type) == "payment."+body.Status && e.Type.Public()
		}) {
			w.failf("%s was sent, and no such event is stored: %s", id, last.body)
		}
	}
	w.post.fresh = nil
}

// delivered reports whether a receiver took the event.
func (w *world) delivered(id string) bool {
	return slices.ContainsFunc(w.post.got[id], func(l letterIn) bool { return l.good })
}

// terminal reports the type of the event that ends a payment in the status.
func terminal(s payment.Status) payment.EventType {
	return payment.EventType("payment." + strings.ToLower(string(s)))
}
