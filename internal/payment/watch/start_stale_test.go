package watch_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/store"
)

// behind is a store whose news of what another program did has not come yet.
type behind struct {
	*store.Store

	before payment.Payment
}

func (b behind) RecentPayment(context.Context, payment.ID) (payment.Payment, error) {
	return b.before, nil
}

// On a network that cannot be chosen now, a start that was made elsewhere a
// moment ago can be repeated, and an ended payment says that it has ended.
func TestService_StartAfterAnother(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	choice := payment.Choice{Network: r.profile.Network, Token: money.USDC}
	create := func() payment.Payment {
		p, err := r.service.Create(t.Context(), payment.CreateInput{KeyID: r.key.ID, Amount: "10"}, audit.Act{})
		r.must(err)
		return p
	}
	elsewhere := func(before payment.Payment) *payment.Service {
		blind := watch.NewWatcher(r.profile, r.reader(), r.store, "two", r.now, slog.New(slog.DiscardHandler))
		return payment.NewService(behind{
			r.store, before,
		}, r.store.Merchant(), rigNetworks{payment.OfferedNetwork{Profile: r.profile}, blind}, payment.Options{
			TTL: rigTTL, StartTTL: rigStartTTL, MinAmount: 10_000, MaxAmount: money.USD,
		}, r.now, r.newID)
	}
	before := create()
	started, err := r.service.Start(t.Context(), string(before.ID), choice, audit.Act{})
	r.must(err)
	again, err := elsewhere(before).Start(t.Context(), string(before.ID), choice, audit.Act{})
	if err != nil || again.Choice != choice || again.Seq != started.Seq {
		t.Errorf("repeating the start: %+v, %v", again, err)
	}
	before = create()
	_, err = r.service.Cancel(t.Context(), string(before.ID), audit.Act{})
	r.must(err)
	_, err = elsewhere(before).Start(t.Context(), string(before.ID), choice, audit.Act{})
	if !errors.Is(err, payment.ErrEnded) {
		t.Errorf("starting an ended payment: %v", err)
	}
}
