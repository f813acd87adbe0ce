package store_test

import (
	"context"
	"testing"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/storetest"
)

func TestStore_CreatePayment(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(0, 0)
		change := payment.New(storetest.Request(k), storetest.Start)
		p, err := w.CreatePayment(t.Context(), change)
		w.Must(err)
		if p.Number < 1 {
			t.Errorf("number is %d", p.Number)
		}
		want := change.Payment
		want.Number = p.Number
		storetest.Same(t, "created", p, want)
		read := w.Stored(p.ID)
		storetest.Same(t, "read", read, want)
		events, err := w.Events(t.Context(), p.ID)
		w.Must(err)
		storetest.Same(t, "events", events, change.Events)
	})
}

func TestStore_CreatePayment_SameID(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(1, 0)
		first := w.NewStarted(k)
		r := storetest.Request(k)
		r.ID, r.Amount = first.ID, 1
		again, err := w.CreatePayment(t.Context(), payment.New(r, storetest.Start))
		w.Must(err)
		storetest.Same(t, "the stored payment", again, first)
		if n := w.Count("SELECT count(*) FROM events"); n != int64(first.Seq) {
			t.Errorf("%d events, want %d", n, first.Seq)
		}
	})
}

func TestStore_CreatePayment_SameIDAtOnce(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		change := payment.New(storetest.Request(w.NewKey(0, 0)), storetest.Start)
		numbers := make([]int64, 40)
		for _, err := range storetest.AtOnce(len(numbers), func(i int) error {
			p, err := w.CreatePayment(t.Context(), change)
			numbers[i] = p.Number
			return err
		}) {
			w.Must(err)
		}
		for _, n := range numbers {
			if n != numbers[0] || n == 0 {
				t.Fatalf("numbers differ: %v", numbers)
			}
		}
		if n := w.Count("SELECT count(*) FROM events"); n != 1 {
			t.Errorf("%d events, want 1", n)
		}
	})
}

func TestStore_CreatePayment_Many(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(0, 0)
		// One in ten names a key that does not exist: it fails alone.
		created := make([]payment.Payment, 300)
		errs := storetest.AtOnce(len(created), func(i int) (err error) {
			r := storetest.Request(k)
			if i%10 == 0 {
				r.KeyID = 1 << 40
			}
			created[i], err = w.CreatePayment(t.Context(), payment.New(r, storetest.Start))
			return err
		})
		seen := make(map[int64]bool)
		for i, err := range errs {
			if failed := err != nil; failed != (i%10 == 0) {
				t.Fatalf("payment %d: %v", i, err)
			}
			if err != nil {
				continue
			}
			if seen[created[i].Number] {
				t.Fatalf("number %d was given twice", created[i].Number)
			}
			seen[created[i].Number] = true
			read := w.Stored(created[i].ID)
			storetest.Same(t, "read", read, created[i])
		}
		if n := w.Count("SELECT count(*) FROM events"); n != int64(len(seen)) {
			t.Errorf("%d events, want %d", n, len(seen))
		}
	})
}

func TestStore_CreatePayment_Refused(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(1, 0)
		for name, text := range map[string]string{"NUL": "a\x00b", "invalid UTF-8": "a\xffb"} {
			for where, set := range map[string]func(*payment.Details){
				"reference": func(d *payment.Details) { d.Reference = text },
				"donor":     func(d *payment.Details) { d.DonorMessage = text },
				"key":       func(d *payment.Details) { d.Metadata = map[string]string{text: "v"} },
				"value":     func(d *payment.Details) { d.Metadata = map[string]string{"k": text} },
			} {
				r := storetest.Request(k)
				set(&r.Details)
				_, err := w.CreatePayment(t.Context(), payment.New(r, storetest.Start))
				storetest.WantInvalid(t, name+" in "+where, err)
			}
		}
		gap := payment.New(storetest.Request(k), storetest.Start)
		gap.Payment.Seq++
		stranger := payment.New(storetest.Request(k), storetest.Start)
		stranger.Events[0].PaymentID = storetest.NewID()
		old := payment.New(storetest.Request(k), storetest.Start)
		old.Payment.Number = 7
		for name, c := range map[string]payment.Change{"gap": gap, "stranger": stranger, "old": old} {
			if _, err := w.CreatePayment(t.Context(), c); err == nil {
				t.Errorf("%s: stored", name)
			}
		}
		if n := w.Count("SELECT count(*) FROM payments"); n != 0 {
			t.Errorf("%d payments stored", n)
		}
	})
}

func TestStore_CreatePayment_Hostile(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(0, 0)
		for _, text := range []string{
			"'; DROP TABLE payments; --", `\'; SELECT 1; --`, "?0 ?1 ? ?? $1 $2 :a @b %s %d",
			"🏴‍☠️ \u202e\u0000"[:len("🏴‍☠️ \u202e")], "e\u0301 ≠ é",
			"\\u0000", "\r\n\t\b\x1b", "{{.}} ${x} `x`", "\ufffd\ufeff\U0010ffff",
		} {
			r := storetest.Request(k)
			r.Details = payment.Details{
				Reference: text, Description: text, SuccessURL: text, CancelURL: text,
				CustomerEmail: text, DonorName: text,
				DonorMessage: text,
				Metadata:     map[string]string{text: text},
			}
			p, err := w.CreatePayment(t.Context(), payment.New(r, storetest.Start))
			w.Must(err)
			read := w.Stored(p.ID)
			storetest.Same(t, "details", read.Details, r.Details)
			list, err := w.Payments(t.Context(), payment.Filter{KeyID: k.ID, Limit: 1, Since: storetest.Start})
			w.Must(err)
			storetest.Same(t, "listed details", list[0].Details, r.Details)
		}
	})
}

func TestStore_Payment_Unknown(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.NewPayment(w.NewKey(0, 0))
		for _, id := range []payment.ID{"", storetest.NewID(), "' OR '1'='1", "\x00", "\xff", "?0"} {
			_, err := w.Payment(t.Context(), id)
			storetest.WantError(t, "Payment", err, payment.ErrUnknown)
			_, err = w.Events(t.Context(), id)
			storetest.WantError(t, "Events", err, payment.ErrUnknown)
			_, err = w.UpdatePayment(t.Context(), id, storetest.StartOn("POLYGON", "USDC", storetest.Start))
			storetest.WantError(t, "UpdatePayment", err, payment.ErrUnknown)
		}
	})
}

func TestStore_CreatePayment_Cancelled(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(0, 0)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := w.CreatePayment(gone, payment.New(storetest.Request(k), storetest.Start))
		storetest.WantError(t, "a caller who has gone", err, context.Canceled)
		w.NewPayment(k) // the next one is not harmed
	})
}
