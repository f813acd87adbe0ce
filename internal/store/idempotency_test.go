package store

import (
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/idempotency"
)

// begin tries a request at the time; its lock holds for a minute.
func (w *world) begin(keyID int64, key, body, subject string, now time.Time) (string, idempotency.Answer, error) {
	return w.IdempotencyBegin(w.t.Context(), idempotency.Try{
		KeyID: keyID, Key: key, Request: sha256.Sum256([]byte(body)), Subject: subject, Now: now,
		LockedUntil: now.Add(time.Minute),
	})
}

func TestStore_Idempotency(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k, other := w.key(0, 0), w.key(0, 0)
		expect := func(
			what string, now time.Duration, body, subject string, wantSubject string, want idempotency.Answer,
			wantErr error,
		) {
			t.Helper()
			got, answer, err := w.begin(k.ID, "order-7", body, subject, start.Add(now))
			wants(t, what, err, wantErr)
			same(t, what+": subject", got, wantSubject)
			same(t, what+": answer", answer, want)
		}
		none := idempotency.Answer{}
		expect("first", 0, "body", "A", "A", none, nil)
		expect("while it runs", time.Second, "body", "B", "", none, idempotency.ErrRunning)
		expect("another body", time.Second, "BODY", "B", "", none, idempotency.ErrMismatch)
		expect("after a crash", time.Minute, "body", "B", "A", none, nil)
		w.must(w.IdempotencyAbandon(t.Context(), k.ID, "order-7"))
		expect("after giving up", time.Minute+time.Second, "body", "B", "A", none, nil)

		answer := idempotency.Answer{Status: 200, Body: []byte("{\"a\":\x00\xff}")}
		w.must(w.IdempotencyFinish(t.Context(), k.ID, "order-7", answer, start.Add(2*time.Minute)))
		w.must(w.IdempotencyFinish(t.Context(), k.ID, "order-7", idempotency.Answer{Status: 500}, start))
		w.must(w.IdempotencyAbandon(t.Context(), k.ID, "order-7"))
		expect("finished", time.Hour, "body", "B", "A", answer, nil)
		expect("finished, another body", time.Hour, "BODY", "B", "", none, idempotency.ErrMismatch)

		got, _, err := w.begin(other.ID, "order-7", "BODY", "C", start)
		w.must(err)
		same(t, "another API key", got, "C")

		expect("just before a day has passed", idempotency.KeepFor-time.Microsecond, "body", "D", "A", answer, nil)
		expect("after a day", idempotency.KeepFor, "BODY", "D", "D", none, nil)
		n, err := w.IdempotencyPrune(t.Context(), start.Add(time.Second))
		w.must(err)
		if left := w.count("SELECT count(*) FROM idempotency"); n != 1 || left != 1 {
			t.Errorf("pruned %d, %d left", n, left)
		}
	})
}

func TestStore_Idempotency_AtOnce(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.key(0, 0)
		won := 0
		for _, err := range together(30, func(int) error {
			_, _, err := w.begin(k.ID, "one", "body", string(newID()), start)
			return err
		}) {
			if err == nil {
				won++
			} else {
				wants(t, "the others", err, idempotency.ErrRunning)
			}
		}
		if won != 1 {
			t.Errorf("%d run at once", won)
		}
	})
}

func TestStore_Idempotency_Keys(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.key(0, 0)
		for _, key := range []string{"a", "?", "'; --", strings.Repeat("é", idempotency.MaxKey)} {
			_, _, err := w.begin(k.ID, key, "body", "A", start)
			w.must(err)
			_, _, err = w.begin(k.ID, key, "body", "A", start)
			wants(t, "again", err, idempotency.ErrRunning)
		}
		for _, key := range []string{"", "\x00", "\xff", strings.Repeat("a", idempotency.MaxKey+1)} {
			_, _, err := w.begin(k.ID, key, "body", "A", start)
			wantsInvalid(t, "key "+key, err)
		}
	})
}
