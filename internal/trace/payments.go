package trace

import (
	"context"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/webhook"
)

// Stored exports the events of a change that was stored, one span each, and the deposits that came with it, as
// chain.seen or chain.final: these from the time of their block on, which shows how long it took to see them.
func (t *Tracer) Stored(ctx context.Context, x payment.Stored) {
	c, began := x.Change, x.Began
	if t == nil || len(c.Events) == 0 && len(c.Deposits) == 0 {
		return
	}
	p, now := c.Payment, time.Now()
	txnid := string(p.ID)
	parent := about(ctx, txnid, x.Before.ID == "")
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

// Webhooks exports each attempt: not the address, which may hold a secret, nor what was answered.
func (t *Tracer) Webhooks(send webhook.Send) webhook.Send {
	if t == nil {
		return send
	}
	return func(ctx context.Context, d webhook.Delivery) webhook.Result {
		began := time.Now()
		r := send(ctx, d)
		txnid := ofEvent(d.EventID)
		t.record(span{
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
