package metrics

import (
	"context"
	"encoding/json"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/webhook"
)

// Stored counts a change that was stored.
func (m *Metrics) Stored(_ context.Context, x payment.Stored) {
	m.changed(x.Change)
	m.moved(x.Before.Deposits, x.Change.Deposits)
}

// CountWebhooks returns the store with its attempts counted.
func (m *Metrics) CountWebhooks(s webhook.Store) webhook.Store { return countedWebhooks{s, m} }

type countedWebhooks struct {
	webhook.Store
	m *Metrics
}

// CountSweeps returns the store with its sweeps counted.
func (m *Metrics) CountSweeps(s settlement.Store) settlement.Store { return countedSweeps{s, m} }

type countedSweeps struct {
	settlement.Store
	m *Metrics
}

// EndSweep counts how a sweep ended.
func (c countedSweeps) EndSweep(ctx context.Context, w settlement.Sweep, now time.Time) error {
	err := c.Store.EndSweep(ctx, w, now)
	if err == nil {
		c.m.sweeps.WithLabelValues(network(w.Network), string(w.State)).Inc()
	}
	return err
}

// Settle counts how an attempt at a webhook ended.
func (c countedWebhooks) Settle(ctx context.Context, holder string, o webhook.Outcome) error {
	err := c.Store.Settle(ctx, holder, o)
	if err == nil {
		c.m.attempts.WithLabelValues(outcome(o.State)).Inc()
	}
	return err
}

// sweepEnds are the states in which a sweep ends.
var sweepEnds = []settlement.State{settlement.Confirmed, settlement.Failed, settlement.Superseded}

// Outcomes of an attempt at a webhook.
const (
	outcomeDelivered = "delivered"
	outcomeRetry     = "retry"    // it failed and is tried again
	outcomeGivenUp   = "given_up" // it failed and was the last
	outcomeStopped   = "stopped"  // the receiver asked to stop
)

var outcomes = []string{outcomeDelivered, outcomeRetry, outcomeGivenUp, outcomeStopped}

func outcome(s webhook.State) string {
	switch s {
	case webhook.Delivered:
		return outcomeDelivered
	case webhook.Failed:
		return outcomeGivenUp
	case webhook.Stopped:
		return outcomeStopped
	case webhook.Waiting, webhook.Overtaken:
	}
	return outcomeRetry
}

// stateOf is the state a payment is in after the event; none for events that
// change no state.
var stateOf = map[payment.EventType]payment.Status{
	payment.EventCreated: payment.Pending, payment.EventStarted: payment.Started,
	payment.EventCompleted: payment.Completed,
	payment.EventExpired:   payment.Expired, payment.EventCancelled: payment.Cancelled,
}

// changed counts changes of state, and remembers which webhooks were caused by a
// block that was just seen.
func (m *Metrics) changed(c payment.Change) {
	for _, e := range c.Events {
		if e.Type == payment.EventReorged {
			m.reorgs.Inc()
		}
		state, ok := stateOf[e.Type]
		if !ok {
			continue
		}
		n := networkOf(e)
		m.payments.WithLabelValues(network(n), string(state)).Inc()
		if e.Type == payment.EventCompleted && len(c.Deposits) > 0 { // not by hand
			m.latency.expect(e.ID, n, m.now())
		}
	}
}

// networkOf returns the network in an event's data, in either spelling.
func networkOf(e payment.Event) chain.Network {
	var data struct {
		Network string `json:"network"`
	}
	if json.Unmarshal(e.Data, &data) != nil {
		return ""
	}
	for _, n := range chain.Networks() {
		if data.Network == string(n) || data.Network == n.Lower() {
			return n
		}
	}
	return ""
}

// network is a network as a label.
func network(n chain.Network) string {
	if n == "" {
		return "none"
	}
	return string(n)
}

// moved counts deposits that entered a state, each once: a deposit is stored
// again when it is rechecked or moves to another block.
func (m *Metrics) moved(before, after []payment.Deposit) {
	was := make(map[chain.TransferID]payment.DepositState, len(before))
	for _, d := range before {
		was[d.Transfer.ID()] = d.State
	}
	for _, d := range after {
		state, known := was[d.Transfer.ID()]
		n := network(d.Transfer.Network)
		if !known {
			m.deposits.WithLabelValues(n, "seen").Inc()
		}
		if state == d.State {
			continue
		}
		switch d.State {
		case payment.DepositFinal:
			m.deposits.WithLabelValues(n, "credited").Inc()
		case payment.DepositVanished:
			m.deposits.WithLabelValues(n, "vanished").Inc()
		case payment.DepositSeen:
		}
	}
}
