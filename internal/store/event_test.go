package store_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/storetest"
)

// feed reads on from the cursor, in pages of three, until there is no more.
func (w *world) feed(k merchant.Key, after string) (ids []string, next string) {
	w.T.Helper()
	for {
		page, cursor, err := w.PublicEvents(w.T.Context(), k.ID, after, 3)
		w.Must(err)
		for _, e := range page {
			ids = append(ids, e.ID)
		}
		if after = cursor; len(page) < 3 {
			return ids, after
		}
	}
}

// end cancels a new payment of the key and returns the event of it.
func (w *world) end(k merchant.Key) string {
	w.T.Helper()
	p, err := w.UpdatePayment(w.T.Context(), w.NewPayment(k).ID,
		func(p payment.Payment) (payment.Change, error) { return p.Cancel(storetest.Start) })
	w.Must(err)
	return fmt.Sprintf("evt_%s_%d", p.ID, p.Seq)
}

func TestStore_PublicEvents(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k, other := w.NewKey(0, 0), w.NewKey(0, 0)
		var want []string
		for range 8 {
			want = append(want, w.end(k))
			w.end(other)
			w.NewPayment(k)
		}
		got, after := w.feed(k, "")
		storetest.Same(t, "from the beginning", got, want)
		got, again := w.feed(k, after)
		if len(got) != 0 || again != after {
			t.Errorf("after the end: %v, cursor %s became %s", got, after, again)
		}
		newest := w.end(k)
		got, _ = w.feed(k, after)
		storetest.Same(t, "after one more", got, []string{newest})

		page, _, err := w.PublicEvents(t.Context(), k.ID, "", 1)
		w.Must(err)
		events, err := w.Events(t.Context(), page[0].PaymentID)
		w.Must(err)
		storetest.Same(t, "the event", page[0], events[1])

		end, err := strconv.ParseInt(after, 10, 64)
		w.Must(err)
		if _, _, err := w.PublicEvents(t.Context(), k.ID, strconv.FormatInt(end+1, 10), 3); err != nil {
			t.Errorf("after the newest event: %v", err)
		}
		_, _, err = w.PublicEvents(t.Context(), k.ID, strconv.FormatInt(end+2, 10), 3)
		storetest.WantInvalid(t, "a cursor beyond the end", err)

		for _, bad := range []string{"x", "-1", "1-1", "99999999999999999999", "\x00", "1'"} {
			_, _, err := w.PublicEvents(t.Context(), k.ID, bad, 3)
			storetest.WantInvalid(t, "cursor "+bad, err)
		}
	})
}

// An event whose transaction began first and commits last is not skipped.
func TestStore_PublicEvents_LateCommit(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		if !w.ManyWriters() {
			w.checkOneWriter()
			return
		}
		k := w.NewKey(0, 0)
		p := w.NewPayment(k)
		first := w.end(k)
		open, err := w.SQL().Begin()
		w.Must(err)
		defer func() { _ = open.Rollback() }()
		_, err = open.Exec("INSERT INTO events (payment_id, seq, type, at, data) VALUES ($1, 2, 'payment.expired', '2020-01-01', $2)",
			p.Number, []byte("{}"))
		w.Must(err)
		_, err = open.Exec(fmt.Sprintf("INSERT INTO feed (payment_id, seq, key_id) VALUES (%d, 2, %d)", p.Number, k.ID))
		w.Must(err)
		second := w.end(k)

		got, after := w.feed(k, "")
		storetest.Same(t, "while it is open", got, []string{first, second})
		w.Must(open.Commit())
		got, _ = w.feed(k, after)
		storetest.Same(t, "after it committed", got, []string{payment.EventID(p.ID, 2)})
	})
}

// checkOneWriter shows why it cannot happen on SQLite: while one transaction
// is open, no other can commit.
func (w *world) checkOneWriter() {
	w.T.Helper()
	k := w.NewKey(0, 0)
	open, err := w.SQL().Begin()
	w.Must(err)
	done := make(chan string)
	go func() { done <- w.end(k) }()
	select {
	case id := <-done:
		w.T.Errorf("event %s committed beside an open transaction", id)
	case <-time.After(200 * time.Millisecond):
	}
	w.Must(open.Rollback())
	<-done
}

// Readers and writers at once: every reader sees every event once.
func TestStore_PublicEvents_AtOnce(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(0, 0)
		const writers, readers, each = 4, 3, 12
		read := make([]map[string]int, readers)
		for _, err := range storetest.AtOnce(writers+readers, func(i int) error {
			if i < writers {
				for range each {
					w.end(k)
				}
				return nil
			}
			seen := make(map[string]int)
			read[i-writers] = seen
			for after, stop := "", time.Now().Add(time.Minute); len(seen) < writers*each && time.Now().Before(stop); {
				page, next, err := w.PublicEvents(t.Context(), k.ID, after, 3)
				if err != nil {
					return err
				}
				for _, e := range page {
					seen[e.ID]++
				}
				after = next
			}
			return nil
		}) {
			w.Must(err)
		}
		for _, seen := range read {
			if len(seen) != writers*each {
				t.Errorf("a reader saw %d of %d events", len(seen), writers*each)
			}
			for id, n := range seen {
				if n != 1 {
					t.Errorf("event %s came %d times", id, n)
				}
			}
		}
	})
}
