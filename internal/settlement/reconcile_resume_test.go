package settlement_test

import (
	"context"
	"errors"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
)

// A comparison that was stopped goes on after the last address that was compared, and counts on.
func TestReconciler_Resume(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	first, second := w.paid(5*money.USD), w.paid(7*money.USD)
	r := w.reconciler()
	r.Records = forged{w.store.Settlement(), func([]settlement.Record) []settlement.Record { return nil }}
	stopped := errors.New("stopped")
	var place settlement.ReconcilePlace
	var seen []settlement.Difference
	r.Compared = func(_ context.Context, to settlement.ReconcilePlace, found []settlement.Difference) error {
		place, seen = to, append(seen, found...)
		return stopped
	}
	if _, err := r.Run(t.Context()); !errors.Is(err, stopped) {
		t.Fatalf("stopped after a page: %v", err)
	}
	if place.Done != 2 || place.Found != 2 || len(seen) != 2 || place.Last.PaymentID != string(second.ID) {
		t.Fatalf("after the only page: %+v, %q", place, seen)
	}
	list, err := w.store.Settlement().DepositAddressesOf(t.Context(), string(first.ID))
	w.must(err)
	r.From = settlement.ReconcilePlace{Last: list[0], Done: 1, Found: 1}
	r.Compared = func(_ context.Context, to settlement.ReconcilePlace, _ []settlement.Difference) error {
		place = to
		return nil
	}
	found, err := r.Run(t.Context())
	w.must(err)
	if len(found) != 1 || found[0].PaymentID != string(second.ID) || place.Done != 2 || place.Found != 2 {
		t.Errorf("going on after the first: %q, %+v", found, place)
	}
}
