package operation

import (
	"context"
	"errors"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/webhook"
)

// defaultEvents is how many events a page has without a limit.
const defaultEvents = 100

// Events lists the events of a key's payments. A nil limit is the default.
func (o *Operations) Events(
	ctx context.Context, apiKey secret.Text, after string, limit *int,
) (*model.EventsResult, error) {
	key, err := o.caller(ctx, apiKey, merchant.PermissionRead)
	if err != nil {
		return nil, err
	}
	n := defaultEvents
	if limit != nil {
		n = *limit
	}
	if n < 1 || n > payment.MaxPage {
		return nil, fault.New(fault.Invalid, "limit must be between 1 and %d", payment.MaxPage)
	}
	events, next, err := o.d.Store.PublicEvents(ctx, key.ID, after, n)
	if err != nil {
		return nil, err
	}
	custodian, err := o.d.Merchants.Custodian(ctx, key.ID)
	if err != nil && !errors.Is(err, merchant.ErrNoCustodian) {
		return nil, err
	}
	out := &model.EventsResult{Events: make([]model.Event, len(events)), NextAfter: next}
	for i, e := range events {
		data := webhook.WithCustodian(e.Data, custodian.PublicID)
		out.Events[i] = model.Event{EventID: e.ID, Type: string(e.Type), CreatedAt: model.At(e.At), Data: data}
	}
	return out, nil
}
