package watch

import (
	"cmp"
	"errors"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// Health returns the network's health as of the last round.
func (w *Watcher) Health() payment.Health {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.health
}

// Level returns how closely the network is read at the moment.
func (w *Watcher) Level() Level {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.level
}

func (w *Watcher) setLevel(l Level) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.level = l
}

// readByLeader reports whether the instance that leads reads the network: a cursor
// exists, is not behind, and was stored of late.
func (w *Watcher) readByLeader(c Cursor, exists bool) bool {
	return exists && c.BehindSince.IsZero() && w.now().Sub(c.UpdatedAt) <= w.profile.HeadLimit+c.Pause
}

// report publishes the network's health.
func (w *Watcher) report(heads chain.Heads, c Cursor, err error) {
	h := payment.Health{
		OK: true, Unread: cmp.Or(w.tailUnread, w.onceSince(c)),
		Latest: heads.Latest, Final: heads.Final, Scanned: c.Scanned,
		Lag:      max(w.now().Sub(heads.Latest.Time), 0),
		SetAside: len(w.aside), Endpoints: chain.Voices(w.reader.Endpoints()),
	}
	if h.FinalKnown() {
		h.FinalAge = max(w.newest(heads).Sub(heads.Final.Time), 0)
		h.FinalIn = h.FinalAge
	}
	if why, stalled := w.stalled(heads); stalled {
		h.OK, h.Stalled, h.Reason, h.Detail = false, true, slow, why
		if !h.FinalKnown() {
			h.Reason = noFinal
		}
	}
	if err != nil && !(passing(err) && w.upToDate(heads, c)) {
		h.OK, h.Reason, h.Detail = false, "this network cannot be read reliably at the moment", err.Error()
	}
	w.setHealth(h)
}

// passing reports whether a failed round is expected to be made up for by the next.
func passing(err error) bool { return errors.Is(err, chain.ErrReorged) }

// limited reports whether all that keeps endpoints from answering is that they allow fewer calls.
func (w *Watcher) limited() bool {
	some := false
	for _, e := range w.reader.Endpoints() {
		if !e.CoolUntil.IsZero() && !e.Limited {
			return false
		}
		some = some || e.Limited
	}
	return some
}

// upToDate reports whether the cursor was stored of late and is close to the final
// block. A round that stops short now and then is no outage, but many in a row are.
func (w *Watcher) upToDate(heads chain.Heads, c Cursor) bool {
	limit := w.profile.HeadLimit + c.Pause
	return w.now().Sub(c.UpdatedAt) <= limit && heads.Final.Time.Sub(c.Scanned.Time) <= limit
}

// alive records that the watcher gets on: the database answers, and what was due is done.
func (w *Watcher) alive() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.health.At = w.now()
}

func (w *Watcher) setHealth(h payment.Health) {
	w.mu.Lock()
	defer w.mu.Unlock()
	h.At = w.health.At
	if h.Scanned.Number == 0 {
		h.Scanned = w.health.Scanned
	}
	w.health = h
}
