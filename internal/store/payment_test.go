package store

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// same fails unless both values are deeply equal.
func same[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

func TestStore_CreatePayment(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k := w.key(0, 0)
		change := payment.New(request(k), start)
		p, err := w.CreatePayment(t.Context(), change)
		w.must(err)
		if p.Number < 1 {
			t.Errorf("number is %d", p.Number)
		}
		want := change.Payment
		want.Number = p.Number
		same(t, "created", p, want)
		read, err := w.Payment(t.Context(), p.ID)
		w.must(err)
		same(t, "read", read, want)
		events, err := w.Events(t.Context(), p.ID)
		w.must(err)
		same(t, "events", events, change.Events)
	})
}

func TestStore_UpdatePayment_Life(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k := w.key(5, 0)
		w.custodian(k, "https://shop.example/hook")
		p := w.started(k)
		tx := transfer(p, "0xaa", 12_500_000, 10)
		for _, decide := range []func(payment.Payment) (payment.Change, error){
			observe(5, tx), observe(10, tx),
		} {
			after, err := w.UpdatePayment(t.Context(), p.ID, decide)
			w.must(err)
			read, err := w.Payment(t.Context(), p.ID)
			w.must(err)
			same(t, "read", read, after)
			p = after
		}
		if p.Status != payment.Completed || p.Hash != "0xaa" || len(p.Deposits) != 1 || !p.Deposits[0].Hardened {
			t.Errorf("not completed: %+v", p)
		}
		if !p.CreatedAt.Equal(start) || p.CreatedAt.Location() != time.UTC {
			t.Errorf("created at %v", p.CreatedAt)
		}
		b, err := w.Balance(t.Context(), k.ID)
		w.must(err)
		if b.Credits != 4 {
			t.Errorf("credits left %d, want 4", b.Credits)
		}
		due, err := w.Claim(t.Context(), "me", start.Add(time.Hour), start.Add(2*time.Hour), 10, 10)
		w.must(err)
		if len(due) != 1 || due[0].URL != "https://shop.example/hook" || due[0].Secret.Reveal() != "merchant secret" {
			t.Errorf("deliveries: %+v", due)
		}
		_ = money.USD
		_ = chain.Polygon
		_ = errors.New
	})
}
