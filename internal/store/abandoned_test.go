package store_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/webhook"
)

// TestStore_FreeAbandoned: what a dead instance holds is due when its presence has ended, and what a running one holds
// stays held.
func TestStore_FreeAbandoned(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		now := storetest.Start
		for _, holder := range []string{"dead", "runs"} {
			f, err := w.FollowSecretKey(holder, func() time.Time { return now })
			w.Must(err)
			w.Must(f.Join(t.Context()))
		}
		k := w.receiver("https://shop.example/hook")
		w.end(k)
		of := map[string]webhook.Delivery{"dead": w.claim("dead", now, 1, 9)[0]}
		w.end(k)
		of["runs"] = w.claim("runs", now, 1, 9)[0]
		early, late := now.Add(webhook.PresentFor-time.Second), now.Add(webhook.PresentFor)
		w.Must(w.FreeAbandoned(t.Context(), early))
		if list := w.claim("other", early, 9, 9); len(list) != 0 {
			t.Errorf("claimed while its holder counts as running: %+v", list)
		}
		now = early
		f, err := w.FollowSecretKey("runs", func() time.Time { return now })
		w.Must(err)
		w.Must(f.Join(t.Context()))
		w.Must(w.FreeAbandoned(t.Context(), late))
		storetest.Same(t, "due after the instance has died", eventIDs(w.claim("other", late, 9, 9)),
			[]string{of["dead"].EventID})
	})
}

// TestStore_HeldLately: what was claimed a while ago does not count against the receiver's other events.
func TestStore_HeldLately(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		now, k := storetest.Start, w.receiver("https://shop.example/hook")
		w.end(k)
		w.claim("dead", now, 1, 9)
		w.end(k)
		for after, held := range map[time.Duration]int{0: 1, 2 * time.Second: 0} {
			due, err := w.DueReceivers(t.Context(), now.Add(after))
			w.Must(err)
			if len(due) != 1 || due[0].Held != held {
				t.Errorf("after %s the receivers are %+v, want %d held", after, due, held)
			}
		}
	})
}
