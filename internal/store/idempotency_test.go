package store_test

import (
	"crypto/sha256"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/retention"
	"github.com/florinpay/florin/internal/store/storetest"
)

// begin tries a request at the time; its lock holds for a minute.
func (w *world) begin(keyID int64, key, body, subject string, now time.Time) (string, idempotency.Answer, error) {
	return w.IdempotencyBegin(w.T.Context(), idempotency.Try{
		Claim: claim(keyID, key, subject), Request: sha256.Sum256([]byte(body)), Subject: subject, Now: now,
		LockedUntil: now.Add(time.Minute),
	})
}

// claim is that of the try that came with the subject.
func claim(keyID int64, key, subject string) idempotency.Claim {
	return idempotency.Claim{KeyID: keyID, Key: key, Holder: "try " + subject}
}

// TestStore_UpdatePayment_Kept: the answer of a request is stored with the change, or not at all.
func TestStore_UpdatePayment_Kept(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(100, 0)
		p := w.NewPayment(k)
		answer := idempotency.Answer{Status: 200, Body: []byte("cancelled")}
		cancel := func(key string, after error) error {
			return errorOf(w.UpdatePayment(t.Context(), p.ID, func(p payment.Payment) (payment.Change, error) {
				c, err := p.Cancel(storetest.Start)
				c.Kept = &idempotency.Kept{Claim: claim(k.ID, key, string(p.ID)), Answer: answer, At: storetest.Start}
				return c, errors.Join(err, after)
			}))
		}
		for _, key := range []string{"refused", "done"} {
			_, _, err := w.begin(k.ID, key, "body", string(p.ID), storetest.Start)
			w.Must(err)
		}
		if cancel("refused", errors.New("refused")) == nil {
			t.Fatal("a refused change was written")
		}
		w.Must(cancel("done", nil))
		_, got, err := w.begin(k.ID, "done", "body", "", storetest.Start.Add(time.Second))
		w.Must(err)
		storetest.Same(t, "the answer after a crash", got, answer)
		_, _, err = w.begin(k.ID, "refused", "body", "", storetest.Start.Add(time.Second))
		storetest.WantError(t, "the key of the refused request", err, idempotency.ErrRunning)
	})
}

// free frees the key of a try that is not kept.
func free(w *world, c idempotency.Claim) {
	w.T.Helper()
	w.MustDo(w.IdempotencyHold(w.T.Context(), c, storetest.Start.Add(-time.Second)))
}

func TestStore_IdempotencyHold(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(0, 0)
		_, _, err := w.begin(k.ID, "long", "body", "A", storetest.Start)
		w.Must(err)
		own := claim(k.ID, "long", "A")
		extend := func(c idempotency.Claim, until time.Duration, want bool) {
			t.Helper()
			held, err := w.IdempotencyHold(t.Context(), c, storetest.Start.Add(until))
			w.Must(err)
			storetest.Same(t, "held", held, want)
		}
		extend(own, 3*time.Minute, true)
		extend(claim(k.ID, "long", "B"), time.Hour, false)
		_, _, err = w.begin(k.ID, "long", "body", "B", storetest.Start.Add(2*time.Minute))
		storetest.WantError(t, "while it runs", err, idempotency.ErrRunning)
		answer := idempotency.Answer{Status: 200, Body: []byte("{}")}
		w.Must(w.IdempotencyFinish(t.Context(), idempotency.Kept{Claim: own, Answer: answer, At: storetest.Start}))
		extend(own, time.Hour, false)
		_, got, err := w.begin(k.ID, "long", "body", "B", storetest.Start.Add(2*time.Minute))
		w.Must(err)
		storetest.Same(t, "the answer", got, answer)
	})
}

