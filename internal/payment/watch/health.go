package watch

import (
	"cmp"
	"errors"
	"slices"
	"sync"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// health is what is known of a network's health, and what has been logged of it, so that each change is logged once.
type health struct {
	*network

	mu       sync.RWMutex
	reported payment.Health

	failure string // the newest that was logged
}

func newHealth(n *network) *health {
	return &health{network: n, reported: payment.Health{
		Reason: "this network is being checked", Detail: "not read yet", New: true,
	}}
}

func (h *health) get() payment.Health {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.reported
}

func (h *health) set(now payment.Health) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now.At = h.reported.At
	if now.Scanned.Number == 0 {
		now.Scanned = h.reported.Scanned
	}
	h.reported = now
}

// alive records that the watcher gets on: the database answers, and what was due is done.
func (h *health) alive() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reported.At = h.now()
}

// logRound logs the result of a round if it has changed.
func (h *health) logRound(err error) {
	switch {
	case err != nil && err.Error() != h.failure:
		h.log.Warn("the network cannot be read", "error", err)
		h.failure = err.Error()
	case err == nil && h.failure != "":
		h.log.Info("the network can be read again")
		h.failure = ""
	}
}

// report publishes the network's health.
func (p *passes) report(heads chain.Heads, err error) {
	few := chain.TooFew(p.endpoints.Endpoints())
	h := payment.Health{
		OK: true, Unread: cmp.Or(few, p.tail.unread, p.second.onceSince(), p.late.unread()),
		Latest: heads.Latest, Final: heads.Final, Scanned: p.cursor.Scanned,
		Lag:      max(p.now().Sub(heads.Latest.Time), 0),
		SetAside: len(p.failed), Endpoints: chain.Voices(p.endpoints.Endpoints()),
	}
	if h.FinalKnown() {
		h.FinalAge, h.FinalIn = p.finalAge(heads), p.finalAge(heads)
	}
	if why, stalled := p.stalled(heads); stalled {
		h.OK, h.Stalled, h.Reason, h.Detail = false, true, "this network is confirming slowly at the moment", why
		if few != "" {
			h.Detail += "; " + few
		}
	}
	if err != nil && !(errors.Is(err, chain.ErrReorged) && p.upToDate(heads)) { // the next round makes up for it
		h.OK, h.Reason, h.Detail = false, "this network cannot be read reliably at the moment", err.Error()
	}
	p.health.set(h)
}

// limited reports whether all that keeps endpoints from answering is that they allow fewer calls.
func limited(endpoints []chain.EndpointHealth) bool {
	down := func(e chain.EndpointHealth) bool { return !e.CoolUntil.IsZero() && !e.Limited }
	return slices.ContainsFunc(endpoints, func(e chain.EndpointHealth) bool { return e.Limited }) &&
		!slices.ContainsFunc(endpoints, down)
}

// upToDate reports whether the cursor was stored of late and is close to the final
// block. A round that stops short now and then is no outage, but many in a row are.
func (p *passes) upToDate(heads chain.Heads) bool {
	c := p.cursor
	limit := p.profile.HeadLimit + c.Pause
	return p.now().Sub(c.UpdatedAt) <= limit && heads.Final.Time.Sub(c.Scanned.Time) <= limit
}
