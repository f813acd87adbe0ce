package metrics

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/webhook"
)

// Store is the ports of payments and webhooks.
type Store interface {
	payment.Store
	watch.Store
	webhook.Store
}

// Count returns the store with its writes counted.
func (m *Metrics) Count(s Store) Store { return counted{s, m} }

type counted struct {
	Store
	m *Metrics
}

// CreatePayment counts the new payment.
func (c counted) CreatePayment(ctx context.Context, change payment.Change) (payment.Payment, error) {
	p, err := c.Store.CreatePayment(ctx, change)
	if err == nil {
		c.m.changed(change)
	}
	return p, err
}

// OpenPayment counts the new payment and its start.
func (c counted) OpenPayment(
	ctx context.Context, created payment.Change, start func(payment.Payment) (payment.Change, error),
) (payment.Payment, error) {
	var before payment.Payment
	var started payment.Change
	p, err := c.Store.OpenPayment(ctx, created, func(p payment.Payment) (payment.Change, error) {
		made, err := start(p)
		before, started = p, made
		return made, err
	})
	if err == nil {
		if before.Seq == created.Payment.Seq { // it is new
			c.m.changed(created)
		}
		c.m.changed(started)
	}
	return p, err
}

// UpdatePayment counts the change that was stored, which is that of the last run
// of the decision.
func (c counted) UpdatePayment(
	ctx context.Context, id payment.ID, decide func(payment.Payment) (payment.Change, error),
) (payment.Payment, error) {
	var made counting
	p, err := c.Store.UpdatePayment(ctx, id, made.of(decide))
	made.count(c.m, err)
	return p, err
}

// UpdatePayments counts the changes that were stored.
func (c counted) UpdatePayments(ctx context.Context, all []watch.Update) []error {
	all = slices.Clone(all)
	made := make([]counting, len(all))
	for i := range all {
		all[i].Decide = made[i].of(all[i].Decide)
	}
	errs := c.Store.UpdatePayments(ctx, all)
	for i, err := range errs {
		made[i].count(c.m, err)
	}
	return errs
}

// counting is what the last run of a decision made of a payment.
type counting struct {
	before payment.Payment
	change payment.Change
}

func (x *counting) of(
	decide func(payment.Payment) (payment.Change, error),
) func(payment.Payment) (payment.Change, error) {
	return func(p payment.Payment) (payment.Change, error) {
		made, err := decide(p)
		x.before, x.change = p, made
		return made, err
	}
}

func (x *counting) count(m *Metrics, err error) {
	if err == nil {
		m.changed(x.change)
		m.moved(x.before.Deposits, x.change.Deposits)
	}
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
func (c counted) Settle(ctx context.Context, holder string, o webhook.Outcome) error {
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