// A try whose time ran out while it could not extend its claim, and whose request another try has taken over, changes
// nothing any more: neither the payment nor the record of the request.
func TestStore_Idempotency_TakenOver(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(100, 0)
		stalled, next := claim(k.ID, "one", "stalled"), claim(k.ID, "one", "next")
		answer := idempotency.Answer{Status: 200, Body: []byte("done")}
		kept := func(c idempotency.Claim) *idempotency.Kept {
			return &idempotency.Kept{Claim: c, Answer: answer, At: storetest.Start}
		}
		p := w.NewPayment(k)
		_, _, err := w.begin(k.ID, "one", "body", "stalled", storetest.Start)
		w.Must(err)
		subject, _, err := w.begin(k.ID, "one", "body", "next", storetest.Start.Add(2*time.Minute))
		w.Must(err)
		storetest.Same(t, "the subject of the request", subject, "stalled")
		cancel := func(c idempotency.Claim) error {
			return errorOf(w.UpdatePayment(t.Context(), p.ID, func(p payment.Payment) (payment.Change, error) {
				change, err := p.Cancel(storetest.Start)
				change.Kept = kept(c)
				return change, err
			}))
		}
		create := payment.New(payment.Request{
			ID: storetest.NewID(), KeyID: k.ID, Kind: payment.KindMerchant, Amount: 1, ValidFor: time.Hour,
		}, storetest.Start)
		create.Kept = kept(stalled)
		_, err = w.CreatePayment(t.Context(), create)
		storetest.WantError(t, "a payment of the stalled try", err, idempotency.ErrRunning)
		_, err = w.Payment(t.Context(), create.Payment.ID)
		storetest.WantError(t, "the payment it made", err, payment.ErrUnknown)
		storetest.WantError(t, "a change of the stalled try", cancel(stalled), idempotency.ErrRunning)
		free(w, stalled)
		w.Must(w.IdempotencyForget(t.Context(), stalled))
		w.Must(w.IdempotencyFinish(t.Context(), *kept(stalled)))
		_, _, err = w.begin(k.ID, "one", "body", "third", storetest.Start.Add(150*time.Second))
		storetest.WantError(t, "while the next one runs", err, idempotency.ErrRunning)
		w.Must(cancel(next))
		_, got, err := w.begin(k.ID, "one", "body", "third", storetest.Start.Add(150*time.Second))
		w.Must(err)
		storetest.Same(t, "the answer", got, answer)
	})
}

// A claim that a clock wrote which ran ahead, and was set right since, holds nobody up.
func TestStore_Idempotency_ClockSetBack(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(0, 0)
		_, _, err := w.begin(k.ID, "one", "body", "A", storetest.Start.Add(time.Hour))
		w.Must(err)
		subject, _, err := w.begin(k.ID, "one", "body", "B", storetest.Start)
		w.Must(err)
		storetest.Same(t, "the subject", subject, "A")
		_, _, err = w.begin(k.ID, "one", "body", "C", storetest.Start.Add(time.Second))
		storetest.WantError(t, "while it runs", err, idempotency.ErrRunning)
	})
}

func TestStore_Idempotency(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k, other := w.NewKey(0, 0), w.NewKey(0, 0)
		expect := func(
			what string, now time.Duration, body, subject string, wantSubject string, want idempotency.Answer,
			wantErr error,
		) {
			t.Helper()
			got, answer, err := w.begin(k.ID, "order-7", body, subject, storetest.Start.Add(now))
			storetest.WantError(t, what, err, wantErr)
			storetest.Same(t, what+": subject", got, wantSubject)
			storetest.Same(t, what+": answer", answer, want)
		}
		none := idempotency.Answer{}
		expect("first", 0, "body", "A", "A", none, nil)
		expect("while it runs", time.Second, "body", "B", "", none, idempotency.ErrRunning)
		expect("another body", time.Second, "BODY", "B", "", none, idempotency.ErrMismatch)
		expect("after a crash", time.Minute, "body", "B", "A", none, nil)
		free(w, claim(k.ID, "order-7", "B"))
		expect("after giving up", time.Minute+time.Second, "body", "B", "A", none, nil)

		answer := idempotency.Answer{Status: 200, Body: []byte("{\"a\":\x00\xff}")}
		last := claim(k.ID, "order-7", "B")
		w.Must(w.IdempotencyFinish(t.Context(), idempotency.Kept{
			Claim: last, Answer: answer, At: storetest.Start.Add(2 * time.Minute),
		}))
		w.Must(w.IdempotencyFinish(t.Context(), idempotency.Kept{Claim: last, Answer: idempotency.Answer{Status: 500}}))
		free(w, last)
		expect("finished", time.Hour, "body", "B", "A", answer, nil)
		expect("finished, another body", time.Hour, "BODY", "B", "", none, idempotency.ErrMismatch)

		got, _, err := w.begin(other.ID, "order-7", "BODY", "C", storetest.Start)
		w.Must(err)
		storetest.Same(t, "another API key", got, "C")

		expect("just before a day has passed", idempotency.KeepFor-time.Microsecond, "body", "D", "A", answer, nil)
		expect("after a day", idempotency.KeepFor, "BODY", "D", "D", none, nil)
		n, err := w.Retention().DropBatch(t.Context(), retention.Idempotency, storetest.Start.Add(time.Second), 0)
		w.Must(err)
		if left := w.Count("SELECT count(*) FROM idempotency"); n.Dropped != 1 || left != 1 {
			t.Errorf("dropped %d, %d left", n.Dropped, left)
		}
	})
}

