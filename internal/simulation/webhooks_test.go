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
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/webhook"
)

// inbox is what receivers were sent. Sends run concurrently.
type inbox struct {
	mu      sync.Mutex
	got     map[string][]receivedBody // by event
	fresh   []string                  // received in this round, in any order
	newest  map[payment.ID]int        // sequence number of the newest event received
	refused map[payment.ID]bool       // the last attempt was not accepted
}

type receivedBody struct {
	body json.RawMessage
	good bool // it was answered with success
}

// webhookSender sends the webhooks of one instance. A receiver's answer is a function of seed, event and
// attempt, so the order of sends does not matter.
type webhookSender struct {
	w  *world
	in *instance
}

func (m webhookSender) Send(_ context.Context, d webhook.Delivery) webhook.Result {
	at := m.in.now()
	res := webhook.Result{Attempt: webhook.Attempt{At: at, URL: d.URL}}
	if m.in.crasher.crashed() {
		return res
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(d.EventID))
	draw := (h.Sum64() ^ m.w.seed*0x9e3779b97f4a7c15 ^ uint64(d.Attempt)*0xc2b2ae3d27d4eb4f) >> 33 % 100
	bad := uint64(20)
	if m.w.receiversFail {
		bad = 70
	}
	switch {
	case m.w.receiversBusy:
		res.Attempt.Status, res.RetryAfter = http.StatusServiceUnavailable, 20*time.Second
	case draw >= bad:
		res.Attempt.Status = http.StatusOK
	case draw%3 == 0:
		res.Attempt.Status = http.StatusInternalServerError
	case draw%3 == 1:
		res.Attempt.Latency, res.Attempt.Error = webhook.AttemptTimeout, "no answer in time"
	default:
		res.Attempt.Status = http.StatusFound
	}
	m.w.inbox.mu.Lock()
	defer m.w.inbox.mu.Unlock()
	m.w.inbox.got[d.EventID] = append(
		m.w.inbox.got[d.EventID], receivedBody{d.Body, res.Attempt.Status == http.StatusOK},
	)
	m.w.inbox.fresh = append(m.w.inbox.fresh, d.EventID)
	return res
}

// checkSent traces what was sent, and checks that the event is stored and that its body is always the same.
func (w *world) checkSent() {
	w.inbox.mu.Lock()
	defer w.inbox.mu.Unlock()
	slices.Sort(w.inbox.fresh)
	for _, id := range w.inbox.fresh {
		w.tracef("sent %s", id)
		received := w.inbox.got[id]
		last := received[len(received)-1]
		if !bytes.Equal(received[0].body, last.body) {
			w.failf("event %s was sent as %s and as %s", id, received[0].body, last.body)
		}
		var body struct {
			TxnID   payment.ID `json:"txnid"`
			Status  string     `json:"status"`
			EventID string     `json:"eventId"`
		}
		w.must(json.Unmarshal(last.body, &body))
		events, err := w.observer.Events(w.Context(), body.TxnID)
		w.must(err)
		i := slices.IndexFunc(events, func(e payment.Event) bool {
			return e.ID == id && body.EventID == id && string(e.Type) == "payment."+body.Status && e.Type.Public()
		})
		if i < 0 {
			w.failf("%s was sent, and no such event is stored: %s", id, last.body)
		}
		if events[i].Seq < w.inbox.newest[body.TxnID] {
			w.failf("%s was sent after event %d of its payment", id, w.inbox.newest[body.TxnID])
		}
		w.inbox.newest[body.TxnID], w.inbox.refused[body.TxnID] = events[i].Seq, !last.good
	}
	w.inbox.fresh = nil
}

// checkDeliveries: an event that no receiver accepted was overtaken by a later one of its payment.
func (w *world) checkDeliveries() {
	w.Helper()
	last := map[payment.ID]payment.EventType{}
	for before := int64(0); ; {
		page, err := w.observer.Reports().Deliveries(
			w.Context(), report.DeliveryQuery{KeyID: w.key, Before: before, Limit: report.MaxPage},
		)
		w.must(err)
		for _, d := range page { // the newest first
			accepted := w.delivered(d.EventID)
			_, later := last[d.TxnID]
			switch {
			case d.State == webhook.Delivered && !accepted:
				w.failf("event %s counts as delivered, and no receiver accepted it", d.EventID)
			case d.State == webhook.Overtaken && !later:
				w.failf("event %s (%s) counts as overtaken, and no later event came", d.EventID, d.Type)
			case d.State != webhook.Delivered && d.State != webhook.Overtaken:
				w.failf("event %s (%s) is %s at the end", d.EventID, d.Type, d.State)
			}
			last[d.TxnID] = d.Type
			before = d.ID
		}
		if len(page) < report.MaxPage {
			return
		}
	}
}

// delivered reports whether a receiver accepted the event.
func (w *world) delivered(id string) bool {
	return slices.ContainsFunc(w.inbox.got[id], func(l receivedBody) bool { return l.good })
}

// terminal is the type of the event that ends a payment in the status.
func terminal(s payment.Status) payment.EventType {
	return payment.EventType("payment." + strings.ToLower(string(s)))
}
