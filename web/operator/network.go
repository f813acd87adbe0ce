package operator

import (
	"context"
	"strconv"
	"strings"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/operator"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/session"
)

func (d *Surface) networkRows() []operator.NetworkRow {
	var all []operator.NetworkRow
	for _, n := range chain.Networks() {
		offered, ok := d.Payments.Network(n)
		if !ok {
			continue
		}
		h := d.Payments.Health(n)
		row := operator.NetworkRow{
			Name: views.NetworkName(string(n)),
			OK:   h.OK, Reason: h.Detail, Latest: block(h.Latest), Final: block(h.Final), Scanned: block(h.Scanned),
			Lag: panel.Span(context.Background(), h.Lag), Treasury: string(offered.Treasury),
			Sweeping: "off: no gas wallet",
		}
		if row.Reason == "" {
			row.Reason = h.Reason
		}
		if d.Sweeping != nil {
			if st, ok := d.Sweeping(n); ok {
				row.Sweeping = "runs"
				if st.Waiting != "" {
					row.Sweeping = "waits: " + st.Detail
				}
			}
		}
		row.Endpoints = d.endpointRows(n)
		row.Calls = d.calls(n)
		all = append(all, row)
	}
	return all
}

// endpointRows name an endpoint by its host alone: providers put keys into paths and
// queries.
func (d *Surface) endpointRows(n chain.Network) []operator.EndpointRow {
	if d.Endpoints == nil {
		return nil
	}
	var all []operator.EndpointRow
	for _, e := range d.Endpoints(n) {
		r := operator.EndpointRow{
			Name: e.Name, OK: e.Healthy, Reason: e.Reason, Head: block(chain.Head{Number: e.Head}),
			Latency: session.Latency(context.Background(), e.Latency),
			Errors:  e.Errors, Requests: e.Requests, Learnt: strings.Join(e.Learnt, "; "),
		}
		if e.Head == 0 { // it has not answered yet
			r.Head, r.Latency = "–", "–"
		}
		if !e.CoolUntil.IsZero() {
			r.Rests = e.CoolUntil
		}
		all = append(all, r)
	}
	return all
}

func block(h chain.Head) string {
	return views.LocaleFor("en").Amount(strconv.FormatUint(h.Number, 10))
}