func TestStore_Idempotency_AtOnce(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(0, 0)
		won := 0
		for _, err := range storetest.AtOnce(30, func(int) error {
			_, _, err := w.begin(k.ID, "one", "body", string(storetest.NewID()), storetest.Start)
			return err
		}) {
			if err == nil {
				won++
			} else {
				storetest.WantError(t, "the others", err, idempotency.ErrRunning)
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
		k := w.NewKey(0, 0)
		for _, key := range []string{"a", "?", "'; --", strings.Repeat("é", idempotency.MaxKey)} {
			_, _, err := w.begin(k.ID, key, "body", "A", storetest.Start)
			w.Must(err)
			_, _, err = w.begin(k.ID, key, "body", "A", storetest.Start)
			storetest.WantError(t, "again", err, idempotency.ErrRunning)
		}
		for _, key := range []string{"", "\x00", "\xff", strings.Repeat("a", idempotency.MaxKey+1)} {
			_, _, err := w.begin(k.ID, key, "body", "A", storetest.Start)
			storetest.WantInvalid(t, "key "+key, err)
		}
	})
}

// Callers without an API key share a scope, which keeps only so many records. The
// newest stay, and those of requests that run; other scopes are left alone.
func TestStore_Idempotency_Scope(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(0, 0)
		const most = 3
		begin := func(scope, key string, at time.Duration) {
			t.Helper()
			now := storetest.Start.Add(at)
			_, _, err := w.IdempotencyBegin(t.Context(), idempotency.Try{
				Claim: claim(k.ID, key, "A"), Scope: scope, Most: most, Request: sha256.Sum256([]byte(key)),
				Subject: "A", Now: now,
				LockedUntil: now.Add(time.Minute),
			})
			w.Must(err)
		}
		finish := func(key string) {
			t.Helper()
			w.Must(w.IdempotencyFinish(t.Context(), idempotency.Kept{
				Claim: claim(k.ID, key, "A"), Answer: idempotency.Answer{Status: 200}, At: storetest.Start,
			}))
		}
		keys := func() (text string) {
			t.Helper()
			w.Must(w.SQL().QueryRowContext(t.Context(),
				"SELECT min(key) || max(key) || count(*) FROM idempotency WHERE scope = 'P'").Scan(&text))
			return text
		}
		begin("Q", "q", 0)
		finish("q")
		begin("", "merchant", 0)
		begin("P", "0", 0) // runs through
		for i, key := range []string{"1", "2", "3", "4"} {
			begin("P", key, time.Duration(i)*time.Second)
			finish(key)
		}
		storetest.Same(t, "the running one and the newest", keys(), "044")
		begin("P", "5", 2*time.Minute) // the first has crashed by now
		storetest.Same(t, "the newest", keys(), "353")
		if n := w.Count("SELECT count(*) FROM idempotency WHERE scope <> 'P'"); n != 2 {
			t.Errorf("%d records outside the scope, want 2", n)
		}
		w.Must(w.IdempotencyForget(t.Context(), claim(k.ID, "5", "A")))
		w.Must(w.IdempotencyForget(t.Context(), claim(k.ID, "4", "A")))
		storetest.Same(t, "without the forgotten one; a finished one stays", keys(), "342")
	})
}
