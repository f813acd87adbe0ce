package trace

import (
	"context"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/florinpay/florin/internal/metrics"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/webhook"
)

// Payments returns the store with its changes of payments exported.
func (t *Tracer) Payments(s metrics.Store) metrics.Store {
	if t == nil {
		return s
	}
	return traced{s, t}
}

type traced struct {
	metrics.Store
	t *Tracer
}

// CreatePayment exports the creation.
func (x traced) CreatePayment(ctx context.Context, c payment.Change) (payment.Payment, error) {
	began := time.Now()
	p, err := x.Store.CreatePayment(ctx, c)
	if err == nil {
		x.t.changed(ctx, c, began, true)
	}
	return p, err
}

// OpenPayment exports the creation and the start.
func (x traced) OpenPayment(
	ctx context.Context, created payment.Change, start func(payment.Payment) (payment.Change, error),
) (payment.Payment, error) {
	began := time.Now()
	var before payment.Payment
	var started payment.Change
	p, err := x.Store.OpenPayment(ctx, created, func(p payment.Payment) (payment.Change, error) {
		made, err := start(p)
		before, started = p, made
		return made, err
	})
	if err == nil {
		if before.Seq == created.Payment.Seq { // it is new
			x.t.changed(ctx, created, began, true)
		}
		x.t.changed(ctx, started, began, false)
	}
	return p, err
}

// UpdatePayment exports the change that was stored, which is that of the last run of the decision.
func (x traced) UpdatePayment(
	ctx context.Context, id payment.ID, decide func(payment.Payment) (payment.Change, error),
) (payment.Payment, error) {
	began := time.Now()
	var change payment.Change
	p, err := x.Store.UpdatePayment(ctx, id, func(p payment.Payment) (payment.Change, error) {
		made, err := decide(p)
		change = made
		return made, err
	})
	if err == nil {
		x.t.changed(ctx, change, began, false)
	}
	return p, err
}

// UpdatePayments exports the changes that were stored.
func (x traced) UpdatePayments(ctx context.Context, all []watch.Update) []error {
	began := time.Now()
	all = slices.Clone(all)
	changes := make([]payment.Change, len(all))
	for i, u := range all {
		all[i].Decide = func(p payment.Payment) (payment.Change, error) {
			made, err := u.Decide(p)
			changes[i] = made
			return made, err
		}
	}
	errs := x.Store.UpdatePayments(ctx, all)
	for i, err := range errs {
		if err == nil {
			x.t.changed(ctx, changes[i], began, false)
		}
	}
	return errs
}

// changed exports the events of a change that was stored, one span each, and the deposits that came with it, as
// chain.seen or chain.final: these from the time of their block on, which shows how long it took to see them.
func (t *Tracer) changed(ctx context.Context, c payment.Change, began time.Time, created bool) {
	if len(c.Events) == 0 && len(c.Deposits) == 0 {
		return
	}
	p, now := c.Payment, time.Now()
	txnid := string(p.ID)
	parent := about(ctx, txnid, created)
	for _, d := range c.Deposits {
		from := began
		if !d.Transfer.Block.Time.IsZero() {
			from = d.Transfer.Block.Time
		}
		t.record(span{
			txnid: txnid, parent: parent, name: "chain." + strings.ToLower(string(d.State)),
			kind: trace.SpanKindConsumer, began: from, ended: now,
			attributes: []attribute.KeyValue{
				attribute.String("florin.network", string(d.Transfer.Key.Network)), attribute.String("florin.tx", string(d.Transfer.Key.Tx)),
				attribute.Int64("florin.block", int64(d.Transfer.Block.Number)), //nolint:gosec // no chain has so many blocks
			},
		})
	}
	for _, e := range c.Events {
		t.record(span{
			txnid: txnid, parent: parent, name: string(e.Type), kind: trace.SpanKindInternal, began: began, ended: now,
			attributes: []attribute.KeyValue{
				attribute.String("florin.event_id", e.ID), attribute.String("florin.status", string(p.Status)),
				attribute.String("florin.network", string(p.Choice.Network)), attribute.String("florin.token", string(p.Choice.Token)),
			},
		})
	}
}

// Posts returns the sender with its attempts exported.
func (t *Tracer) Posts(p webhook.Posts) webhook.Posts {
	if t == nil {
		return p
	}
	return posts{p, t}
}

type posts struct {
	next webhook.Posts
	t    *Tracer
}

// Send exports the attempt: not the address, which may hold a secret, nor what was answered.
func (p posts) Send(ctx context.Context, d webhook.Delivery) webhook.Result {
	began := time.Now()
	r := p.next.Send(ctx, d)
	txnid := ofEvent(d.EventID)
	p.t.record(span{
		txnid: txnid, parent: rootOf(txnid), name: "webhook", kind: trace.SpanKindClient,
		began: began, ended: time.Now(),
		failed: r.Attempt.Error != "" || r.Attempt.Status < 200 || r.Attempt.Status > 299,
		attributes: []attribute.KeyValue{
			attribute.String("florin.event_id", d.EventID), attribute.Int("florin.attempt", d.Attempt+1),
			attribute.Int("http.response.status_code", r.Attempt.Status),
		},
	})
	return r
}

// ofEvent returns the txnid in the id of an event, evt_TXNID_SEQ; empty: there is none.
func ofEvent(id string) string {
	rest, ok := strings.CutPrefix(id, "evt_")
	if !ok {
		return ""
	}
	txnid, _, _ := strings.Cut(rest, "_")
	return txnid
}
